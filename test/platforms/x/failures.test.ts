import { expect, test } from "vitest";
import { readCreatePostReply } from "../../../src/platforms/x/api.ts";
import { toProcessingFailure, toRefused } from "../../../src/platforms/x/failures.ts";
import { NOW, problem } from "./scripted.ts";

const inSeconds = (seconds: number) => ({
  "x-rate-limit-reset": String(Math.floor(NOW.getTime() / 1_000) + seconds),
});

const empty = (status: number) => new Response(null, { status });

const oauth = (status: number, error: string, error_description: string) =>
  Response.json({ error, error_description }, { status });

async function refused(reply: Response) {
  const read = await readCreatePostReply(reply);
  if (read.ok) throw new Error("It was no refusal.");
  return toRefused(read.error, NOW);
}

test.each<[string, () => Response, object]>([
  ["401", () => problem(401, "Unauthorized"), { kind: "token_expired" }],
  [
    "402",
    () =>
      Response.json(
        {
          title: "CreditsDepleted",
          detail: "Your enrolled account does not have any credits to fulfill this request.",
          type: "https://api.x.com/2/problems/credits",
        },
        { status: 402 },
      ),
    {
      code: "platform_unavailable",
      message: "Your enrolled account does not have any credits to fulfill this request.",
      transient: false,
    },
  ],
  [
    "a duplicate",
    () => problem(403, "You are not allowed to create a Tweet with duplicate content."),
    { code: "content_flagged" },
  ],
  [
    "an authentication of another kind",
    () =>
      problem(403, "Authenticating with this is forbidden", { type: "unsupported-authentication" }),
    { code: "account_disconnected" },
  ],
  [
    "the same in words",
    () =>
      Response.json(
        { title: "Unsupported Authentication", detail: "Unsupported Authentication" },
        { status: 403 },
      ),
    { code: "account_disconnected" },
  ],
  [
    "a forbidden client",
    () => problem(403, "Client Forbidden", { type: "client-forbidden" }),
    {
      code: "platform_unavailable",
      message: "X refuses this instance's app, not the account: Client Forbidden",
    },
  ],
  [
    "a suspended user",
    () => problem(403, "Your account is suspended and is not permitted to access this feature."),
    { code: "account_disconnected" },
  ],
  [
    "a locked account",
    () => problem(403, "To protect our users, this account is temporarily locked."),
    { code: "account_disconnected" },
  ],
  [
    "what is not permitted",
    () => problem(403, "You are not permitted to perform this action."),
    { code: "unknown" },
  ],
  [
    "a video too long for the account",
    () => problem(403, "This user is not allowed to post a video longer than 2 minutes"),
    { code: "media_invalid" },
  ],
  [
    "a bad link",
    () => problem(400, "The Tweet contains an invalid URL."),
    { code: "content_flagged" },
  ],
  [
    "an automated post",
    () => problem(403, "This request looks like it might be automated."),
    { code: "content_flagged" },
  ],
  ["two cashtags", () => problem(403, "One cashtag per post."), { code: "content_flagged" }],
  [
    "an invalid request",
    () =>
      problem(400, "One or more parameters to your request was invalid.", {
        type: "invalid-request",
        errors: [{ message: "$.reply_settings: unknown", parameters: {} }],
      }),
    {
      code: "unknown",
      message: "One or more parameters to your request was invalid. $.reply_settings: unknown",
      transient: false,
    },
  ],
  [
    "expired media",
    () =>
      problem(400, "Invalid.", {
        type: "invalid-request",
        errors: [{ message: "Your media IDs are invalid." }],
      }),
    { code: "platform_unavailable", transient: true, restart: true },
  ],
  [
    "a cap",
    () => problem(403, "Usage cap", { type: "usage-capped" }),
    { code: "rate_limited", transient: false },
  ],
  [
    "a short rate limit",
    () => problem(429, "Too Many Requests", { headers: inSeconds(600) }),
    { code: "rate_limited", retryAfterSeconds: 600, transient: true },
  ],
  [
    "a long rate limit",
    () => problem(429, "Too Many Requests", { headers: inSeconds(602) }),
    { code: "rate_limited", retryAfterSeconds: 602, transient: false },
  ],
  [
    "a rate limit without an end",
    () => problem(429, "Too Many Requests"),
    { code: "rate_limited", transient: false },
  ],
  [
    "413",
    () => empty(413),
    { code: "platform_unavailable", transient: true, message: "X answered HTTP 413." },
  ],
  ["500", () => empty(500), { code: "platform_unavailable", transient: true }],
  [
    "503",
    () => problem(503, "Service Unavailable"),
    { code: "platform_unavailable", transient: true },
  ],
  ["a redirect", () => empty(302), { code: "platform_unavailable", transient: true }],
  [
    "OAuth's form",
    () => oauth(400, "invalid_request", "Words"),
    { code: "unknown", message: "Words" },
  ],
  ["no words at all", () => empty(404), { code: "unknown", message: "X answered HTTP 404." }],
])("%s", async (_, reply, expected) => {
  const { code, message, retryAfterSeconds, ...rest } = expected as Record<string, unknown>;
  const reported = JSON.parse(
    JSON.stringify({
      ...rest,
      ...(code ? { kind: "failed", failure: { code, message, retryAfterSeconds } } : {}),
    }),
  );
  expect(await refused(reply())).toMatchObject(reported);
});

test("what X writes is cut", async () => {
  const result = await refused(problem(403, "x".repeat(9_000)));
  expect(result).toMatchObject({ failure: { message: "x".repeat(500) } });
  expect(await refused(new Response("x".repeat(3_000_000), { status: 400 }))).toMatchObject({
    failure: { code: "unknown", message: "X answered HTTP 400." },
  });
});

test.each([
  ["InvalidMedia", "Bad", "media_invalid", false],
  ["UnsupportedMedia", "Bad", "media_invalid", false],
  ["InternalError", "Sorry", "platform_unavailable", true],
  ["SomethingElse", "Sorry", "unknown", false],
])("processing that ends with %s (%s) is %s", (name, message, code, transient) => {
  const failure = toProcessingFailure({ state: "failed", error: { name, message } });
  expect(failure).toMatchObject({
    failure: { code, message: `X could not process the file: ${message}.` },
    transient,
  });
});

test("a video that is too long for its account is refused with what to do", () => {
  const message = "Duration 200 exceeds max duration 140";
  const error = { name: "UnsupportedMedia", message };
  expect(toProcessingFailure({ state: "failed", error })).toMatchObject({
    failure: { code: "media_invalid", message: expect.stringMatching(`${message}.*X Premium`) },
    transient: false,
  });
});

test("processing may end without a reason", () => {
  expect(toProcessingFailure({ state: "failed" })).toMatchObject({
    failure: { code: "unknown", message: "X could not process the file: it gives no reason." },
  });
});
