import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxLogin } from "../../../src/sandbox/telegram/identity.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Reply = { status: number; body: any };

let harness: Harness;
let token: string;
let chatId: string;
let call: (method: string, parameters?: object | FormData, as?: string) => Promise<Reply>;

/** Called without our connector. */
beforeEach(async () => {
  harness = new Harness();
  const { teamId } = await createMember();
  ({ botToken: token, chatId } = await sandboxLogin(`Raw ${teamId}`));
  const origin = { teamId, accountId: `acc_${teamId}`, uploadId: null };
  const fetch = createSandboxFetch(env.SANDBOX_STATE, origin);
  call = async (method, parameters = {}, as = token) => {
    const isForm = parameters instanceof FormData;
    const reply = await fetch(`https://api.telegram.org/bot${as}/${method}`, {
      method: "POST",
      ...(isForm ? {} : { headers: { "content-type": "application/json" } }),
      body: isForm ? parameters : JSON.stringify(parameters),
    });
    return { status: reply.status, body: await reply.json() };
  };
});

const say = (parameters: object) => call("sendMessage", { chat_id: chatId, ...parameters });

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  const all: Record<string, unknown> = { chat_id: chatId, ...fields };
  for (const [name, value] of Object.entries(all)) {
    if (value instanceof Blob) form.append(name, value, value.type.replace("/", "."));
    else form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

const jpeg = (sizeBytes = testJpeg.length) => {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(testJpeg);
  return new Blob([bytes], { type: "image/jpeg" });
};

const refused = (status: number, description: string, parameters?: object) => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
});

const bad = (words: string, parameters?: object) =>
  refused(400, `Bad Request: ${words}`, parameters);

describe("bots", () => {
  test("are known by their tokens, whatever the case of the method", async () => {
    const { body } = await call("GETME");
    expect(body).toMatchObject({ ok: true, result: { is_bot: true } });
    expect(body.result.id).toBe(Number(token.split(":")[0]));
  });

  test("have real-looking tokens of their own, of which each new one is good", async () => {
    const again = await sandboxLogin("Twice");
    const other = await sandboxLogin("Twice");
    expect(again.chatId).toBe(other.chatId);
    expect(again.botToken).not.toBe(other.botToken);
    expect(again.botToken).toMatch(/^[1-9]\d{9}:[\w-]{35}$/);
  });

  test("are refused with other tokens", async () => {
    const real = "1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4";
    expect(await call("getMe", {}, real)).toMatchObject(refused(401, "Unauthorized"));
    expect(await call("getMe", {}, "1:x")).toMatchObject(refused(404, "Not Found"));
    expect(await call("nothing")).toMatchObject(refused(404, "Not Found: method not found"));
  });
});

describe("chats", () => {
  test("are found by name and by id", async () => {
    const { body } = await call("getChat", { chat_id: chatId });
    expect(body.result).toMatchObject({ type: "channel", username: chatId.slice(1) });
    expect(String(body.result.id)).toMatch(/^-100\d{10}$/);
    const byId = await call("getChat", { chat_id: body.result.id });
    expect(byId.body).toEqual(body);
    const count = await call("getChatMemberCount", { chat_id: chatId });
    expect(count.body.result).toBeGreaterThan(0);
  });

  test.each([
    ["@a", bad("chat not found")],
    ["-1001000000001", bad("chat not found")],
    ["12345", bad("chat not found")],
    [
      "-50001",
      bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -100850001 }),
    ],
  ])("%s is not there", async (chat_id, answer) => {
    expect(await call("getChat", { chat_id })).toMatchObject(answer);
  });

  test.each([
    ["@closed_left", "left", refused(403, "Forbidden: bot is not a member of the channel chat")],
    ["@closed_kicked", "kicked", refused(403, "Forbidden: bot was kicked from the channel chat")],
    ["@closed_reader", "administrator", bad("need administrator rights in the channel chat")],
    ["@closed_muted", "member", bad("not enough rights to send text messages to the chat")],
  ])("%s takes nothing", async (chat_id, status, answer) => {
    expect((await call("getChat", { chat_id })).status).toBe(200);
    const member = await call("getChatMember", { chat_id, user_id: 1 });
    expect(member.body.result.status).toBe(status);
    expect(await call("sendMessage", { chat_id, text: "x" })).toMatchObject(answer);
  });
});

