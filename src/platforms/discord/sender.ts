import type { Fetch, PublishAccount } from "../connector.ts";

/** A webhook's address holds its token; a bot sends its own. */
export interface Caller {
  kind: "webhook" | "bot";
  token: string;
  fetch: Fetch;
}

export interface Sender extends Caller {
  guildId: string;
  /** Of the webhook, or of the bot's channel. */
  id: string;
  /** False for webhooks, which are not told. */
  isForum: boolean;
}

const ACCOUNT = /^(webhooks|channels|forums)\/(\d{1,20})\/(\d{1,20})$/;

/** It becomes a part of addresses. */
const WEBHOOK_TOKEN = /^[\w-]+$/;

/** @param accountId `webhooks/<server>/<webhook>`; `channels/<server>/<channel>` or `forums/…` for a bot */
export function readSender(accountId: string, token: string, fetch: Fetch): Sender | null {
  const [, room, guildId = "", id = ""] = ACCOUNT.exec(accountId) ?? [];
  if (room === undefined) return null;
  const kind = room === "webhooks" ? "webhook" : "bot";
  if (kind === "webhook" && !WEBHOOK_TOKEN.test(token)) return null;
  return { kind, token, fetch, guildId, id, isForum: room === "forums" };
}

export function senderOf(login: {
  account: Pick<PublishAccount, "platformAccountId">;
  accessToken: string;
  fetch: Fetch;
}): Sender {
  const sender = readSender(login.account.platformAccountId, login.accessToken, login.fetch);
  if (!sender) throw new Error("The account's id names neither a webhook nor a channel.");
  return sender;
}

/** A message in a thread is named with it. */
export interface MessagePlace {
  threadId: string | null;
  messageId: string;
}

/** @param id `<message>` in the account's own channel, `<thread>/<message>` in a thread */
export function readPlace(id: string): MessagePlace {
  const [messageId = "", threadId = null] = id.split("/").reverse();
  return { threadId, messageId };
}

export const writePlace = ({ threadId, messageId }: MessagePlace): string =>
  threadId === null ? messageId : `${threadId}/${messageId}`;

/** Where messages are, or the one with `messageId`. Without `wait`, a webhook does not say whether it stored one. */
export function messagesPath(
  { kind, id, token }: Sender,
  { threadId, messageId }: Partial<MessagePlace>,
): string {
  const one = messageId === undefined ? "" : `/${messageId}`;
  if (kind === "bot") return `/channels/${threadId ?? id}/messages${one}`;
  const query = new URLSearchParams(threadId ? { thread_id: threadId } : {});
  if (one === "") query.set("wait", "true");
  const search = query.size === 0 ? "" : `?${query}`;
  return `/webhooks/${id}/${token}${one === "" ? "" : `/messages${one}`}${search}`;
}
