import { ok, type Result, refuse } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import { finalRefusal, toProfile } from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal, LoginValues } from "../login.ts";
import { getChat, getChatMember, getMe, type Login, type TelegramRefusal, TOKEN } from "./api.ts";
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
function missingRight(
  {
    type,
    permissions,
  }: { type: string; permissions?: { can_send_messages?: boolean | undefined } | null | undefined },
  member: {
    status: string;
    is_member?: boolean | undefined;
    can_post_messages?: boolean | undefined;
    can_send_messages?: boolean | undefined;
  },
): string | null {
  const { status } = member;
  const isIn =
    status !== "left" && status !== "kicked" && !(status === "restricted" && !member.is_member);
  if (!isIn) return "The bot is not in the chat. Add it there, to a channel as an administrator.";
  if (type === "channel") {
    if (status === "creator" || (status === "administrator" && member.can_post_messages))
      return null;
    return 'The bot may not post in the channel. Make it an administrator there with the right "Post Messages".';
  }
  if (status === "creator" || status === "administrator") return null;
  const may = status === "restricted" ? member.can_send_messages : permissions?.can_send_messages;
  return may === false
    ? "The bot may not write in the group. Make it an administrator there, or let members send messages."
    : null;
}

function refusedChat({ message, movedTo, ...rest }: TelegramRefusal) {
  const refusal = { message, movedTo, ...rest };
  const advice =
    movedTo === null
      ? "Add the bot to the chat, and check the chat's id or name."
      : `The group became a supergroup. Send its new id: ${movedTo}.`;
  return refuse<LoginRefusal>({
    message: `Telegram does not show the chat to this bot: ${message}. ${advice}`,
    final: isFinal(refusal),
    ...(isFinal(refusal) ? { field: "chatId" } : {}),
  });
}

function refusedBot(refusal: TelegramRefusal) {
  if (!isTokenRefusal(refusal))
    return refuse<LoginRefusal>({ message: refusal.message, final: isFinal(refusal) });
  return refuse<LoginRefusal>({
    message: `Telegram does not take the bot's token: ${refusal.message}. Copy it again from @BotFather.`,
    final: true,
    isEnded: true,
    field: "botToken",
  });
}

const loginOf = (accessToken: string): Credentials => ({
  accessToken,
  refreshToken: null,
  expiresAt: null,
});

const notAToken = () =>
  finalRefusal(
    "This is no token of a bot: @BotFather gives one, such as 1234567890:AA….",
    "botToken",
  );

async function askBot(login: Login): ReturnType<typeof getMe> {
  return getMe(login);
}

async function connectChat(login: Login, chatId: string): Promise<Result<Connected, LoginRefusal>> {
  if (!TOKEN.test(login.accessToken)) return notAToken();
  const bot = await askBot(login);
  if (!bot.ok) return refusedBot(bot.error);
  const chat = await getChat(login, { chat_id: chatId });
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
  return ok({ profile, credentials: loginOf(login.accessToken) });
}

export async function connect(
  fetch: Fetch,
  { botToken = "", chatId = "" }: LoginValues,
): Promise<Result<Connected, LoginRefusal>> {
  const chat = readChatId(chatId);
  return chat.ok
    ? connectChat({ fetch, accessToken: botToken.trim() }, chat.value)
    : finalRefusal(chat.error, "chatId");
}

/** Without a chat, the bot itself. */
export const identify: Connector["identify"] = async (fetch, credentials, { pageId }) => {
  const login = { fetch, accessToken: credentials.accessToken };
  if (pageId !== null) return connectChat(login, pageId);
  if (!TOKEN.test(login.accessToken)) return notAToken();
  const bot = await askBot(login);
  if (!bot.ok) return refusedBot(bot.error);
  const { id, first_name, username } = bot.value;
  return ok({
    profile: toProfile({ id: String(id), name: first_name, handle: username }),
    credentials,
  });
};

export const adopt: Required<Connector>["adopt"] = async (fetch, credentials, options) => {
  if (options.pageId === null) {
    return finalRefusal("A bot is in many chats: send botToken and chatId instead.", "credentials");
  }
  const chat = readChatId(options.pageId);
  if (!chat.ok) return finalRefusal(chat.error, "pageId");
  return identify(fetch, credentials, { ...options, pageId: chat.value });
};

/** A bot's token has no end: Telegram is asked whether it still takes it. */
export const refresh: Connector["refresh"] = async (fetch, credentials) => {
  const bot = await askBot({ fetch, accessToken: credentials.accessToken });
  return bot.ok ? ok(credentials) : refusedBot(bot.error);
};