describe("a text", () => {
  test("gets the next number of its chat", async () => {
    const [first, second] = [await say({ text: "One" }), await say({ text: " Two \n" })];
    expect(second.body.result).toMatchObject({
      message_id: first.body.result.message_id + 1,
      text: "Two",
      chat: { type: "channel", username: chatId.slice(1) },
    });
  });

  test.each([
    [{}, "message text is empty"],
    [{ text: "" }, "message text is empty"],
    [{ text: " \n " }, "text must be non-empty"],
    [{ text: "x".repeat(4_097) }, "message is too long"],
    [{ text: "\ud83d" }, "strings must be encoded in UTF-8"],
    [{ text: "x", reply_parameters: { message_id: 999_999 } }, "message to be replied not found"],
  ])("%#: is refused", async (parameters, words) => {
    expect(await say(parameters)).toMatchObject(bad(words));
  });

  test("is counted in code points", async () => {
    expect((await say({ text: "😀".repeat(4_096) })).status).toBe(200);
    expect(await say({ text: "😀".repeat(4_097) })).toMatchObject(bad("message is too long"));
  });

  test("keeps the first hundred entities, behind the blanks that are cut off", async () => {
    const entities = Array.from({ length: 101 }, (_, i) => ({
      type: "bold",
      offset: i + 1,
      length: 1,
    }));
    const { body } = await say({ text: ` ${"x".repeat(200)}`, entities });
    expect(body.result.entities).toHaveLength(100);
    expect(body.result.entities[0].offset).toBe(0);
  });

  test("goes to a topic, but not to General by its number", async () => {
    const chat_id = "@many_forum";
    const topic = await call("sendMessage", { chat_id, text: "x", message_thread_id: 7 });
    expect(topic.body.result).toMatchObject({ message_thread_id: 7, is_topic_message: true });
    const general = await call("sendMessage", { chat_id, text: "x", message_thread_id: 1 });
    expect(general).toMatchObject(bad("message thread not found"));
    const { body } = await say({ text: "x", message_thread_id: 7 });
    expect(body.result.is_topic_message).toBeUndefined();
  });

  test("is out although its answer is lost", async () => {
    await expect(say({ text: "[sandbox:lost_reply]" })).rejects.toThrow("Network connection lost.");
    const { body } = await say({ text: "Next" });
    expect(body.result.message_id).toBe(2);
  });

  test("is refused with a wait where there are too many", async () => {
    const busy = await say({ text: "[sandbox:rate_limited]" });
    expect(busy).toMatchObject({ status: 429, body: { parameters: { retry_after: 900 } } });
  });
});

describe("files", () => {
  test.each([
    ["sendPhoto", "photo", () => jpeg()],
    ["sendVideo", "video", () => new Blob([verticalMp4], { type: "video/mp4" })],
    ["sendDocument", "document", () => new Blob(["%PDF-1.7"], { type: "application/pdf" })],
    ["sendAnimation", "animation", () => new Blob(["GIF89a..........."], { type: "image/gif" })],
  ])("are taken by %s", async (method, name, file) => {
    const { body } = await call(method, formOf({ caption: "Look", [name]: file() }));
    expect(body).toMatchObject({ ok: true, result: { caption: "Look" } });
  });

  test.each<[string, Record<string, unknown>, object]>([
    ["no file", {}, bad("there is no photo in the request")],
    [
      "an empty file",
      { photo: new Blob([], { type: "image/jpeg" }) },
      bad("file must be non-empty"),
    ],
    [
      "a WebP",
      { photo: new Blob(["RIFF"], { type: "image/webp" }) },
      bad("photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp"),
    ],
    ["words", { photo: new Blob(["words"], { type: "image/jpeg" }) }, bad("IMAGE_PROCESS_FAILED")],
    [
      "a photo above 10 MiB",
      { photo: jpeg(10_485_761) },
      bad("file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes"),
    ],
    [
      "a long caption",
      { photo: jpeg(), caption: "x".repeat(1_025) },
      bad("message caption is too long"),
    ],
  ])("%s is refused", async (_, fields, answer) => {
    expect(await call("sendPhoto", formOf(fields))).toMatchObject(answer);
  });

  test("above 50 MB are refused", async () => {
    const video = new Blob([verticalMp4, new Uint8Array(52_428_800)], { type: "video/mp4" });
    expect(await call("sendVideo", formOf({ video }))).toMatchObject(
      refused(413, "Request Entity Too Large"),
    );
  });
});

