import { describe, expect, test } from "vitest";
import { discord } from "../../../src/platforms/discord/index.ts";
import type { LoginValues } from "../../../src/platforms/login.ts";
import { BOT, BOT_ID, network, refusal, TOKEN, WEBHOOK } from "./scripted.ts";

const [byWebhook, byBot] = discord.logins ?? [];
const ID = "222222222222222222";
const CHANNEL = "333333333333333333";
const GUILD = "111111111111111111";
const URL_OF = `https://discord.com/api/webhooks/${ID}/${TOKEN}`;

const webhook = (change: object = {}) =>
  Response.json({ id: ID, type: 1, guild_id: GUILD, channel_id: CHANNEL, name: "News", ...change });

async function connect(form: typeof byWebhook, values: LoginValues, ...replies: Response[]) {
  const { fetch, calls } = network(...replies);
  const answer = await form?.connect(fetch, values);
  return { answer, calls };
}

describe("by a webhook", () => {
  test.each([
    URL_OF,
    ` ${URL_OF}/ `,
    URL_OF.replace("discord.com", "discordapp.com"),
    URL_OF.replace("discord.com", "canary.discord.com"),
    URL_OF.replace("/api/", "/api/v10/").replace("discord.com", "ptb.discord.com"),
  ])("takes %s, and asks one address alone", async (webhookUrl) => {
    const avatar = "a_1269e74af4df7417b13759eae50c83dc";
    const { answer, calls } = await connect(byWebhook, { webhookUrl }, webhook({ avatar }));
    expect(answer).toEqual({
      ok: true,
      value: {
        profile: {
          platformAccountId: WEBHOOK,
          accountName: "News",
          handle: null,
          profileImageUrl: `https://cdn.discordapp.com/avatars/${ID}/${avatar}.png`,
          service: null,
        },
        credentials: {
          accessToken: TOKEN,
          refreshToken: null,
          expiresAt: null,
          extra: { account: WEBHOOK },
        },
      },
    });
    expect(calls.map(({ url }) => url)).toEqual([
      `https://discord.com/api/v10/webhooks/${ID}/${TOKEN}`,
    ]);
    expect(calls[0]?.headers).toMatchObject({
      "user-agent": expect.stringMatching(/^DiscordBot \(https:\/\/\S+, \d+\.\d+\.\d+\)$/),
    });
    expect(calls[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    "",
    "https://evil.example/api/webhooks/222222222222222222/token",
    "https://discord.com.evil.example/api/webhooks/222222222222222222/token",
    "https://discord.com@evil.example/api/webhooks/222222222222222222/token",
    `http://discord.com/api/webhooks/${ID}/${TOKEN}`,
    `${URL_OF}/slack`,
    `${URL_OF}/github`,
    `${URL_OF}?wait=true`,
    `https://discord.com/api/webhooks/${ID}`,
  ])("refuses %s without a call", async (webhookUrl) => {
    const { answer, calls } = await connect(byWebhook, { webhookUrl });
    expect(answer).toMatchObject({ ok: false, error: { final: true, field: "webhookUrl" } });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
    expect(calls).toEqual([]);
  });

  test.each<[string, () => Response, boolean]>([
    ["a deleted one", () => refusal(404, 10015, "Unknown Webhook"), true],
    ["one with a wrong token", () => refusal(401, 50027, "Invalid Webhook Token"), true],
    ["one that follows a channel", () => webhook({ type: 2 }), true],
    ["one of an application", () => webhook({ type: 3 }), true],
    ["another one", () => webhook({ id: "999999999999999999" }), true],
    ["a ban of the address", () => new Response("error code: 1015", { status: 429 }), false],
    ["an outage", () => new Response("", { status: 502 }), false],
  ])("does not connect %s", async (_, reply, final) => {
    const { answer } = await connect(byWebhook, { webhookUrl: URL_OF }, reply());
    expect(answer).toMatchObject({ ok: false, error: { final } });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });
});

describe("by a bot", () => {
  const me = () => Response.json({ id: BOT_ID, username: "newsbot", avatar: null });
  const channel = (change: object = {}) =>
    Response.json({ id: CHANNEL, type: 0, guild_id: GUILD, name: "news", ...change });

  test.each([CHANNEL, `https://discord.com/channels/${GUILD}/${CHANNEL}`])(
    "takes the channel %s",
    async (channelId) => {
      const values = { botToken: "Bot a.b.c", channelId };
      const { answer, calls } = await connect(byBot, values, me(), channel());
      expect(answer).toMatchObject({
        ok: true,
        value: {
          profile: { platformAccountId: BOT, accountName: "#news", handle: "newsbot" },
          credentials: { accessToken: "a.b.c", extra: { account: BOT } },
        },
      });
      expect(calls.map(({ path, headers }) => [path, headers.authorization])).toEqual([
        ["/api/v10/users/@me", "Bot a.b.c"],
        [`/api/v10/channels/${CHANNEL}`, "Bot a.b.c"],
      ]);
    },
  );

  test.each([
    [0, "channels"],
    [5, "channels"],
    [15, "forums"],
    [16, "forums"],
  ])("takes a channel of type %s, one of the %s", async (type, room) => {
    const values = { botToken: "a.b.c", channelId: CHANNEL };
    const { answer } = await connect(byBot, values, me(), channel({ type }));
    expect(answer).toMatchObject({
      ok: true,
      value: { profile: { platformAccountId: `${room}/${GUILD}/${CHANNEL}` } },
    });
  });

  test.each<[string, Response[], string, RegExp]>([
    ["a wrong token", [refusal(401, 0, "401: Unauthorized")], "botToken", /Reset it/],
    [
      "another server's channel",
      [me(), refusal(404, 10003, "Unknown Channel")],
      "channelId",
      /Invite/,
    ],
    [
      "a hidden channel",
      [me(), refusal(403, 50001, "Missing Access")],
      "channelId",
      /View Channel/,
    ],
    ["a voice channel", [me(), channel({ type: 2 })], "channelId", /text, announcement, forum/],
    ["a thread", [me(), channel({ type: 11 })], "channelId", /with each post/],
    ["a private talk", [me(), channel({ type: 1, guild_id: null })], "channelId", /text, ann/],
  ])("says what is wrong with %s", async (_, replies, field, message) => {
    const { answer } = await connect(byBot, { botToken: "a.b.c", channelId: CHANNEL }, ...replies);
    expect(answer).toMatchObject({
      ok: false,
      error: { final: true, field, message: expect.stringMatching(message) },
    });
  });

  test.each([
    ["botToken", { botToken: "abc", channelId: CHANNEL }],
    ["channelId", { botToken: "a.b.c", channelId: "#news" }],
    ["channelId", { botToken: "a.b.c", channelId: "https://evil.example/channels/1/2" }],
  ])("refuses a wrong %s without a call", async (field, values) => {
    const { answer, calls } = await connect(byBot, values);
    expect(answer).toMatchObject({ ok: false, error: { field } });
    expect(calls).toEqual([]);
  });
});

describe("a login that is refused once", () => {
  const credentials = {
    accessToken: TOKEN,
    refreshToken: null,
    expiresAt: null,
    extra: { account: WEBHOOK },
  };
  const account = { platformAccountId: WEBHOOK, handle: null, service: null };

  test("stays when Discord knows it", async () => {
    const { fetch } = network(webhook());
    expect(await discord.refresh(fetch, credentials, account, null)).toEqual({
      ok: true,
      value: credentials,
    });
  });

  test("ends when Discord does not", async () => {
    const { fetch, calls } = network(refusal(404, 10015, "Unknown Webhook"));
    expect(await discord.refresh(fetch, credentials, account, null)).toMatchObject({
      ok: false,
      error: { final: true, isEnded: true },
    });
    expect(calls).toHaveLength(1);
  });

  test("stays while Discord is away", async () => {
    const { fetch } = network(new Response("", { status: 503 }));
    expect(await discord.refresh(fetch, credentials, account, null)).toMatchObject({
      ok: false,
      error: { final: false },
    });
  });

  test("is never put into another address", async () => {
    const { fetch, calls } = network(me401());
    const sly = { ...credentials, accessToken: "../../users/@me?" };
    expect(await discord.identify(fetch, sly, { service: null, pageId: null })).toMatchObject({
      ok: false,
    });
    expect(calls.map(({ path }) => path)).toEqual(["/api/v10/users/@me"]);
  });

  const me401 = () => refusal(401, 0, "401: Unauthorized");
});

test("disconnecting deletes no webhook", () => {
  expect(discord.revoke).toBeUndefined();
});
