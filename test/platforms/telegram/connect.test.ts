import { describe, expect, test } from "vitest";
import { connect, identify, readChatId, refresh } from "../../../src/platforms/telegram/auth.ts";
import { CHAT, json, refused, scriptedFetch, TOKEN } from "./scripted.ts";

const ME = { id: 1_234_567_890, is_bot: true, first_name: "Bot", username: "news_bot" };
const CHANNEL = { id: Number(CHAT), type: "channel", title: "News", username: "news" };
const GROUP = { id: -4_001, type: "group", title: "Us", permissions: { can_send_messages: true } };
const POSTS = { status: "administrator", can_post_messages: true };

const network = (chat: object | Response = CHANNEL, member: object | Response = POSTS) =>
  scriptedFetch({
    getMe: [json(ME)],
    getChat: [chat instanceof Response ? chat : json(chat)],
    getChatMember: [member instanceof Response ? member : json(member)],
  });

const login = (chatId = "@news", botToken = TOKEN) => ({ botToken, chatId });

test.each([
  ["-1001234567890", "-1001234567890"],
  [" -4001 ", "-4001"],
  ["@news", "@news"],
  ["news", "@news"],
  ["t.me/news", "@news"],
  ["https://t.me/news/42", "@news"],
  ["https://t.me/s/news", "@news"],
  ["https://telegram.me/news?single", "@news"],
  ["https://t.me/c/1234567890/42", "-1001234567890"],
  ["t.me/c/1234567890/7/42", "-1001234567890"],
])("%s is the chat %s", (written, id) => {
  expect(readChatId(written)).toEqual({ ok: true, value: id });
});

test.each([
  ["https://t.me/+AbCdEf", /invitation link/],
  ["https://t.me/joinchat/AbCdEf", /invitation link/],
  ["123456789", /id of a person/],
  ["a b", /names no chat/],
  ["", /names no chat/],
])("%s is refused in words", (written, words) => {
  expect(readChatId(written)).toMatchObject({ ok: false, error: expect.stringMatching(words) });
});

test("connects a channel under its id, without its picture", async () => {
  const { fetch, calls } = network();
  expect(await connect(fetch, login(" https://t.me/news "))).toEqual({
    ok: true,
    value: {
      profile: {
        platformAccountId: CHAT,
        accountName: "News",
        handle: "news",
        profileImageUrl: null,
        service: null,
      },
      credentials: {
        accessToken: TOKEN,
        refreshToken: null,
        expiresAt: null,
        extra: { chatId: CHAT },
      },
    },
  });
  expect(calls.map(({ json: body }) => body)).toEqual([
    {},
    { chat_id: "@news" },
    { chat_id: Number(CHAT), user_id: ME.id },
  ]);
  expect(calls.every(({ redirect }) => redirect === "manual")).toBe(true);
});

test.each<[string, object, object]>([
  ["a group that lets members write", GROUP, { status: "member" }],
  ["a group as administrator", { ...GROUP, permissions: {} }, { status: "administrator" }],
  [
    "a restricted member who may write",
    GROUP,
    { status: "restricted", is_member: true, can_send_messages: true },
  ],
])("connects %s", async (_, chat, member) => {
  expect(await connect(network(chat, member).fetch, login("-4001"))).toMatchObject({ ok: true });
});

describe("refuses", () => {
  const bad = (words: string, parameters?: object) =>
    refused(400, `Bad Request: ${words}`, parameters);

  test.each<[string, object | Response, object | Response, string | undefined, RegExp]>([
    ["an unknown chat", bad("chat not found"), POSTS, "chatId", /chat not found.*Add the bot/],
    [
      "a group with another id now",
      bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1009 }),
      POSTS,
      "chatId",
      /new id: -1009/,
    ],
    ["a person", { id: 7, type: "private" }, POSTS, "chatId", /chat with a person/],
    ["a channel without the bot", CHANNEL, { status: "left" }, "chatId", /not in the chat/],
    ["a channel that removed it", CHANNEL, { status: "kicked" }, "chatId", /not in the chat/],
    ["a private one", refused(403, "Forbidden: bot was kicked"), POSTS, "chatId", /kicked/],
    ["a subscriber", CHANNEL, { status: "member" }, "chatId", /"Post Messages"/],
    [
      "an administrator without the right",
      CHANNEL,
      { status: "administrator", can_post_messages: false },
      "chatId",
      /"Post Messages"/,
    ],
    [
      "a group that is closed to members",
      { ...GROUP, permissions: { can_send_messages: false } },
      { status: "member" },
      "chatId",
      /may not write/,
    ],
    [
      "a restricted member",
      GROUP,
      { status: "restricted", is_member: true, can_send_messages: false },
      "chatId",
      /may not write/,
    ],
  ])("%s", async (_, chat, member, field, words) => {
    const { fetch } = network(chat, member);
    expect(await connect(fetch, login())).toMatchObject({
      ok: false,
      error: { final: true, field, message: expect.stringMatching(words) },
    });
  });

  test("no token that leads elsewhere", async () => {
    const { fetch, calls } = scriptedFetch({ getMe: [refused(404, "Not Found")] });
    await connect(fetch, login("@news", "1:x/../../y?z#@evil.example"));
    expect(calls[0]?.url).toBe(
      "https://api.telegram.org/bot1:x%2F..%2F..%2Fy%3Fz%23%40evil.example/getMe",
    );
  });

  test.each([401, 404, 421])("a token that Telegram answers with %i", async (status) => {
    const { fetch } = scriptedFetch({ getMe: [refused(status, "Unauthorized")] });
    expect(await connect(fetch, login())).toMatchObject({
      ok: false,
      error: { final: true, field: "botToken", message: expect.stringMatching(/@BotFather/) },
    });
  });

  test("nothing for good while Telegram is down or busy", async () => {
    for (const reply of [refused(502, "Bad Gateway"), refused(429, "Too Many Requests")]) {
      const { fetch } = scriptedFetch({ getMe: [reply] });
      expect(await connect(fetch, login())).toMatchObject({ ok: false, error: { final: false } });
    }
  });
});

describe("a login by credentials", () => {
  const credentials = { accessToken: TOKEN, refreshToken: null, expiresAt: null };
  const options = { service: null, pageId: null };

  test("needs the chat too", async () => {
    expect(await identify(network().fetch, credentials, options)).toMatchObject({
      ok: false,
      error: {
        final: true,
        field: "chatId",
        message: expect.stringMatching(/botToken and chatId/),
      },
    });
    for (const pageId of ["@news", CHAT]) {
      const answer = await identify(network().fetch, credentials, { ...options, pageId });
      expect(answer).toMatchObject({ ok: true, value: { profile: { platformAccountId: CHAT } } });
    }
  });

  test("remembers the chat, for the question whose access was lost", async () => {
    const { fetch, calls } = network();
    const login = { ...credentials, extra: { chatId: CHAT } };
    expect(await identify(fetch, login, options)).toMatchObject({ ok: true });
    expect(calls[1]?.json).toEqual({ chat_id: CHAT });
  });

  test("is renewed by a look whether Telegram still takes it", async () => {
    const account = { platformAccountId: CHAT, handle: null, service: null };
    const ask = (reply: Response) =>
      refresh(scriptedFetch({ getMe: [reply] }).fetch, credentials, account, null);
    expect(await ask(json(ME))).toEqual({ ok: true, value: credentials });
    expect(await ask(refused(401, "Unauthorized"))).toMatchObject({
      error: { final: true, isEnded: true },
    });
    expect(await ask(refused(500, "Internal Server Error"))).toMatchObject({
      error: { final: false },
    });
  });
});
