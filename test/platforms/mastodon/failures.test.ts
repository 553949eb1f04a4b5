import { expect, test } from "vitest";
import { mastodon } from "../../../src/platforms/mastodon/index.ts";
import { NOW } from "../../support/network.ts";
import { error, job, json, scriptedFetch, status } from "./scripted.ts";

const POST = "POST /api/v1/statuses";
const LIST = "GET /api/v1/accounts/7/statuses";
const AT = { stage: "ready", mediaIds: [], key: "k", readyAt: NOW.getTime() };

const submit = (script: Parameters<typeof scriptedFetch>[0]) =>
  mastodon.submit(job(scriptedFetch(script).fetch), AT);

const in100 = new Date(NOW.getTime() + 100_000).toISOString().replace("Z", "000Z");

/** Real answers. Source: mastodon/mastodon, GoToSocial, Pixelfed and Friendica. */
test.each<[string, Response, object]>([
  ["a revoked token", error(401, "The access token was revoked"), { kind: "token_expired" }],
  [
    "a disabled login",
    error(403, "Your login is currently disabled"),
    {
      failure: { code: "unknown", message: expect.stringContaining("need not be connected again") },
      transient: false,
    },
  ],
  [
    "a post of somebody else",
    error(403, "This action is not allowed"),
    { failure: { code: "unknown" }, transient: false },
  ],
  [
    "a full account at Pixelfed",
    error(403, "Account size limit reached."),
    { failure: { code: "media_invalid" }, transient: false },
  ],
  ["a slow call at GoToSocial", new Response(null, { status: 499 }), { kind: "unknown" }],
  [
    "a permission that is missing",
    error(403, "This action is outside the authorized scopes"),
    { failure: { code: "account_disconnected" } },
  ],
  [
    "a firewall",
    new Response("<html>Attention Required!</html>", { status: 403 }),
    { failure: { code: "platform_unavailable" }, transient: true },
  ],
  [
    "a text alone at Pixelfed",
    error(403, "Empty statuses are not allowed"),
    { failure: { code: "unknown" }, transient: false },
  ],
  [
    "too many posts",
    error(429, "Too many requests", { "x-ratelimit-reset": in100 }),
    { failure: { code: "rate_limited", retryAfterSeconds: 100 }, transient: true },
  ],
  [
    "a text that is too long",
    error(422, "Validation failed: Text character limit of 500 exceeded"),
    { failure: { code: "unknown", message: expect.stringContaining("500") }, transient: false },
  ],
  [
    "files that are not ready",
    error(422, "Cannot attach files that have not finished processing. Try again in a moment!"),
    { transient: true },
  ],
  [
    "a file of a wrong type",
    error(422, "Validation failed: File content type is invalid, File is invalid"),
    { failure: { code: "media_invalid" }, transient: false },
  ],
  [
    "a parent that is gone",
    error(404, "The post you are trying to reply to does not appear to exist."),
    { failure: { code: "unknown" }, transient: false },
  ],
  ["a proxy's 404", new Response("", { status: 404 }), { transient: true }],
  ["a restart", error(503, "There was a temporary problem"), { kind: "unknown" }],
  ["a gateway", new Response("<html>", { status: 504 }), { kind: "unknown" }],
  ["an answer that is no post", json([]), { kind: "unknown" }],
])("%s", async (_, reply, expected) => {
  expect(await submit({ [POST]: [reply] })).toMatchObject(expected);
});

const ATTACHED = "Media 5 not found or already attached to another post";

test.each<[string, Response, object]>([
  [
    "has it",
    json([status({ media_attachments: [] })]),
    { kind: "published", platformPostId: "11" },
  ],
  ["lacks it", json([]), { kind: "failed", transient: true, restart: true }],
  ["gives no answer", new Response("", { status: 502 }), { kind: "unknown" }],
])("a file that is in a post already is looked for: the account %s", async (_, list, expected) => {
  const script = {
    [POST]: [error(422, ATTACHED)],
    [LIST]: [list, json([])],
    "GET /api/v1/statuses/11/source": [json({ text: "Hello, world" })],
  };
  expect(await submit(script)).toMatchObject(expected);
});

test("a key that Pixelfed burnt with a failed try is replaced", async () => {
  const script = { [POST]: [error(400, "Duplicate idempotency key.")], [LIST]: [json([])] };
  expect(await submit(script)).toMatchObject({ kind: "failed", transient: true, restart: true });
});
