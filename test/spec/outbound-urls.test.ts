import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { FORBIDDEN } from "../support/forbidden-urls.ts";
import { connectSandbox, createMember, form, harnessWith } from "../support/harness.ts";
import { expectNotFollowed, FORBIDDEN_ADDRESSES } from "./redirects.ts";

test("the table is long enough to mean something", () => {
  expect(new Set(FORBIDDEN).size).toBe(FORBIDDEN.length);
  expect(FORBIDDEN.length).toBeGreaterThanOrEqual(60);
});

const harness = harnessWith({
  isDevelopment: false,
  environment: "production",
  sandboxEnabled: true,
});
let hits = 0;
harness.network = async () => {
  hits++;
  return new Response("a canary");
};
beforeEach(() => {
  hits = 0;
});

test.each(["photo", "file", "video"])(
  "no forbidden address is taken as %s, nor fetched",
  async (field) => {
    const { token, teamId, ...member } = await createMember();
    const accountId = await connectSandbox(harness, { token, teamId, ...member });
    const taken: string[] = [];
    for (const url of FORBIDDEN) {
      const body = form({ accountId, description: "Hello", [field]: url });
      const answer = await harness.call("POST", "/upload", { token, body });
      if (answer.status !== 400) taken.push(url);
      else
        expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    }
    await harness.settle();
    await harness.drain();
    expect(taken).toEqual([]);
    expect(hits).toBe(0);
    const { results } = await env.DB.prepare("SELECT id FROM uploads WHERE team_id = ?")
      .bind(teamId)
      .all();
    expect(results).toEqual([]);
  },
);

test("no forbidden address is called as a Bluesky server", async () => {
  const { token } = await createMember();
  const login = {
    platform: "bluesky",
    identifier: "a.example.com",
    appPassword: "abcd-efgh-ijkl-mnop",
  };
  const own = { platform: "bluesky", credentials: { accessToken: "a.b.c" } };
  const called: string[] = [];
  for (const service of FORBIDDEN) {
    for (const way of [login, own]) {
      const answer = await harness.call("POST", "/accounts", { token, json: { ...way, service } });
      expect(answer.status).toBe(400);
      if (answer.body.errors[0].field !== "service") called.push(service);
    }
  }
  expect(called).toEqual([]);
  expect(hits).toBe(0);
});

test("a Bluesky server must be spoken to over https", async () => {
  const { token } = await createMember();
  const answer = await harness.call("POST", "/accounts", {
    token,
    json: {
      platform: "bluesky",
      identifier: "a.example.com",
      appPassword: "abcd-efgh-ijkl-mnop",
      service: "http://pds.example.com",
    },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "service" }] } });
  expect(hits).toBe(0);
});

test.each(FORBIDDEN_ADDRESSES.filter((_, i) => i % 12 === 0))(
  "a redirect to %s is not followed",
  expectNotFollowed,
);

test("three redirects are followed, a fourth is not, each without credentials", async () => {
  const redirecting = harnessWith({ isDevelopment: false, sandboxEnabled: true });
  const member = await createMember();
  const accountId = await connectSandbox(redirecting, member);
  const fetched: Request[] = [];
  redirecting.network = async (input, init) => {
    const request = new Request(input, init);
    fetched.push(request);
    const hop = Number(new URL(request.url).pathname.slice(1));
    return new Response(null, { status: 307, headers: { location: `/${hop + 1}` } });
  };
  await redirecting.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, description: "Hello", photo: "https://cdn.example.com/0" }),
  });
  await redirecting.drain();
  expect(fetched.map(({ url }) => new URL(url).pathname)).toEqual(["/0", "/1", "/2", "/3"]);
  for (const { headers } of fetched) {
    expect(headers.get("authorization")).toBeNull();
    expect(headers.get("x-api-key")).toBeNull();
    expect(headers.get("cookie")).toBeNull();
  }
});
