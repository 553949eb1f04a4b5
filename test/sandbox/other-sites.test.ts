import { afterEach, describe, expect, test } from "vitest";
import { clockOffsetSeconds, moveClock } from "../../src/core/clock.ts";
import { hostsOf, shortAddressOf } from "../../src/doors/short-address.ts";
import { Harness } from "../support/harness.ts";

afterEach(() => moveClock(0));

const OTHER_SITE = {
  "a browser of today": { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  "another port of this machine": {
    "sec-fetch-site": "same-site",
    origin: "http://localhost:3000",
  },
  "an older browser": { origin: "https://evil.example" },
  "a page in a closed frame": { origin: "null" },
};

const CALLS = [
  ["/sandbox/api/clock", '{"offsetSeconds":86400}'],
  ["/sandbox/api/reset", ""],
  ["/sandbox/api/posts", '{"accountId":"acc_1","text":"Hello"}'],
  ["/sandbox/webhook", "{}"],
  ["/sandbox/consent", ""],
] as const;

const send = (path: string, body: string, headers: Record<string, string>) =>
  new Harness().request(path, {
    method: "POST",
    body,
    headers: { "content-type": "text/plain", ...headers },
  });

describe.each(Object.entries(OTHER_SITE))("a page of another site in %s", (_, headers) => {
  test.each(CALLS)("is refused at %s (403)", async (path, body) => {
    const reply = await send(path, body, headers);
    expect(reply.status).toBe(403);
    expect(await reply.json()).toMatchObject({ code: "FORBIDDEN" });
    expect(clockOffsetSeconds()).toBe(0);
  });
});

test.each<[string, Record<string, string>]>([
  ["a program", {}],
  ["curl with its own type of body", { "content-type": "application/x-www-form-urlencoded" }],
  ["a page of this server", { "sec-fetch-site": "same-origin", origin: "https://akimbo.test" }],
  ["a page of this server in an older browser", { origin: "https://akimbo.test" }],
])("%s may move the clock", async (_, headers) => {
  const reply = await send("/sandbox/api/clock", '{"offsetSeconds":60}', headers);
  expect(reply.status).toBe(200);
  expect(clockOffsetSeconds()).toBe(60);
});

test.each(["https://akimbo.example", undefined])(
  "a name that a stranger points to this machine leads to none of its doors (PUBLIC_URL %s)",
  (publicUrl) => {
    const hosts = hostsOf({ ENVIRONMENT: "development", PUBLIC_URL: publicUrl });
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8797"]) {
      // It is a place of short links, where no link is.
      expect(shortAddressOf(`http://${host}/sandbox/api/clock`, hosts)).toMatchObject({ host });
    }
    for (const host of ["localhost:8797", "127.0.0.1:8797", "[::1]:8797"]) {
      expect(shortAddressOf(`http://${host}/sandbox/api/clock`, hosts)).toBeNull();
    }
  },
);
