import { expect, test } from "vitest";
import { parseConfig } from "../src/config.ts";
import { createFetch } from "../src/deps.ts";

const SECRETS = {
  ENCRYPTION_KEYS: `k1:${btoa("k".repeat(32))}`,
  SIGNING_KEY: "s".repeat(32),
};

function network(vars: Record<string, string>) {
  const reached: string[] = [];
  const fetch = createFetch(parseConfig({ ...SECRETS, ...vars }), async (input) => {
    reached.push(new Request(input).url);
    return new Response("ok");
  });
  return { fetch, reached };
}

test.each([
  "http://127.0.0.1/",
  "http://localhost:4010/",
  "http://10.0.0.8/",
  "http://[::1]/",
  "https://metadata.internal/",
  "https://user:secret@example.com/",
])("production never reaches %s, whoever stored that address", async (url) => {
  const { fetch, reached } = network({ ENVIRONMENT: "production" });
  await expect(fetch(url)).rejects.toThrow("Not fetched");
  expect(reached).toEqual([]);
});

test("development reaches loopback, and other private addresses no more than production", async () => {
  const { fetch, reached } = network({ ENVIRONMENT: "development" });
  await fetch("http://127.0.0.1:4010/a");
  await expect(fetch("http://10.0.0.8/")).rejects.toThrow("Not fetched");
  expect(reached).toEqual(["http://127.0.0.1:4010/a"]);
});

test("a platform's origin is replaced where development asks for it, with path and body", async () => {
  const { fetch, reached } = network({
    ENVIRONMENT: "development",
    PLATFORM_ORIGINS: JSON.stringify({ "https://bsky.social": "http://127.0.0.1:4010" }),
  });
  await fetch("https://bsky.social/xrpc/a?b=c", { method: "POST", body: "text" });
  await fetch("https://example.com/");
  expect(reached).toEqual(["http://127.0.0.1:4010/xrpc/a?b=c", "https://example.com/"]);
});
