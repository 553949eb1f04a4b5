import { expect, test } from "vitest";
import { getMe } from "../../../src/platforms/telegram/api.ts";
import { judge } from "../../../src/platforms/telegram/failures.ts";
import { refused, TOKEN } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await getMe({ fetch: async () => reply, accessToken: TOKEN });
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const bad = (words: string, parameters?: object) =>
  refused(400, `Bad Request: ${words}`, parameters);

/** Source: Bot API server, Client.cpp; TDLib. */
test.each<[Response, code: string, transient?: boolean, wait?: number]>([
  [refused(403, "Forbidden: bot was kicked from the channel chat"), "account_disconnected"],
  [refused(403, "Forbidden: bot is not a member of the supergroup chat"), "account_disconnected"],
  [refused(403, "Forbidden: the group chat was deleted"), "account_disconnected"],
  [refused(403, "Forbidden: something new"), "account_disconnected"],
  [bad("chat not found"), "account_disconnected"],
  [bad("need administrator rights in the channel chat"), "account_disconnected"],
  [bad("have no write access to the chat"), "account_disconnected"],
  [bad("not enough rights to send photos to the chat"), "account_disconnected"],
  [bad("CHAT_WRITE_FORBIDDEN"), "account_disconnected"],
  [bad("CHAT_SEND_PLAIN_FORBIDDEN"), "account_disconnected"],
  [bad("CHANNEL_PRIVATE"), "account_disconnected"],
  [refused(400, "Logged out"), "account_disconnected"],
  [
    bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1001 }),
    "account_disconnected",
  ],
  [bad("TOPIC_CLOSED"), "unknown"],
  [bad("message thread not found"), "unknown"],
  [bad("message to be replied not found"), "unknown"],
  [bad("message is too long"), "content_flagged"],
  [bad("message caption is too long"), "content_flagged"],
  [bad("message text is empty"), "content_flagged"],
  [bad("text must be non-empty"), "content_flagged"],
  [bad("can't parse entities: unsupported start tag"), "content_flagged"],
  [bad("strings must be encoded in UTF-8"), "content_flagged"],
  [bad("PHOTO_INVALID_DIMENSIONS"), "media_invalid"],
  [bad("IMAGE_PROCESS_FAILED"), "media_invalid"],
  [bad("photo has unsupported extension. Use one of .jpg"), "media_invalid"],
  [bad("file must be non-empty"), "media_invalid"],
  [bad("document can't be mixed with other media types"), "media_invalid"],
  [new Response("<html>", { status: 413 }), "media_invalid"],
  [bad("group send failed"), "unknown", true],
  [bad("something new"), "unknown"],
  [refused(429, "Too Many Requests: retry after 8", { retry_after: 8 }), "rate_limited", true, 8],
  [refused(429, "Too Many Requests", undefined, { "retry-after": "60" }), "rate_limited", true, 60],
  [
    refused(429, "Too Many Requests: retry after 4000", { retry_after: 4_000 }),
    "rate_limited",
    false,
    4_000,
  ],
  [refused(500, "Internal Server Error: restart"), "platform_unavailable", true],
  [new Response("<html>", { status: 502 }), "platform_unavailable", true],
])("%#: %o", async (reply, code, transient = false, wait) => {
  const outcome = judge.toRefused(await refusalOf(reply));
  expect(outcome).toMatchObject({ kind: "failed", failure: { code }, transient });
  expect(outcome.kind === "failed" && outcome.failure.retryAfterSeconds).toBe(wait);
});

test.each([
  refused(401, "Unauthorized"),
  refused(401, "Unauthorized: invalid token specified"),
  refused(404, "Not Found"),
  refused(421, "Misdirected Request: unallowed token specified"),
])("%#: a refused token is looked at again", async (reply) => {
  expect(judge.toRefused(await refusalOf(reply))).toEqual({ kind: "token_expired" });
});

test.each<[Response, boolean]>([
  [refused(500, "Internal Server Error: restart"), true],
  [refused(502, "Bad Gateway"), true],
  [new Response("ok"), true],
  [
    bad('failed to send message #1 with the error message "Too Many Requests: retry after 8"'),
    true,
  ],
  [bad("group send failed"), false],
  [bad("chat not found"), false],
  [refused(429, "Too Many Requests: retry after 8", { retry_after: 8 }), false],
  [refused(413, "Request Entity Too Large"), false],
  [refused(401, "Unauthorized"), false],
])("%#: whether the message may be out all the same", async (reply, isUndecided) => {
  expect(judge.isUndecided(await refusalOf(reply))).toBe(isUndecided);
});

test("a group's new id is said", async () => {
  const reply = bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1005 });
  const outcome = judge.toRefused(await refusalOf(reply));
  expect(outcome).toMatchObject({
    failure: { message: expect.stringMatching(/id -1005 now\. Connect it again/) },
  });
});

test("a token never gets into words", async () => {
  const reply = refused(400, `Bad Request: https://api.telegram.org/bot${TOKEN}/x is wrong`);
  expect(JSON.stringify(await refusalOf(reply))).not.toContain(TOKEN.split(":")[1]);
  const fetch = async () => {
    throw new TypeError(`fetch failed: https://api.telegram.org/bot${TOKEN}/getMe`);
  };
  const error = await getMe({ fetch, accessToken: TOKEN }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TypeError);
  const { message, stack } = error as Error;
  expect(`${message} ${stack}`).not.toContain(TOKEN.split(":")[1]);
  expect(message).toContain("[hidden]/getMe");
});
