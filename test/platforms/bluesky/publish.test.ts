import { expect, test } from "vitest";
import { bluesky } from "../../../src/platforms/bluesky/index.ts";
import { recordKey } from "../../../src/platforms/bluesky/publish.ts";
import type { Bookmark, Prepared } from "../../../src/platforms/connector.ts";
import { DID, image, job, json, NOW, PDS, scriptedFetch, xrpcError } from "./scripted.ts";

const blobOf = (name: string) => ({
  $type: "blob",
  ref: { $link: `bafkrei${name}` },
  mimeType: "image/jpeg",
  size: 1_234,
});

const ready = (prepared: Prepared): Bookmark => {
  if (prepared.kind !== "ready") throw new Error(`Expected ready, got ${JSON.stringify(prepared)}`);
  return prepared.bookmark;
};

const stored = (bookmark: Bookmark): Bookmark => JSON.parse(JSON.stringify(bookmark));

const BOOKMARK: Bookmark = {
  rkey: "3m6wbfmfgs23k",
  record: {
    $type: "app.bsky.feed.post",
    text: "Hello, world",
    createdAt: "2026-12-01T09:00:00.123Z",
  },
};
const URI = `at://${DID}/app.bsky.feed.post/3m6wbfmfgs23k`;
const SHARE_URL = "https://bsky.app/profile/alice.example.com/post/3m6wbfmfgs23k";

test("prepares a text without a single call", async () => {
  const { fetch, calls } = scriptedFetch();
  const prepared = await bluesky.prepare(
    job(fetch, {
      post: {
        description: "Read https://a.com #now",
        settings: { bluesky_langs: "en,de", bluesky_labels: "nudity,sexual" },
      },
    }),
    null,
  );
  expect(calls).toEqual([]);
  expect(ready(prepared).record).toEqual({
    $type: "app.bsky.feed.post",
    text: "Read https://a.com #now",
    createdAt: "2026-12-01T09:00:00.123Z",
    langs: ["en", "de"],
    labels: {
      $type: "com.atproto.label.defs#selfLabels",
      values: [{ val: "nudity" }, { val: "sexual" }],
    },
    facets: [
      {
        index: { byteStart: 5, byteEnd: 18 },
        features: [{ $type: "app.bsky.richtext.facet#link", uri: "https://a.com" }],
      },
      {
        index: { byteStart: 19, byteEnd: 23 },
        features: [{ $type: "app.bsky.richtext.facet#tag", tag: "now" }],
      },
    ],
  });
});

test("leaves out of the record what has no value", async () => {
  const prepared = await bluesky.prepare(job(scriptedFetch().fetch), null);
  expect(ready(prepared).record).toEqual(BOOKMARK.record);
});

test("posts the title where there is no description", async () => {
  const change = { post: { title: "Title", description: " " } };
  const prepared = await bluesky.prepare(job(scriptedFetch().fetch, change), null);
  expect(ready(prepared).record).toMatchObject({ text: "Title" });
});

test("resolves each mentioned handle once, at the account's server and without its token", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.identity.resolveHandle": [
      json({ did: "did:plc:bob" }),
      xrpcError(400, "InvalidRequest", "Unable to resolve handle"),
    ],
  });
  const text = "@bob.com @nobody.com @Bob.com";
  const prepared = await bluesky.prepare(job(fetch, { post: { description: text } }), null);
  expect(calls.map((call) => [call.query.handle, call.authorization])).toEqual([
    ["bob.com", null],
    ["nobody.com", null],
  ]);
  expect(calls[0]?.url.startsWith(`${PDS}/xrpc/`)).toBe(true);
  expect(ready(prepared).record).toMatchObject({
    facets: [
      { index: { byteStart: 0, byteEnd: 8 }, features: [{ did: "did:plc:bob" }] },
      { index: { byteStart: 21, byteEnd: 29 }, features: [{ did: "did:plc:bob" }] },
    ],
  });
});

test("looks up at most 20 handles of one post", async () => {
  const replies = Array.from({ length: 20 }, () => json({ did: "did:plc:x" }));
  const { fetch, calls } = scriptedFetch({ "com.atproto.identity.resolveHandle": replies });
  const description = Array.from({ length: 24 }, (_, index) => `@a${index}.com`).join(" ");
  ready(await bluesky.prepare(job(fetch, { post: { description } }), null));
  expect(calls).toHaveLength(20);
});

