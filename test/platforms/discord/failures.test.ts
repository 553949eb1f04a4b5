import { expect, test } from "vitest";
import { readMessageReply } from "../../../src/platforms/discord/api.ts";
import { isUndecided, toRefused } from "../../../src/platforms/discord/failures.ts";
import { NOW, refusal } from "./scripted.ts";

async function readRefusal(reply: Response) {
  const read = await readMessageReply(reply);
  if (read.ok) throw new Error("It was no refusal.");
  return read.error;
}

const refused = async (reply: Response) => toRefused(await readRefusal(reply), NOW);

const failure = (code: string, transient = false, wait?: number) => ({
  kind: "failed",
  transient,
  failure: { code, ...(wait === undefined ? {} : { retryAfterSeconds: wait }) },
});

const LIMITED = {
  "x-ratelimit-bucket": "abcd1234",
  "x-ratelimit-scope": "user",
  "retry-after": "65",
};
const limited = (body: object, headers: Record<string, string> = LIMITED) =>
  Response.json(body, { status: 429, headers });

const BAN =
  "You are being blocked from accessing our API temporarily due to exceeding our rate limits frequently.";

test.each<[string, () => Response, object]>([
  ["a deleted webhook", () => refusal(404, 10015, "Unknown Webhook"), { kind: "token_expired" }],
  [
    "a webhook's wrong token",
    () => refusal(401, 50027, "Invalid Webhook Token"),
    { kind: "token_expired" },
  ],
  ["a bot's wrong token", () => refusal(401, 0, "401: Unauthorized"), { kind: "token_expired" }],
  ["a 401 of another server", () => new Response("no", { status: 401 }), failure("unknown")],
  [
    "a deleted channel",
    () => refusal(404, 10003, "Unknown Channel"),
    failure("account_disconnected"),
  ],
  ["a bot that left", () => refusal(403, 50001, "Missing Access"), failure("account_disconnected")],
  [
    "a bot without a permission",
    () => refusal(403, 50013, "Missing Permissions"),
    failure("account_disconnected"),
  ],
  [
    "AutoMod",
    () => refusal(403, 200000, "Message was blocked by automatic moderation"),
    failure("content_flagged"),
  ],
  [
    "an empty message",
    () => refusal(400, 50006, "Cannot send an empty message"),
    failure("content_flagged"),
  ],
  ["a large file", () => refusal(413, 40005, "Request entity too large"), failure("media_invalid")],
  ["a large file in HTML", () => new Response("<html>", { status: 413 }), failure("media_invalid")],
  ["too many files", () => refusal(400, 30015, "Maximum number"), failure("media_invalid")],
  [
    "an archived thread",
    () => refusal(400, 50083, "Thread is archived"),
    failure("content_flagged"),
  ],
  [
    "slow mode",
    () => limited({ message: "Slow", code: 20016, retry_after: 64.57 }),
    failure("rate_limited", true, 65),
  ],
  [
    "a rate limit",
    () => limited({ message: "You are being rate limited.", retry_after: 0.3, global: false }),
    failure("rate_limited", true, 1),
  ],
  [
    "a long rate limit",
    () => limited({ message: "Wait.", retry_after: 3_600.5 }),
    failure("rate_limited", false, 3_601),
  ],
  [
    "a ban of the address",
    () => limited({ code: 0, message: BAN }, {}),
    failure("rate_limited", true, 300),
  ],
  [
    "a ban in plain text",
    () => new Response("error code: 1015", { status: 429 }),
    failure("rate_limited", true, 300),
  ],
  [
    "a block of the agent",
    () => refusal(403, 40333, "internal network error"),
    failure("platform_unavailable", true),
  ],
  [
    "a block in HTML",
    () => new Response("<html>error code: 1010</html>", { status: 403 }),
    failure("platform_unavailable", true),
  ],
  [
    "an outage",
    () => new Response("Bad gateway", { status: 502 }),
    failure("platform_unavailable", true),
  ],
  [
    "an overload",
    () => refusal(503, 130000, "API resource is currently overloaded."),
    failure("platform_unavailable", true),
  ],
  ["an unknown code", () => refusal(400, 999999, "No."), failure("unknown")],
])("%s", async (_, reply, expected) => {
  expect(await refused(reply())).toMatchObject(expected);
});

test("a form's refusal names its fields", async () => {
  const errors = {
    content: {
      _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }],
    },
    attachments: { 0: { description: { _errors: [{ message: "Too long." }] } } },
  };
  expect(await refused(refusal(400, 50035, "Invalid Form Body", { errors }))).toMatchObject({
    failure: {
      code: "content_flagged",
      message:
        "Invalid Form Body content: Must be 2000 or fewer in length. attachments.0.description: Too long.",
    },
  });
});

test.each([
  [200, true],
  [302, true],
  [400, false],
  [404, false],
  [429, false],
  [500, true],
  [502, true],
])("after HTTP %s, it is open whether the message is there: %s", async (status, isOpen) => {
  const headers = { location: "https://example.com" };
  const body = status === 302 ? null : "{}";
  expect(isUndecided(await readRefusal(new Response(body, { status, headers })))).toBe(isOpen);
});
