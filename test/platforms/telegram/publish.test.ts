import { describe, expect, test } from "vitest";
import { correct, shows, textsOf } from "../../../src/platforms/telegram/correction.ts";
import { readFollowers } from "../../../src/platforms/telegram/metrics.ts";
import { prepare, reconcile, submit } from "../../../src/platforms/telegram/publish.ts";
import { remove } from "../../../src/platforms/telegram/removal.ts";
import {
  CHAT,
  image,
  job,
  json,
  type PostChange,
  post,
  refused,
  scriptedFetch,
  sent,
  TOKEN,
  video,
} from "./scripted.ts";

async function send(
  answers: Parameters<typeof scriptedFetch>[0],
  change: PostChange = {},
  replyTo?: string,
) {
  const { fetch, calls } = scriptedFetch(answers);
  const one = job(fetch, { post: change, ...(replyTo === undefined ? {} : { replyTo }) });
  const prepared = await prepare(one, null);
  if (prepared.kind !== "ready") return { outcome: prepared, calls };
  return { outcome: await submit(one, prepared.bookmark), calls };
}

const PRIVATE = { id: Number(CHAT), type: "channel", title: "News" };

test.each<[string, object, object]>([
  ["a public channel", sent(7), { shareUrl: "https://t.me/news/7" }],
  ["a private channel", sent(7, PRIVATE), { shareUrl: "https://t.me/c/1234567890/7" }],
  ["a group without addresses", sent(7, { id: -4_001, type: "group" }), { shareUrl: null }],
  [
    "a topic",
    { ...sent(7), message_thread_id: 3, is_topic_message: true },
    { shareUrl: "https://t.me/news/3/7" },
  ],
])("the address in %s", async (_, message, address) => {
  const { outcome } = await send({ sendMessage: [json(message)] });
  expect(outcome).toEqual({ kind: "published", platformPostId: "7", ...address });
});

test("an album has all its ids, and the address of its first message", async () => {
  const media = [image(), video()];
  const { outcome, calls } = await send({ sendMediaGroup: [json([sent(7), sent(8)])] }, { media });
  expect(outcome).toMatchObject({ platformPostId: "7,8", shareUrl: "https://t.me/news/7" });
  const [call] = calls;
  expect(Number(call?.headers["content-length"] ?? call?.bytes)).toBe(call?.bytes);
  const items = JSON.parse(/name="media"\r\n\r\n([^\r]*)/.exec(call?.text ?? "")?.[1] ?? "[]");
  expect(items).toEqual([
    { type: "photo", media: "attach://file0", caption: "Hello" },
    {
      type: "video",
      media: "attach://file1",
      width: 1_080,
      height: 1_920,
      duration: 12,
      supports_streaming: true,
    },
  ]);
});

test("a message that Telegram holds back is out, without id and address", async () => {
  const { outcome } = await send({ sendMessage: [json(sent(0))] });
  expect(outcome).toMatchObject({
    kind: "published",
    platformPostId: "",
    shareUrl: null,
    warnings: [expect.stringMatching(/holds it back/)],
  });
});

describe("a reply", () => {
  test("names the first message of what it replies to, and goes nowhere else", async () => {
    const { calls } = await send({ sendMessage: [json(sent(9))] }, {}, "7,8");
    expect(calls[0]?.json.reply_parameters).toEqual({
      message_id: 7,
      allow_sending_without_reply: false,
    });
  });

  test("to a message without id is not sent", async () => {
    const { outcome, calls } = await send({}, {}, "");
    expect(outcome).toMatchObject({ kind: "failed", transient: false });
    expect(calls).toEqual([]);
  });
});

test("no lost answer is repeated, because nothing can be looked up", async () => {
  const half = 'failed to send message #1 with the error message "Too Many Requests"';
  for (const reply of [refused(500, "Internal Server Error: restart"), refused(400, half)]) {
    expect((await send({ sendMessage: [reply] })).outcome).toMatchObject({ kind: "unknown" });
  }
  expect(await reconcile()).toMatchObject({ kind: "unknowable" });
});

test("a video that cannot be read is not sent", async () => {
  const { fetch } = scriptedFetch();
  const one = job(fetch, { post: { media: [video()] }, facts: null });
  expect(await prepare(one, null)).toMatchObject({ failure: { code: "media_invalid" } });
});

const call = (answers: Parameters<typeof scriptedFetch>[0]) => {
  const { fetch, calls } = scriptedFetch(answers);
  const account = { platformAccountId: CHAT, handle: null, service: null };
  return { calls, call: { fetch, account, accessToken: TOKEN, now: () => new Date(0), own: [] } };
};

test("deletes every message of an album in one call", async () => {
  const { call: asked, calls } = call({ deleteMessages: [json(true)] });
  expect(await remove(asked, "7,8,9")).toEqual({ ok: true, value: "deleted" });
  expect(calls[0]?.json).toEqual({ chat_id: CHAT, message_ids: [7, 8, 9] });
});

test("says why an old message stays", async () => {
  const words = "Bad Request: message can't be deleted for everyone";
  const { call: asked } = call({ deleteMessages: [refused(400, words)] });
  expect(await remove(asked, "7")).toMatchObject({
    ok: false,
    error: { transient: false, failure: { message: expect.stringMatching(/48 hours/) } },
  });
});

describe("an edit", () => {
  const NOT_MODIFIED = "Bad Request: message is not modified: specified new message content";

  test.each<[string, PostChange, string, object]>([
    [
      "a text, without its preview",
      {
        description: "<b>Hi</b>",
        settings: { telegram_format: "html", telegram_link_preview: "0" },
      },
      "editMessageText",
      {
        text: "Hi",
        entities: [{ type: "bold", offset: 0, length: 2 }],
        link_preview_options: { is_disabled: true },
      },
    ],
    [
      "a text above a photo",
      { media: [image()], settings: { telegram_caption_above: "1" } },
      "editMessageCaption",
      { caption: "Hello", show_caption_above_media: true },
    ],
    [
      "no text under a photo",
      { media: [image()], description: null },
      "editMessageCaption",
      { caption: "" },
    ],
  ])("of %s", async (_, change, method, body) => {
    const texts = textsOf(post(change));
    if (!texts.ok) throw new Error(texts.error);
    const { call: asked, calls } = call({ [method]: [json(sent(7))] });
    expect(await correct(asked, "7,8", texts.value)).toEqual({ ok: true, value: null });
    expect(calls[0]?.json).toEqual({ chat_id: CHAT, message_id: 7, ...body });
  });

  test("that changes nothing is done", async () => {
    const texts = textsOf(post());
    if (!texts.ok) throw new Error(texts.error);
    const { call: asked } = call({ editMessageText: [refused(400, NOT_MODIFIED), json(sent(7))] });
    expect(await correct(asked, "7", texts.value)).toMatchObject({ ok: true });
    expect(await shows(asked, "7", texts.value)).toEqual({ ok: true, value: true });
  });
});

test("reads followers alone", async () => {
  const { call: asked } = call({ getChatMemberCount: [json(12)] });
  expect(await readFollowers(asked)).toEqual({ ok: true, value: 12 });
});