test("waits with the post while handles cannot be resolved", async () => {
  const { fetch } = scriptedFetch({
    "com.atproto.identity.resolveHandle": [xrpcError(502, "UpstreamFailure", "Upstream Failure")],
  });
  expect(await bluesky.prepare(job(fetch, { post: { description: "@bob.com" } }), null)).toEqual({
    kind: "failed",
    failure: { code: "platform_unavailable", message: "Upstream Failure" },
    transient: true,
  });
});

test("uploads each image once and embeds what the server answered", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.repo.uploadBlob": [json({ blob: blobOf("one") }), json({ blob: blobOf("two") })],
  });
  const media = [
    image({ sizeBytes: 2_000_000 }),
    image({ mime: "image/png", width: null, height: null }),
  ];
  const publishJob = job(fetch, {
    post: { description: null, media, settings: { bluesky_alt_text: ["A cat"] } },
  });
  const prepared = await bluesky.prepare(publishJob, null);
  expect(
    calls.map((call) => [call.path, call.contentType, call.bytes, call.authorization]),
  ).toEqual([
    ["/xrpc/com.atproto.repo.uploadBlob", "image/jpeg", 2_000_000, "Bearer access-token"],
    ["/xrpc/com.atproto.repo.uploadBlob", "image/png", 1_234, "Bearer access-token"],
  ]);
  expect(publishJob.reads).toEqual(media);
  expect(ready(prepared).record).toEqual({
    $type: "app.bsky.feed.post",
    text: "",
    createdAt: "2026-12-01T09:00:00.123Z",
    embed: {
      $type: "app.bsky.embed.images",
      images: [
        { image: blobOf("one"), alt: "A cat", aspectRatio: { width: 1_600, height: 900 } },
        { image: blobOf("two"), alt: "" },
      ],
    },
  });
});

test("gives one alt text to every image", async () => {
  const { fetch } = scriptedFetch({
    "com.atproto.repo.uploadBlob": [json({ blob: blobOf("one") }), json({ blob: blobOf("two") })],
  });
  const post = { media: [image(), image()], settings: { bluesky_alt_text: "Both" } };
  const prepared = await bluesky.prepare(job(fetch, { post }), null);
  expect(ready(prepared).record).toMatchObject({
    embed: { images: [{ alt: "Both" }, { alt: "Both" }] },
  });
});

test.each<[string, Response, object]>([
  [
    "an expired token",
    xrpcError(400, "ExpiredToken", "Token has expired"),
    { kind: "token_expired" },
  ],
  [
    "a file that is too large",
    xrpcError(413, "PayloadTooLarge", "request entity too large"),
    {
      kind: "failed",
      failure: { code: "media_invalid", message: "request entity too large" },
      transient: false,
    },
  ],
  [
    "an outage",
    new Response("<h1>Service Unavailable</h1>", { status: 503 }),
    {
      kind: "failed",
      failure: { code: "platform_unavailable", message: "Bluesky answered HTTP 503." },
      transient: true,
    },
  ],
  [
    "a blob that cannot be read",
    json({ blob: { size: "NaN" } }),
    {
      kind: "failed",
      failure: {
        code: "platform_unavailable",
        message: "Bluesky answered HTTP 200 with a body that cannot be read.",
      },
      transient: true,
    },
  ],
])("ends the upload of images at %s", async (_, reply, expected) => {
  const { fetch, calls } = scriptedFetch({ "com.atproto.repo.uploadBlob": [reply] });
  const prepared = await bluesky.prepare(job(fetch, { post: { media: [image(), image()] } }), null);
  expect(prepared).toEqual(expected);
  expect(calls).toHaveLength(1);
});

test("leaves a lost connection to the runner", async () => {
  const lost = new TypeError("Network connection lost.");
  const script = {
    "com.atproto.identity.resolveHandle": [lost],
    "com.atproto.repo.uploadBlob": [lost],
    "com.atproto.repo.putRecord": [lost],
    "com.atproto.repo.getRecord": [lost],
  };
  const { fetch } = scriptedFetch(script);
  await expect(
    bluesky.prepare(job(fetch, { post: { description: "@bob.com" } }), null),
  ).rejects.toBe(lost);
  await expect(bluesky.prepare(job(fetch, { post: { media: [image()] } }), null)).rejects.toBe(
    lost,
  );
  await expect(bluesky.submit(job(fetch), BOOKMARK)).rejects.toBe(lost);
  await expect(bluesky.reconcile(job(fetch), BOOKMARK)).rejects.toBe(lost);
});

