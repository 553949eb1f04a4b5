import { ok, type Result, refuse } from "../../core/result.ts";
import { asSentence } from "../../core/text.ts";
import type { Connector, Fetch } from "../connector.ts";
import { finalRefusal, type Owner, toProfile } from "../kit/logins.ts";
import type { Connected, LoginForm, LoginRefusal } from "../login.ts";
import { avatarOf, type DiscordRefusal, getChannel, getMe, getWebhook } from "./api.ts";
import { isTemporary, UNKNOWN_CHANNEL } from "./failures.ts";
import { readSender } from "./sender.ts";

const HOST = String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com`;
/** The address is built anew, so that the secret goes to no other server. */
const WEBHOOK = new RegExp(
  String.raw`^https://${HOST}/api/(?:v\d{1,2}/)?webhooks/(\d{17,20})/([\w-]{1,1000})/?$`,
);
const CHANNEL = new RegExp(String.raw`^(?:https://${HOST}/channels/\d{1,20}/)?(\d{1,20})/?$`);
const BOT_TOKEN = /^(?:Bot +)?([\w-]+\.[\w-]+\.[\w-]{1,1000})$/;

/** Follower and application webhooks cannot be posted to like this. */
const INCOMING = 1;
/** Text, announcement, forum and media channels. Source: Discord, "Channels Resource". */
const ROOMS = new Map([
  [0, "channels"],
  [5, "channels"],
  [15, "forums"],
  [16, "forums"],
]);

type Connecting = Promise<Result<Connected, LoginRefusal>>;

/** `extra` names the account, because a token alone does not tell where it posts. */
const connected = (accessToken: string, account: string, owner: Omit<Owner, "id">) =>
  ok<Connected>({
    profile: toProfile({ id: account, ...owner }),
    credentials: { accessToken, refreshToken: null, expiresAt: null, extra: { account } },
  });

const toRefusal = (
  refusal: DiscordRefusal,
  field: string,
  words = refusal.message,
): Result<never, LoginRefusal> =>
  isTemporary(refusal) || refusal.status === 429 || refusal.status >= 500
    ? refuse({ message: refusal.message, final: false })
    : finalRefusal(words, field);

async function readWebhook(fetch: Fetch, webhookId: string, token: string): Connecting {
  const reply = await getWebhook({ kind: "webhook", token, fetch }, webhookId);
  if (!reply.ok) {
    const words = `Discord does not know this webhook: ${asSentence(reply.error.message)} Copy its address again.`;
    return toRefusal(reply.error, "webhookUrl", words);
  }
  const { id, type, guild_id, name, avatar } = reply.value;
  if (type !== INCOMING || !guild_id || id !== webhookId) {
    return finalRefusal("This webhook takes no posts: create one in the channel.", "webhookUrl");
  }
  const owner = { name: name ?? "Discord webhook", picture: avatarOf(id, avatar) };
  return connected(token, `webhooks/${guild_id}/${id}`, owner);
}

/** @param channelId null where the caller does not name any */
async function readBot(fetch: Fetch, token: string, channelId: string | null): Connecting {
  const bot = { kind: "bot", token, fetch } as const;
  const me = await getMe(bot);
  if (!me.ok) {
    const words = `Discord refuses the bot's token: ${asSentence(me.error.message)} Reset it, and copy the new one.`;
    return toRefusal(me.error, "botToken", words);
  }
  if (channelId === null) return finalRefusal(NO_CHANNEL, "pageId");
  const reply = await getChannel(bot, channelId);
  if (!reply.ok) {
    const words =
      reply.error.code === UNKNOWN_CHANNEL
        ? "The bot is not in the server of this channel, or the channel does not exist. Invite the bot first."
        : `The bot does not see this channel: ${asSentence(reply.error.message)} Give it the permission View Channel.`;
    return toRefusal(reply.error, "channelId", words);
  }
  const { id, type, guild_id, name } = reply.value;
  const room = ROOMS.get(type);
  if (!guild_id || room === undefined) return finalRefusal(WRONG_CHANNEL, "channelId");
  const { id: botId, username, avatar } = me.value;
  const owner = { name: `#${name ?? id}`, handle: username, picture: avatarOf(botId, avatar) };
  return connected(token, `${room}/${guild_id}/${id}`, owner);
}

const WRONG_CHANNEL =
  "Choose a text, announcement, forum or media channel; a thread is chosen with each post.";

const NO_CHANNEL =
  "A bot's token does not tell the channel. Send botToken and channelId, or the channel's number as pageId.";

const WEBHOOK_FORM =
  "webhookUrl must look like https://discord.com/api/webhooks/<id>/<token>: copy it in Discord under Edit Channel, Integrations, Webhooks.";

export const connectWebhook: LoginForm["connect"] = async (fetch, { webhookUrl = "" }) => {
  const [, id, token] = WEBHOOK.exec(webhookUrl.trim()) ?? [];
  if (!id || !token) return finalRefusal(WEBHOOK_FORM, "webhookUrl");
  return readWebhook(fetch, id, token);
};

export const connectBot: LoginForm["connect"] = async (
  fetch,
  { botToken = "", channelId = "" },
) => {
  const token = BOT_TOKEN.exec(botToken.trim())?.[1];
  if (!token) {
    const words =
      "botToken must have three parts with dots: copy it from the page Bot of your app.";
    return finalRefusal(words, "botToken");
  }
  const id = CHANNEL.exec(channelId.trim())?.[1];
  if (!id) {
    const words = "channelId must be the number of a channel, or the link that Discord copies.";
    return finalRefusal(words, "channelId");
  }
  return readBot(fetch, token, id);
};

/** `pageId` of a caller with a token of their own is the channel's number. */
export const identify: Connector["identify"] = async (
  fetch,
  { accessToken, extra },
  { pageId },
) => {
  const account = pageId ?? extra?.account ?? "";
  const sender = readSender(account, accessToken, fetch);
  if (sender?.kind === "webhook") return readWebhook(fetch, sender.id, accessToken);
  return readBot(fetch, accessToken, sender?.id ?? CHANNEL.exec(account)?.[1] ?? null);
};

/** Logins do not end by themselves: a refused one is asked about once more. */
export const refresh: Connector["refresh"] = async (fetch, credentials, account) => {
  const pageId = account.platformAccountId;
  const known = await identify(fetch, credentials, { service: null, pageId });
  if (known.ok) return ok(credentials);
  const { message, final } = known.error;
  return refuse(final ? { message, final, isEnded: true } : { message, final });
};
