import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { jpeg, mp4 } from "../../support/stage.ts";

const SERVER = "https://mastodon.sandbox.test";

let teams = 7_300_000;
let fetch: Fetch;
const { accessToken: TOKEN } = sandboxCredentials("mastodon", "Ada");

beforeEach(() => {
  const origin = { teamId: ++teams, accountId: null, uploadId: null };
  fetch = createSandboxFetch(env.SANDBOX_STATE, origin);
});

async function call(method: string, path: string, json?: object, headers: object = {}) {
  const reply = await fetch(`${SERVER}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(json ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body: json ? JSON.stringify(json) : null,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any };
}

async function upload(file: Blob, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", file, "file");
  const reply = await fetch(`${SERVER}/api/v2/media`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
    body: form,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return { status: reply.status, body: (await reply.json()) as any };
}

const post = (json: object, headers: object = {}) =>
  call("POST", "/api/v1/statuses", json, headers);

/** Source: mastodon/documentation, `entities/Status.md`. */
test("a post has the fields of a status, and its text as HTML", async () => {
  const status = "Hello <you>\nhttps://example.com/a?b=1&c=2\n\nBye";
  const { status: code, body } = await post({ status, language: "en" });
  expect(code).toBe(200);
  expect(body).toMatchObject({
    id: expect.stringMatching(/^\d+$/),
    url: expect.stringMatching(/^https:\/\/mastodon\.sandbox\.test\/@ada\/\d+$/),
    visibility: "public",
    language: "en",
    spoiler_text: "",
    sensitive: false,
    media_attachments: [],
    in_reply_to_id: null,
  });
  expect(body.content).toMatch(
    /^<p>Hello &lt;you&gt;<br \/><a href="https:\/\/example\.com\/a\?b=1&amp;c=2"/,
  );
  const source = await call("GET", `/api/v1/statuses/${body.id}/source`);
  expect(source.body).toEqual({ id: body.id, text: status, spoiler_text: "" });
});

/** Source: mastodon/mastodon, `post_status_service.rb`, and its locale. */
test.each<[string, object, number, RegExp]>([
  ["nothing", {}, 422, /Text can't be blank/],
  ["501 characters", { status: "x".repeat(501) }, 422, /character limit of 500 exceeded/],
  ["a long warning", { status: "x", spoiler_text: "x".repeat(500) }, 422, /character limit/],
  ["a file that there is not", { media_ids: ["1"] }, 422, /Media 1 not found or already attached/],
  ["a parent that there is not", { status: "x", in_reply_to_id: "1" }, 404, /trying to reply to/],
  [
    "a poll of one choice",
    { status: "x", poll: { options: ["a"], expires_in: 300 } },
    422,
    /more than one item/,
  ],
  [
    "a poll of a minute",
    { status: "x", poll: { options: ["a", "b"], expires_in: 60 } },
    422,
    /too short/,
  ],
])("refuses %s", async (_, json, status, words) => {
  const answer = await post(json);
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(words)]);
});

test("an address counts as 23 characters, and a handle without its server", async () => {
  const link = `https://example.com/${"a".repeat(500)}`;
  const handle = "@ada@a.server.with.a.long.name.test";
  const text = `${link} ${handle} ${"x".repeat(500 - 23 - 1 - 4 - 1)}`;
  expect((await post({ status: text })).status).toBe(200);
  expect((await post({ status: `${text}x` })).status).toBe(422);
});

describe("the key of a call", () => {
  const KEY = { "idempotency-key": "8e0e1a5e" };

  test("answers the post that was made with it", async () => {
    const first = await post({ status: "Once" }, KEY);
    const again = await post({ status: "Twice" }, KEY);
    expect(again.body.id).toBe(first.body.id);
    const other = await post({ status: "Once" }, { "idempotency-key": "other" });
    expect(other.body.id).not.toBe(first.body.id);
  });

  test("is not kept of a refused call", async () => {
    expect((await post({ status: "" }, KEY)).status).toBe(422);
    expect((await post({ status: "Now" }, KEY)).status).toBe(200);
  });
});

