import { expect, test } from "vitest";
import { readPutRecordReply, type XrpcRefusal } from "../../../src/platforms/bluesky/api.ts";
import { isUndecided, toRefused, waitSeconds } from "../../../src/platforms/bluesky/failures.ts";
import { NOW, xrpcError } from "./scripted.ts";

const refusal = (
  status: number,
  name: string | null,
  message = "In the server's words",
  headers: Partial<XrpcRefusal> = {},
): XrpcRefusal => ({ status, name, message, rateLimitReset: null, retryAfter: null, ...headers });

async function refusalOf(status: number, name: string | null, message = "In the server's words") {
  const bare = message.startsWith("Bluesky answered");
  const reply = name
    ? xrpcError(status, name, message)
    : bare
      ? new Response(null, { status })
      : Response.json({ message }, { status });
  const read = await readPutRecordReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  expect(read.error).toEqual(refusal(status, name, message));
  return read.error;
}

test.each<[number, string | null]>([
  [400, "ExpiredToken"],
  [401, "ExpiredToken"],
  [400, "InvalidToken"],
  [401, "InvalidToken"],
  [401, "AuthMissing"],
  [401, "AuthenticationRequired"],
  [401, "BadJwt"],
  [400, "BadJwtSignature"],
  [401, "MissingJwt"],
  [400, "invalid_grant"],
  [401, null],
])("asks for a fresh token after %i %s", async (status, name) => {
  expect(toRefused(await refusalOf(status, name), NOW)).toEqual({ kind: "token_expired" });
});

test.each<[number, string | null, string, string, boolean]>([
  [400, "AccountTakedown", "Account has been taken down", "account_disconnected", false],
  [401, "AccountTakedown", "Account has been taken down", "account_disconnected", false],
  [403, "AccountDeactivated", "Account is deactivated", "account_disconnected", false],
  [401, "AccountDeactivated", "Account is deactivated", "account_disconnected", false],
  [403, "ScopeMissingError", 'Missing required scope "blob:*/*"', "account_disconnected", false],
  [403, null, 'Missing required scope "blob:*/*"', "account_disconnected", false],
  [400, "InvalidRequest", "Invalid app.bsky.feed.post record: text too long", "unknown", false],
  [400, "InvalidMimeType", "Referenced Mimetype does not match stored blob.", "unknown", false],
  [400, "InvalidSize", "Referenced Size does not match stored blob.", "unknown", false],
  [
    400,
    "InvalidRequest",
    "Invalid app.bsky.feed.post record: blob too big (maximum 2000000, got 2000001) at $.record.embed.images[0].image",
    "media_invalid",
    false,
  ],
  [
    400,
    "InvalidRequest",
    'Invalid app.bsky.feed.post record: Expected "image/*" (got "text/plain") at $.record.embed.images[0].image.mimeType',
    "media_invalid",
    false,
  ],
  [400, "InvalidRequest", "Blob has been takendown, cannot re-upload", "media_invalid", false],
  [413, "PayloadTooLarge", "request entity too large", "media_invalid", false],
  [413, null, "Bluesky answered HTTP 413.", "media_invalid", false],
  [429, "RateLimitExceeded", "Rate Limit Exceeded", "rate_limited", true],
  [429, null, "Bluesky answered HTTP 429.", "rate_limited", true],
  [500, "InternalServerError", "Internal Server Error", "platform_unavailable", true],
  [502, "UpstreamFailure", "Upstream Failure", "platform_unavailable", true],
  [503, "NotEnoughResources", "Not Enough Resources", "platform_unavailable", true],
  [504, "UpstreamTimeout", "Operation timed out", "platform_unavailable", true],
  [
    200,
    null,
    "Bluesky answered HTTP 200 with a body that cannot be read.",
    "platform_unavailable",
    true,
  ],
  [302, null, "Bluesky answered HTTP 302.", "platform_unavailable", true],
  [404, null, "Bluesky answered HTTP 404.", "platform_unavailable", true],
  [403, null, "Bluesky answered HTTP 403.", "unknown", false],
  [418, "Teapot", "I am one", "unknown", false],
])("%i %s (%s) is %s, transient: %s", async (status, name, message, code, transient) => {
  expect(toRefused(await refusalOf(status, name, message), NOW)).toEqual({
    kind: "failed",
    failure: { code, message },
    transient,
  });
});

test.each([
  ["BlobNotFound", "Could not find blob: bafkrei"],
  ["InvalidRequest", "Could not find blob: bafkrei"],
])("a file dropped by the server (%s) is uploaded again from the start", async (name, message) => {
  expect(toRefused(await refusalOf(400, name, message), NOW)).toEqual({
    kind: "failed",
    failure: { code: "platform_unavailable", message },
    transient: true,
    restart: true,
  });
});

const epoch = (afterSeconds: number) => String(Math.floor(NOW.getTime() / 1_000) + afterSeconds);

test.each<[string, Partial<XrpcRefusal>, number | null]>([
  ["RateLimit-Reset in 300 s", { rateLimitReset: epoch(300) }, 300],
  ["both headers", { rateLimitReset: epoch(300), retryAfter: "7" }, 300],
  ["Retry-After in seconds", { retryAfter: "7" }, 7],
  ["Retry-After as a date", { retryAfter: "Tue, 01 Dec 2026 09:01:00 GMT" }, 60],
  ["a RateLimit-Reset that has passed", { rateLimitReset: epoch(-10) }, null],
  [
    "a RateLimit-Reset that has passed, and Retry-After",
    { rateLimitReset: "30", retryAfter: "9" },
    9,
  ],
  ["words", { rateLimitReset: "soon", retryAfter: "later" }, null],
  ["a RateLimit-Reset in a year", { rateLimitReset: epoch(365 * 86_400) }, 86_400],
  ["neither header", {}, null],
])("waits as %s says", (_, headers, expected) => {
  expect(waitSeconds(refusal(429, null, "", headers), NOW)).toBe(expected);
});

test.each([
  [600, true],
  [601, false],
])("a rate limit of %i s is transient: %s", (seconds, transient) => {
  const limited = refusal(429, "RateLimitExceeded", "Rate Limit Exceeded", {
    rateLimitReset: epoch(seconds),
  });
  expect(toRefused(limited, NOW)).toEqual({
    kind: "failed",
    failure: {
      code: "rate_limited",
      message: "Rate Limit Exceeded",
      retryAfterSeconds: seconds,
    },
    transient,
  });
});

test.each<[number, string | null, boolean]>([
  [200, null, true],
  [500, "InternalServerError", true],
  [504, null, true],
  [408, null, true],
  [400, "InvalidSwap", true],
  [400, "InvalidRequest", false],
  [429, "RateLimitExceeded", false],
  [302, null, false],
])("%i %s leaves open whether the post exists: %s", (status, name, expected) => {
  expect(isUndecided(refusal(status, name))).toBe(expected);
});