test("stays ready with the bookmark it is given", async () => {
  const { fetch, calls } = scriptedFetch();
  const publishJob = job(fetch, { post: { media: [image()] } });
  expect(await bluesky.prepare(publishJob, BOOKMARK)).toEqual({
    kind: "ready",
    bookmark: BOOKMARK,
  });
  expect(calls).toEqual([]);
});

test("uses the entryway for an account whose server is not known", async () => {
  const { fetch, calls } = scriptedFetch({ "com.atproto.repo.putRecord": [json({ uri: URI })] });
  await bluesky.submit(job(fetch, { account: { service: null } }), BOOKMARK);
  expect(calls[0]?.url).toBe("https://bsky.social/xrpc/com.atproto.repo.putRecord");
});

test("publishes with one call and gives back the post's address", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.repo.putRecord": [json({ uri: URI, cid: "bafyrei", commit: {} })],
  });
  expect(await bluesky.submit(job(fetch), BOOKMARK)).toEqual({
    kind: "published",
    platformPostId: URI,
    shareUrl: SHARE_URL,
  });
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    method: "POST",
    url: `${PDS}/xrpc/com.atproto.repo.putRecord`,
    authorization: "Bearer access-token",
    json: { ...BOOKMARK, repo: DID, collection: "app.bsky.feed.post", swapRecord: null },
  });
});

test("links to the DID where the account has no handle", async () => {
  const { fetch } = scriptedFetch({ "com.atproto.repo.putRecord": [json({ uri: URI })] });
  expect(await bluesky.submit(job(fetch, { account: { handle: null } }), BOOKMARK)).toMatchObject({
    shareUrl: `https://bsky.app/profile/${DID}/post/3m6wbfmfgs23k`,
  });
});

test("repeats a submit whose reply was lost with exactly the same record", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.repo.uploadBlob": [json({ blob: blobOf("one") })],
    "com.atproto.repo.putRecord": [new TypeError("Network connection lost."), json({ uri: URI })],
  });
  const post = { description: "Look: https://a.com", media: [image()] };
  const bookmark = ready(await bluesky.prepare(job(fetch, { post }), null));
  await expect(bluesky.submit(job(fetch, { post }), stored(bookmark))).rejects.toThrow();
  const later = job(fetch, { post, now: new Date(NOW.getTime() + 90_000) });
  const again = ready(await bluesky.prepare(later, stored(bookmark)));
  expect(await bluesky.submit(later, stored(again))).toMatchObject({ kind: "published" });
  const [first, second] = calls.filter((call) => call.path.endsWith("putRecord"));
  expect(first?.json).toBeTruthy();
  expect(JSON.stringify(second?.json)).toBe(JSON.stringify(first?.json));
});

test.each<[string, Response, string]>([
  [
    "HTTP 500",
    xrpcError(500, "InternalServerError", "Internal Server Error"),
    "Internal Server Error",
  ],
  [
    "a page of HTML and HTTP 502",
    new Response("<h1>", { status: 502 }),
    "Bluesky answered HTTP 502.",
  ],
  [
    "HTTP 200 and nothing",
    new Response(""),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "HTTP 200 without an address",
    json({ cid: "x" }),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "a record at the key already",
    xrpcError(400, "InvalidSwap", "Record was at bafyrei"),
    "Record was at bafyrei",
  ],
])("cannot tell whether the post exists after %s", async (_, reply, message) => {
  const { fetch } = scriptedFetch({ "com.atproto.repo.putRecord": [reply] });
  expect(await bluesky.submit(job(fetch), BOOKMARK)).toEqual({ kind: "unknown", message });
});

test.each<[string, Response, object]>([
  [
    "an expired token",
    xrpcError(400, "ExpiredToken", "Token has expired"),
    { kind: "token_expired" },
  ],
  [
    "a rate limit",
    xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", {
      "RateLimit-Reset": String(Math.floor(NOW.getTime() / 1_000) + 3_600),
    }),
    {
      kind: "failed",
      failure: {
        code: "rate_limited",
        message: "Rate Limit Exceeded",
        retryAfterSeconds: 3_600,
      },
      transient: false,
    },
  ],
  [
    "an account that was taken down",
    xrpcError(401, "AccountTakedown", "Account has been taken down"),
    {
      kind: "failed",
      failure: { code: "account_disconnected", message: "Account has been taken down" },
      transient: false,
    },
  ],
  [
    "a redirect",
    Response.redirect("https://elsewhere.example/", 307),
    {
      kind: "failed",
      failure: { code: "platform_unavailable", message: "Bluesky answered HTTP 307." },
      transient: true,
    },
  ],
])("knows that no post was made after %s", async (_, reply, expected) => {
  const { fetch } = scriptedFetch({ "com.atproto.repo.putRecord": [reply] });
  expect(await bluesky.submit(job(fetch), BOOKMARK)).toEqual(expected);
});