describe("files", () => {
  test("an image is ready at once, and in one post", async () => {
    const { status, body } = await upload(jpeg(), { description: "Red", focus: "0.0,0.5" });
    expect([status, body.type, body.description]).toEqual([200, "image", "Red"]);
    expect(body.meta).toEqual({ focus: { x: 0, y: 0.5 } });
    const made = await post({ media_ids: [body.id] });
    expect(made.body.media_attachments).toMatchObject([{ id: body.id, description: "Red" }]);
    expect((await call("GET", `/api/v1/media/${body.id}`)).status).toBe(404);
    const again = await post({ media_ids: [body.id] });
    expect(again.body.error).toMatch(/already attached to another post/);
  });

  test("a video is processed first", async () => {
    const { status, body } = await upload(mp4());
    expect([status, body.url]).toEqual([202, null]);
    expect((await call("GET", `/api/v1/media/${body.id}`)).status).toBe(206);
    const early = await post({ media_ids: [body.id] });
    expect(early.body.error).toMatch(/not finished processing/);
  });

  test("what is no image or video is refused", async () => {
    const answer = await upload(new Blob(["%PDF-1.4"], { type: "application/pdf" }));
    expect([answer.status, answer.body.error]).toEqual([
      422,
      "Validation failed: File content type is invalid, File is invalid",
    ]);
  });
});

test("an edit takes off what it leaves out", async () => {
  const { body: file } = await upload(jpeg());
  const made = await post({ status: "Before", media_ids: [file.id] });
  const path = `/api/v1/statuses/${made.body.id}`;
  const kept = await call("PUT", path, { status: "After", media_ids: [file.id] });
  expect(kept.body.media_attachments).toHaveLength(1);
  const bare = await call("PUT", path, { status: "After" });
  expect(bare.body).toMatchObject({ media_attachments: [], edited_at: expect.any(String) });
});

test("a deleted post is gone, and a second deletion finds nothing", async () => {
  const made = await post({ status: "Away" });
  const path = `/api/v1/statuses/${made.body.id}`;
  expect((await call("DELETE", path)).body).toMatchObject({ text: "Away" });
  expect((await call("GET", path)).status).toBe(404);
  expect((await call("DELETE", path)).body).toEqual({ error: "Record not found" });
});

test("the newest posts are listed first, by pages", async () => {
  const { body: me } = await call("GET", "/api/v1/accounts/verify_credentials");
  const ids: string[] = [];
  for (const status of ["one", "two", "three"]) ids.unshift((await post({ status })).body.id);
  const list = (query: string) => call("GET", `/api/v1/accounts/${me.id}/statuses${query}`);
  const idsOf = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id);
  expect(idsOf(await list(""))).toEqual(ids);
  expect(idsOf(await list("?limit=1"))).toEqual(ids.slice(0, 1));
  expect(idsOf(await list(`?max_id=${ids[1]}`))).toEqual(ids.slice(2));
});

describe("an app", () => {
  const APP = { client_name: "Akimbo", redirect_uris: "https://a.test/cb", scopes: "read write" };

  test.each<[string, object, RegExp]>([
    ["an unknown scope", { scopes: "read fly" }, /Scopes doesn't match/],
    ["no address", { redirect_uris: "cb" }, /must be an absolute URI/],
    ["a long name", { client_name: "x".repeat(61) }, /client_name/],
  ])("is not registered with %s", async (_, change, words) => {
    const answer = await call("POST", "/api/v1/apps", { ...APP, ...change });
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringMatching(words)]);
  });

  test("gets no token without its secret", async () => {
    const { body: app } = await call("POST", "/api/v1/apps", APP);
    const fields = { grant_type: "authorization_code", client_id: app.client_id, code: "x" };
    const reply = await fetch(`${SERVER}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    expect([reply.status, await reply.json()]).toMatchObject([401, { error: "invalid_client" }]);
  });
});

test("a wrong token is refused", async () => {
  const answer = await call("GET", "/api/v1/accounts/verify_credentials", undefined, {
    authorization: "Bearer nobody",
  });
  expect(answer).toMatchObject({ status: 401, body: { error: "The access token is invalid" } });
});
