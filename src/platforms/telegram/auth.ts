import { ok, type Result, refuse } from "../../core/result.ts";
import { asSentence } from "../../core/text.ts";
import type { Connector, Fetch } from "../connector.ts";
import { finalRefusal, toProfile } from "../kit/logins.ts";
import type { Connected, LoginRefusal, LoginValues } from "../login.ts";
import {
  type Chat,
  getChat,
  getChatMember,
  getMe,
  type Login,
  type Member,
  type TelegramRefusal,
} from "./api.ts";
import { isTokenRefusal, judge } from "./failures.ts";

const isFinal = (refusal: TelegramRefusal): boolean =>
  refusal.status < 500 && !judge.isTemporary(refusal);

const INVITE = /(?:^|\/)(?:\+|joinchat\/)/;
const LINK = /^(?:https?:\/\/)?(?:www\.)?(?:t|telegram)\.me\/(?:s\/)?/i;
const NAME = /^@?([a-z]\w{3,31})$/i;

const HOW = "Send -100…, @name, t.me/name, or the link of a message, such as t.me/c/1234567890/42.";

/** The error says what is wrong, and what to send. */
export function readChatId(text: string): Result<string, string> {
  const written = text.trim();
  const path = written.replace(LINK, "");
  if (INVITE.test(path)) return refuse(`An invitation link does not name the chat. ${HOW}`);
  const [, privateId] = /^c\/(\d{1,15})(?:\/|$)/.exec(path) ?? [];
  if (privateId !== undefined) return ok(`-100${privateId}`);
  if (/^-\d{1,16}$/.test(path)) return ok(path);
  if (/^\d+$/.test(path)) {
    return refuse(
      `${path.slice(0, 20)} is the id of a person. Ids of groups and channels begin with a minus. ${HOW}`,
    );
  }
  const [, name] = NAME.exec(path.split(/[/?]/)[0] ?? "") ?? [];
  return name === undefined ? refuse(`This names no chat. ${HOW}`) : ok(`@${name}`);
}

/** Null when the bot may post. */
function missingRight({ type, permissions }: Chat, member: Member): string | null {
  const { status } = member;
  if (status === "creator") return null;
  const isOutside = status === "restricted" && !member.is_member;
  if (status === "left" || status === "kicked" || isOutside) {
    return "The bot is not in the chat. Add it there, to a channel as an administrator.";
  }
  if (type === "channel") {
    return status === "administrator" && member.can_post_messages
      ? null
      : 'The bot may not post in the channel. Make it an administrator there with the right "Post Messages".';
  }
  if (status === "administrator") return null;
  const { can_send_messages } = status === "restricted" ? member : (permissions ?? {});
  return can_send_messages === false
    ? "The bot may not write in the group. Make it an administrator there, or let members send messages."
    : null;
}

function refusedChat(refusal: TelegramRefusal) {
  const { message, movedTo } = refusal;
  const final = isFinal(refusal);
  const advice =
    movedTo === null
      ? "Add the bot to the chat, and check the chat's id or name."
      : `The group became a supergroup. Send its new id: ${movedTo}.`;
  return refuse<LoginRefusal>({
    message: `Telegram does not show the chat to this bot: ${asSentence(message)} ${advice}`,
    final,
    ...(final ? { field: "chatId" } : {}),
  });
}

function refusedBot(refusal: TelegramRefusal) {
  if (!isTokenRefusal(refusal)) {
    return refuse<LoginRefusal>({ message: refusal.message, final: isFinal(refusal) });
  }
  return refuse<LoginRefusal>({
    message: `Telegram does not take the bot's token: ${asSentence(refusal.message)} Copy it again from @BotFather.`,
    final: true,
    isEnded: true,
    field: "botToken",
  });
}

/** @param chatId of a chat that was connected before, or as people write it */
async function connectChat(
  login: Login,
  chatId: string | undefined,
): Promise<Result<Connected, LoginRefusal>> {
  const written = chatId === undefined ? null : readChatId(chatId);
  if (written?.ok === false) return finalRefusal(written.error, "chatId");
  const bot = await getMe(login);
  if (!bot.ok) return refusedBot(bot.error);
  if (written === null) {
    return finalRefusal("A bot is in many chats: send botToken and chatId.", "chatId");
  }
  const chat = await getChat(login, { chat_id: written.value });
  if (!chat.ok) return refusedChat(chat.error);
  const { id, type, title, username } = chat.value;
  if (type === "private") {
    return finalRefusal(`This is a chat with a person, not a channel or a group. ${HOW}`, "chatId");
  }
  const member = await getChatMember(login, { chat_id: id, user_id: bot.value.id });
  if (!member.ok) return refusedChat(member.error);
  const missing = missingRight(chat.value, member.value);
  if (missing !== null) return finalRefusal(missing, "chatId");
  const profile = toProfile({ id: String(id), name: title, handle: username });
  const { accessToken } = login;
  const extra = { chatId: String(id) };
  return ok({ profile, credentials: { accessToken, refreshToken: null, expiresAt: null, extra } });
}

export const connect = (fetch: Fetch, { botToken = "", chatId }: LoginValues) =>
  connectChat({ fetch, accessToken: botToken.trim() }, chatId);

export const identify: Connector["identify"] = (fetch, { accessToken, extra }, { pageId }) =>
  connectChat({ fetch, accessToken }, pageId ?? extra?.chatId);

/** A bot's token has no end: Telegram is asked whether it still takes it. */
export const refresh: Connector["refresh"] = async (fetch, credentials) => {
  const bot = await getMe({ fetch, accessToken: credentials.accessToken });
  return bot.ok ? ok(credentials) : refusedBot(bot.error);
};
