import { type Several, toDiscord, toPlainChat, toSlack, toTelegram } from "./chat-words.ts";

export type ChatKind = "slack" | "discord" | "telegram" | "other";

const DISCORD_HOST = /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/;

/** Telegram's address is that of the bot's call, with the chat in it: api.telegram.org/bot<token>/sendMessage?chat_id=<chat>. */
export function chatKindOf(address: string): ChatKind {
  const url = URL.parse(address);
  if (url?.hostname === "hooks.slack.com") return "slack";
  // Discord takes Slack's messages at an address of their own.
  if (url && DISCORD_HOST.test(url.hostname)) {
    return /\/slack\/?$/.test(url.pathname) ? "slack" : "discord";
  }
  return url?.hostname === "api.telegram.org" ? "telegram" : "other";
}

/** Why an address cannot work; null for one that may. */
export function chatRefusal(address: string): string | null {
  const url = URL.parse(address);
  if (!url) return null;
  if (
    chatKindOf(address) === "discord" &&
    !/^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/.test(url.pathname)
  ) {
    return "must be the address of a webhook of Discord: discord.com/api/webhooks/…";
  }
  if (chatKindOf(address) !== "telegram") return null;
  const isCall = /^\/bot\d+:[\w-]+\/sendMessage$/.test(url.pathname);
  return isCall && url.searchParams.get("chat_id")
    ? null
    : "must be https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>";
}

interface ChatMessage {
  url: string;
  body: object;
}

export function toMessage(address: string, all: Several): ChatMessage {
  const kind = chatKindOf(address);
  if (kind === "slack") return { url: address, body: toSlack(all) };
  if (kind === "discord") return { url: address, body: toDiscord(all) };
  if (kind === "other") return { url: address, body: toPlainChat(all) };
  const { origin, pathname, searchParams } = new URL(address);
  const thread = searchParams.get("message_thread_id");
  const to = {
    chat_id: searchParams.get("chat_id"),
    ...(thread === null ? {} : { message_thread_id: Number(thread) }),
  };
  return { url: origin + pathname, body: { ...to, ...toTelegram(all) } };
}

const MAX_REASON = 200;

/** What a chat says about a message that it refused. */
export function reasonIn(answer: string): string | null {
  try {
    const { description, message } = JSON.parse(answer) as Record<string, unknown>;
    const reason = [description, message].find((one) => typeof one === "string");
    return typeof reason === "string" ? reason.slice(0, MAX_REASON) : null;
  } catch {
    // Slack answers a word, such as no_service. A page of HTML says nothing.
    return /^[a-z_]{1,60}$/.test(answer.trim()) ? answer.trim() : null;
  }
}

/** Telegram and Discord name the seconds to wait in the body. */
export function secondsToWait(answer: string): number {
  try {
    const { parameters, retry_after } = JSON.parse(answer) as {
      parameters?: { retry_after?: unknown };
      retry_after?: unknown;
    };
    const seconds = Number(parameters?.retry_after ?? retry_after);
    return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : 0;
  } catch {
    return 0;
  }
}
