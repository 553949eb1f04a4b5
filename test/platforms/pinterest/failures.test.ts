import { expect, test } from "vitest";
import { readCreatePinReply } from "../../../src/platforms/pinterest/api.ts";
import {
  isLoginLost,
  isUndecided,
  toRefused,
  toUploadRefused,
} from "../../../src/platforms/pinterest/failures.ts";
import { readUploadVideoReply } from "../../../src/platforms/pinterest/upload-form.ts";
import { error } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readCreatePinReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const TRIAL =
  "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.";

test("an app in trial has lost nobody's login", async () => {
  expect(isLoginLost(await refusalOf(error(403, 29, TRIAL)))).toBe(false);
  expect(isLoginLost(await refusalOf(error(403, 29, "You are not permitted.")))).toBe(true);
});

test.each<[number, number, string, string]>([
  [403, 29, "You are not permitted to access that resource.", "account_disconnected"],
  [403, 7, "Authorization failed.", "account_disconnected"],
  [
    403,
    3,
    "Your application is missing the scopes: ['boards:write'] for this board.",
    "account_disconnected",
  ],
  [403, 29, "You are not permitted to pin to this board.", "unknown"],
  [403, 9, "Your account was blocked for spam.", "content_flagged"],
  [404, 40, "Board not found.", "unknown"],
  [404, 50, "Pin not found.", "unknown"],
  [404, 404, "Not found", "unknown"],
  [400, 1, "Invalid parameters: 'my image' does not match '^\\d+$'", "unknown"],
  [400, 1, "'Spam and blocked images' is too long", "unknown"],
  [400, 1, "Invalid request: media_source items, constraint: maxItems=5", "unknown"],
  [400, 1, "Something else is wrong", "unknown"],
  [400, 235, "Unable to reach the URL. Please check the URL.", "media_unreachable"],
  [400, 235, "We could not download the image.", "media_unreachable"],
  [400, 236, "The image size is too small.", "media_invalid"],
  [400, 236, "Video aspect ratio is not supported.", "media_invalid"],
  [413, 1, "Too much", "media_invalid"],
  [415, 1, "Not this", "media_invalid"],
  [400, 240, "Sorry! We blocked this link because it may lead to spam.", "content_flagged"],
  [400, 240, "This site is unsafe.", "content_flagged"],
  [418, 1, "I am a teapot", "unknown"],
])("%i %i %s: %s", async (status, code, message, ours) => {
  const refusal = await refusalOf(error(status, code, message));
  expect(isUndecided(refusal)).toBe(false);
  expect(toRefused(refusal)).toEqual({
    kind: "failed",
    failure: { code: ours, message },
    transient: false,
  });
});

test.each([
  [29, TRIAL],
  [3, "This endpoint needs Standard access."],
])("an app without Standard access learns what to do: %i", async (code, message) => {
  const refusal = await refusalOf(error(403, code, message));
  expect(toRefused(refusal)).toMatchObject({
    failure: {
      code: "unknown",
      message: expect.stringMatching(/upgrades the app to Standard.*PLATFORM_ORIGINS.*api-sandbox/),
    },
    transient: false,
  });
});

test.each([
  [409, false],
  [408, true],
  [500, true],
  [502, true],
  [503, true],
])("%i is passing, and leaves it open whether a pin was made: %s", async (status, undecided) => {
  const refusal = await refusalOf(error(status));
  expect(isUndecided(refusal)).toBe(undecided);
  expect(toRefused(refusal)).toMatchObject({
    failure: { code: "platform_unavailable" },
    transient: true,
  });
});

test.each<[string, Response]>([
  ["another body", Response.json({ pin: 1 }, { status: 201 })],
  ["no JSON", new Response("<html>")],
  ["a redirect", new Response(null, { status: 302, headers: { location: "https://a.example" } })],
  ["an endless body", new Response("x".repeat(2 * 1_024 * 1_024 + 1))],
  ["an id that is a path", Response.json({ id: "../1" }, { status: 201 })],
])("a success with %s leaves it open whether a pin was made", async (_, reply) => {
  expect(isUndecided(await refusalOf(reply))).toBe(true);
});

test("a refused token asks for a fresh one", async () => {
  expect(toRefused(await refusalOf(error(401, 2)))).toEqual({ kind: "token_expired" });
});

test.each<[Record<string, string>, object, boolean]>([
  [{}, {}, true],
  [{ "retry-after": "30" }, { retryAfterSeconds: 30 }, true],
  [{ "x-ratelimit-reset": "600" }, { retryAfterSeconds: 600 }, true],
  [{ "x-ratelimit-reset": "601" }, { retryAfterSeconds: 601 }, false],
  [{ "retry-after": "999999" }, { retryAfterSeconds: 86_400 }, false],
  [{ "x-ratelimit-reset": "1000000001" }, { retryAfterSeconds: 0 }, true],
  [{ "retry-after": "soon" }, {}, true],
])("too many calls with %j wait %j", async (headers, outcome, transient) => {
  for (const [status, code] of [
    [429, 8],
    [403, 8],
    [429, 1],
  ] as const) {
    const refusal = await refusalOf(error(status, code, "Slow down", headers));
    expect(toRefused(refusal)).toEqual({
      kind: "failed",
      failure: { code: "rate_limited", message: "Slow down", ...outcome },
      transient,
    });
  }
});

test("words are kept to 500 characters, and made up where there are none", async () => {
  expect((await refusalOf(error(400, 1, "x".repeat(501)))).message).toHaveLength(500);
  const silent = await refusalOf(new Response("?", { status: 400 }));
  expect(silent).toMatchObject({ code: null, message: "Pinterest answered HTTP 400." });
});

const xml = (code: string, message: string) =>
  `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

test.each<[number, string, string, boolean, string]>([
  [400, xml("EntityTooLarge", "Too large"), "media_invalid", false, "Too large"],
  [403, xml("AccessDenied", "Policy expired."), "platform_unavailable", true, "Policy expired."],
  [400, xml("RequestTimeout", "Idle"), "platform_unavailable", true, "Idle"],
  [401, "", "platform_unavailable", true, "HTTP 401"],
  [307, "", "platform_unavailable", true, "HTTP 307"],
  [503, "<html>", "platform_unavailable", true, "HTTP 503"],
])("the storage's %i %s", async (status, body, code, transient, wording) => {
  const reply = await readUploadVideoReply(new Response(body, { status }));
  expect(reply.isTaken).toBe(false);
  expect(toUploadRefused(reply)).toEqual({
    kind: "failed",
    failure: { code, message: expect.stringContaining(wording) },
    transient,
  });
});