describe("an album", () => {
  const png = () => new Blob([testPng], { type: "image/png" });
  const item = (name: string, more: object = {}) => ({
    type: "photo",
    media: `attach://${name}`,
    ...more,
  });
  const two = (a: object = {}, b: object = {}) =>
    formOf({ media: [item("a", a), item("b", b)], a: jpeg(), b: png() });

  test("is answered message by message, of one group", async () => {
    const { body } = await call("sendMediaGroup", two({ caption: "Both" }));
    const [first, second] = body.result;
    expect(first).toMatchObject({ caption: "Both", media_group_id: second.media_group_id });
    expect(second.message_id).toBe(first.message_id + 1);
  });

  test.each<[FormData | (() => FormData), string]>([
    [() => formOf({ media: [] }), "there are no messages to send"],
    [
      () => formOf({ media: Array.from({ length: 11 }, () => item("a")), a: jpeg() }),
      "too many messages to send as an album",
    ],
    [() => two({ type: "animation" }), 'type "animation" can\'t be used in sendMediaGroup'],
    [() => two({ type: "document" }), "document can't be mixed with other media types"],
    [
      () => two({ show_caption_above_media: true }),
      "parameter show_caption_above_media must be the same for all messages",
    ],
    [() => two({ media: "attach://c" }), "there is no photo in the request"],
  ])("%#: is refused", async (form, words) => {
    const body = typeof form === "function" ? form() : form;
    expect(await call("sendMediaGroup", body)).toMatchObject(bad(words));
  });
});

describe("a message that is out", () => {
  const edit = (parameters: object) => call("editMessageText", { chat_id: chatId, ...parameters });

  test("is edited by its bot alone", async () => {
    const { message_id } = (await say({ text: "Frist" })).body.result;
    expect((await edit({ message_id, text: "First" })).status).toBe(200);
    const same = await edit({ message_id, text: "First" });
    expect(same.body.description).toContain("message is not modified");
    expect(await edit({ message_id: 99, text: "x" })).toMatchObject(
      bad("message to edit not found"),
    );
    const { botToken } = await sandboxLogin("Another");
    const other = await call(
      "editMessageText",
      { chat_id: chatId, message_id, text: "x" },
      botToken,
    );
    expect(other).toMatchObject(bad("message can't be edited"));
  });

  test("has a text or a caption", async () => {
    const { message_id } = (await call("sendPhoto", formOf({ photo: jpeg() }))).body.result;
    expect(await edit({ message_id, text: "x" })).toMatchObject(
      bad("there is no text in the message to edit"),
    );
    const words = { chat_id: chatId, message_id, caption: "Look" };
    expect((await call("editMessageCaption", words)).status).toBe(200);
    const text = (await say({ text: "x" })).body.result.message_id;
    expect(await call("editMessageCaption", { ...words, message_id: text })).toMatchObject(
      bad("there is no caption in the message to edit"),
    );
  });

  test("is deleted for 48 hours, again and again", async () => {
    const ids = [(await say({ text: "1" })).body.result.message_id];
    const remove = () => call("deleteMessages", { chat_id: chatId, message_ids: ids });
    expect((await remove()).body).toEqual({ ok: true, result: true });
    expect((await remove()).body).toEqual({ ok: true, result: true });
    ids.push((await say({ text: "2" })).body.result.message_id);
    harness.advance(2 * 86_400);
    expect(await remove()).toMatchObject(bad("message can't be deleted for everyone"));
  });
});
