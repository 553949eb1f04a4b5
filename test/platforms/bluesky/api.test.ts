import { expect, test } from "vitest";
import {
  createSessionRequest,
  getProfileRequest,
  getRecordRequest,
  putRecordRequest,
  readGetRecordReply,
  readPutRecordReply,
  readUploadBlobReply,
  refreshSessionRequest,
  uploadBlobRequest,
} from "../../../src/platforms/bluesky/api.ts";
import { DID, json, PDS, xrpcError } from "./scripted.ts";

const BLOB = {
  $type: "blob",
  ref: { $link: "bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy" },
  mimeType: "image/jpeg",
  size: 1_234,
};

test("creates a session with identifier, password and code", async () => {
  const request = createSessionRequest("https://bsky.social", {
    identifier: "alice.example.com",
    password: "abcd-efgh-ijkl-mnop",
    authFactorToken: "ABCDE-12345",
  });
  expect(request.method).toBe("POST");
  expect(request.url).toBe("https://bsky.social/xrpc/com.atproto.server.createSession");
  expect(request.headers.get("content-type")).toBe("application/json");
  expect(request.headers.has("authorization")).toBe(false);
  expect(await request.json()).toEqual({
    identifier: "alice.example.com",
    password: "abcd-efgh-ijkl-mnop",
    authFactorToken: "ABCDE-12345",
  });
});

test("refreshes a session with the refresh token and without a body", () => {
  const request = refreshSessionRequest(PDS, "refresh-token");
  expect(request.method).toBe("POST");
  expect(request.headers.get("authorization")).toBe("Bearer refresh-token");
  expect(request.body).toBeNull();
});

test("uploads a file as its bytes under its own type", async () => {
  const request = uploadBlobRequest(PDS, "access-token", {
    data: new Uint8Array([1, 2, 3]).buffer,
    mime: "image/png",
  });
  expect(request.url).toBe(`${PDS}/xrpc/com.atproto.repo.uploadBlob`);
  expect(request.headers.get("content-type")).toBe("image/png");
  expect((await request.arrayBuffer()).byteLength).toBe(3);
});

test("writes a record only where none stands yet", async () => {
  const record = { $type: "app.bsky.feed.post", text: "Hi", createdAt: "2026-12-01T09:00:00.123Z" };
  const request = putRecordRequest(PDS, "access-token", { repo: DID, rkey: "3m6xyz", record });
  expect(await request.json()).toEqual({
    repo: DID,
    collection: "app.bsky.feed.post",
    rkey: "3m6xyz",
    record,
    swapRecord: null,
  });
});

test("asks for a record and a profile by query", () => {
  const request = getRecordRequest(PDS, { repo: DID, rkey: "3m6xyz" });
  expect(request.headers.get("authorization")).toBeNull();
  expect(request.url).toBe(
    `${PDS}/xrpc/com.atproto.repo.getRecord?repo=did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz&collection=app.bsky.feed.post&rkey=3m6xyz`,
  );
  expect(getProfileRequest(DID).url).toBe(
    "https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile?actor=did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz",
  );
});

test("never follows a redirect, which could carry the token elsewhere", () => {
  expect(refreshSessionRequest(PDS, "refresh-token").redirect).toBe("manual");
});

test("reads the address of a written record", async () => {
  const uri = `at://${DID}/app.bsky.feed.post/3m6xyz`;
  const reply = json({ uri, cid: "bafyrei", validationStatus: "valid" });
  expect(await readPutRecordReply(reply)).toEqual({ ok: true, value: uri });
});

test("reads a blob with everything the server put into it", async () => {
  const reply = json({ blob: { ...BLOB, later: "field" } });
  expect(await readUploadBlobReply(reply)).toEqual({
    ok: true,
    value: { ...BLOB, later: "field" },
  });
});

test("reads the record at a key", async () => {
  const reply = json({ uri: "at://x", cid: "bafyrei", value: { text: "Hi" } });
  expect(await readGetRecordReply(reply)).toEqual({ ok: true, value: { text: "Hi" } });
});

test("reads a refusal by its name, in the server's own words, with the headers of its limits", async () => {
  const reply = xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", {
    "RateLimit-Reset": "1764580000",
    "Retry-After": "30",
  });
  expect(await readPutRecordReply(reply)).toEqual({
    ok: false,
    error: {
      status: 429,
      name: "RateLimitExceeded",
      message: "Rate Limit Exceeded",
      rateLimitReset: "1764580000",
      retryAfter: "30",
    },
  });
});

const page = (status: number) =>
  new Response("<html><h1>Bad gateway</h1></html>", {
    status,
    headers: { "content-type": "text/html" },
  });

test.each<[string, Response, string]>([
  ["a page of HTML", page(502), "Bluesky answered HTTP 502."],
  ["nothing", new Response(null, { status: 503 }), "Bluesky answered HTTP 503."],
  ["a redirect", Response.redirect("https://evil.example/", 302), "Bluesky answered HTTP 302."],
  ["a name without a message", json({ error: "UpstreamFailure" }, 502), "UpstreamFailure"],
  ["fields of other types", json({ error: 7, message: {} }, 500), "Bluesky answered HTTP 500."],
  ["an array", json([1, 2], 500), "Bluesky answered HTTP 500."],
  ["null", json(null, 400), "Bluesky answered HTTP 400."],
  [
    "a message of 900 characters",
    xrpcError(400, "InvalidRequest", "x".repeat(900)),
    "x".repeat(500),
  ],
  [
    "a message cut in the middle of an emoji",
    xrpcError(400, "InvalidRequest", `${"x".repeat(499)}🦋`),
    `${"x".repeat(499)}\uFFFD`,
  ],
  ["200 and HTML", page(200), "Bluesky answered HTTP 200 with a body that cannot be read."],
  [
    "200 and NaN",
    new Response('{"uri": NaN}'),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "200 and half of the JSON",
    new Response('{"uri":"at://did:plc:x/app.b'),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "200 and no address",
    json({ uri: 7 }),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "200 and the address of something else",
    json({ uri: "https://bsky.app" }),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
  [
    "200 and more than 64 KB",
    json({ uri: "at://x", padding: "x".repeat(65 * 1_024) }),
    "Bluesky answered HTTP 200 with a body that cannot be read.",
  ],
])("takes %s for a refusal", async (_, reply, message) => {
  const read = await readPutRecordReply(reply);
  expect(read.ok ? read.value : read.error.message).toBe(message);
});

test("stops reading a body that does not end", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(16 * 1_024).fill(32)),
    cancel: () => {
      isCancelled = true;
    },
  });
  expect((await readPutRecordReply(new Response(endless))).ok).toBe(false);
  expect(isCancelled).toBe(true);
});