test("finds the post by its key, whatever the order of its fields", async () => {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.repo.getRecord": [
      json({
        uri: URI,
        cid: "bafyrei",
        value: {
          text: "Hello, world",
          $type: "app.bsky.feed.post",
          createdAt: "2026-12-01T09:00:00.123Z",
        },
      }),
    ],
  });
  expect(await bluesky.reconcile(job(fetch), BOOKMARK)).toEqual({
    kind: "published",
    platformPostId: URI,
    shareUrl: SHARE_URL,
  });
  expect(calls[0]).toMatchObject({
    method: "GET",
    path: "/xrpc/com.atproto.repo.getRecord",
    query: { repo: DID, collection: "app.bsky.feed.post", rkey: "3m6wbfmfgs23k" },
  });
});

test.each<[string, Response, object]>([
  ["no record", xrpcError(400, "RecordNotFound", "Could not locate record"), { kind: "absent" }],
  [
    "an expired token",
    xrpcError(401, "ExpiredToken", "Token has expired"),
    { kind: "token_expired" },
  ],
  [
    "another record",
    json({ uri: URI, value: { ...Object(BOOKMARK.record), text: "Hello, moon" } }),
    {
      kind: "unknowable",
      message: "Another post, or an edited version, is already where this post was to be written.",
    },
  ],
  [
    "a refusal",
    xrpcError(400, "InvalidRequest", "Could not locate record"),
    { kind: "unknowable", message: "Could not locate record" },
  ],
])("reconciles with %s at the key", async (_, reply, expected) => {
  const { fetch } = scriptedFetch({ "com.atproto.repo.getRecord": [reply] });
  expect(await bluesky.reconcile(job(fetch), BOOKMARK)).toEqual(expected);
});

test.each<[string, Response]>([
  ["HTTP 503", new Response("", { status: 503 })],
  ["HTTP 429", xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded")],
  ["a record that cannot be read", new Response("<h1>")],
])("asks again later after %s", async (_, reply) => {
  const { fetch } = scriptedFetch({ "com.atproto.repo.getRecord": [reply] });
  await expect(bluesky.reconcile(job(fetch), BOOKMARK)).rejects.toThrow();
});

test("makes keys that are TIDs of the time of posting", () => {
  // 2026-12-01T09:00:00.123Z is 1796115600123 ms; upload 0 and attempt 0 leave the rest at zero.
  const key = recordKey(NOW, 0, 0);
  expect(key).toMatch(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
  const alphabet = "234567abcdefghijklmnopqrstuvwxyz";
  const value = [...key].reduce((sum, char) => sum * 32n + BigInt(alphabet.indexOf(char)), 0n);
  expect(value >> 10n).toBe(BigInt(NOW.getTime()) * 1_000n);
  expect(value & 1_023n).toBe(0n);
});

test("gives every upload and attempt of one millisecond a key of its own", () => {
  const keys = new Set<string>();
  for (let uploadId = 70_000; uploadId < 72_000; uploadId++) {
    for (const attempt of [1, 2, 3]) keys.add(recordKey(NOW, uploadId, attempt));
  }
  expect(keys.size).toBe(6_000);
  expect(recordKey(NOW, 41, 1)).toBe(recordKey(NOW, 41, 1));
  expect(recordKey(new Date(NOW.getTime() + 1), 41, 1) > recordKey(NOW, 63_999, 15)).toBe(true);
});

test("two uploads of the same millisecond do not share a key", async () => {
  const { fetch } = scriptedFetch();
  const [one, two] = await Promise.all(
    [7, 8].map(async (uploadId) => ready(await bluesky.prepare(job(fetch, { uploadId }), null))),
  );
  expect(one?.record).toEqual(two?.record);
  expect(one?.rkey).not.toBe(two?.rkey);
});
