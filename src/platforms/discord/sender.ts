import type { Fetch, PublishAccount } from "../connector.ts";

/** Each call has what it needs: a webhook's address holds its token, a bot sends its own. */
export type Sender =
  | { kind: "webhook"; guildId: string; webhookId: string; token: string }
  | { kind: "bot"; guildId: string; channelId: string; token: string };

export interface Login {
  account: Pick<PublishAccount, "platformAccountId">;
  accessToken: string;
}

const ACCOUNT = /^(webhooks|channels)\/(\d{1,20})\/(\d{1,20})$/;

/** It becomes a part of addresses. */
const WEBHOOK_TOKEN = /^[\w-]+$/;

/** @param accountId `webhooks/<server>/<webhook>`, or `channels/<server>/<channel>` for a bot */
export function readSender(accountId: string, token: string): Sender | null {
  const [, kind, guildId = "", id = ""] = ACCOUNT.exec(accountId) ?? [];
  if (kind === "channels") return { kind: "bot", guildId, channelId: id, token };
  const isWebhook = kind === "webhooks" && WEBHOOK_TOKEN.test(token);
  return isWebhook ? { kind: "webhook", guildId, webhookId: id, token } : null;
}

export const isBot = (accountId: string | undefined): boolean =>
  accountId?.startsWith("channels/") ?? false;

export function senderOf({ account, accessToken }: Login): Sender {
  const sender = readSender(account.platformAccountId, accessToken);
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

/** Source: Discord, "Reference", snowflakes. */
const EPOCH_MS = 1_420_070_400_000;
const TIME_BITS = 22n;

export const firstIdAt = (at: Date): bigint => BigInt(at.getTime() - EPOCH_MS) << TIME_BITS;

/** Epoch milliseconds of an id. */
export const timeOf = (id: string): number => Number(BigInt(id) >> TIME_BITS) + EPOCH_MS;

/** An error of the network may repeat the address, which holds a webhook's token. */
export async function send(
  { fetch, accessToken }: { fetch: Fetch; accessToken: string },
  request: Request,
): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof Error && error.message.includes(accessToken)) {
      error.message = error.message.replaceAll(accessToken, "[hidden]");
    }
    throw error;
  }
}
