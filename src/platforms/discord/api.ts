import * as z from "zod";
import { VERSION } from "../../core/version.ts";
import { counter } from "../kit/metrics.ts";
import type { Refusal } from "../kit/refusals.ts";
import { capped, messageOf, readRetryAfter, replyReader, toWait } from "../kit/replies.ts";
import type { Call } from "../kit/requests.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { apiVersion } from "./capabilities.ts";
import type { MessagePlace, Sender } from "./sender.ts";

const API = `https://discord.com/api/${apiVersion.version}`;
const CDN = "https://cdn.discordapp.com";

/** Discord may block other agents. Source: Discord, "Reference", user agent. */
const USER_AGENT = `DiscordBot (https://akimbo.example.com, ${VERSION})`;

const MAX_REPLY_BYTES = 4 * 1_024 ** 2;

/** The most messages of one answer. Source: Discord, "Message Resource". */
export const LIST_LIMIT = 100;

export interface DiscordRefusal extends Refusal {
  /** Null where another server than the API answered. */
  code: number | null;
  retryAfterSeconds: number | null;
  /** An answer without the API's headers: Discord's edge refuses the address of the caller. */
  isBan: boolean;
}

const errorBody = z.object({
  code: z.number().nullish().catch(null),
  message: maybeText,
  retry_after: z.number().nonnegative().nullish().catch(null),
  errors: z.unknown().optional(),
});

const MAX_DEPTH = 8;

/** The sentences of a form's refusal, each behind the name of its field. */
function fieldErrors(errors: unknown, path: string[] = []): string[] {
  if (typeof errors !== "object" || errors === null || path.length > MAX_DEPTH) return [];
  return Object.entries(errors).flatMap(([name, inner]) => {
    if (name !== "_errors") return fieldErrors(inner, [...path, name]);
    const messages = z.array(z.object({ message: z.string() })).safeParse(inner).data ?? [];
    return messages.map(({ message }) => `${path.join(".")}: ${message}`);
  });
}

function toRefusal(reply: Response, body: unknown): DiscordRefusal {
  const error = reply.ok ? undefined : errorBody.safeParse(body).data;
  const message = messageOf("Discord", reply, error?.message);
  const seconds = error?.retry_after ?? readRetryAfter(reply);
  return {
    status: reply.status,
    code: error?.code ?? null,
    message: capped([message, ...fieldErrors(error?.errors)].join(" ")),
    retryAfterSeconds: seconds === null ? null : toWait(seconds),
    isBan: ![...reply.headers.keys()].some((name) => name.startsWith("x-ratelimit-")),
  };
}

export const { readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

function call(
  sender: Pick<Sender, "kind" | "token">,
  path: string,
  { json, method = json ? "POST" : "GET", headers, body }: Call = {},
): Request {
  return new Request(`${API}${path}`, {
    method,
    headers: {
      "user-agent": USER_AGENT,
      ...(sender.kind === "bot" ? { authorization: `Bot ${sender.token}` } : {}),
      ...(json ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body: json ? JSON.stringify(json) : body,
    redirect: "manual",
  });
}

const id = z.string().regex(/^\d{1,20}$/);

/** @see https://docs.discord.com/developers/resources/webhook#get-webhook-with-token */
export const getWebhookRequest = (webhookId: string, token: string): Request =>
  call({ kind: "webhook", token }, `/webhooks/${webhookId}/${token}`);

export const readWebhookReply = readerOf(
  z.object({ id, type: z.number(), guild_id: id.nullish(), name: maybeText, avatar: maybeText }),
);

/** @see https://docs.discord.com/developers/resources/user#get-current-user */
export const getMeRequest = (token: string): Request => call({ kind: "bot", token }, "/users/@me");

export const readMeReply = readerOf(z.object({ id, username: z.string(), avatar: maybeText }));

/** @see https://docs.discord.com/developers/resources/channel#get-channel */
export const getChannelRequest = (token: string, channelId: string): Request =>
  call({ kind: "bot", token }, `/channels/${channelId}`);

const channel = z.object({
  id,
  type: z.number(),
  guild_id: id.nullish(),
  parent_id: id.nullish(),
  name: maybeText,
});

export type Channel = z.output<typeof channel>;

export const readChannelReply = readerOf(channel);

export const avatarOf = (ownerId: string, hash: string | null): string | null =>
  hash !== null && /^\w+$/.test(hash) ? `${CDN}/avatars/${ownerId}/${hash}.png` : null;

/** @see https://docs.discord.com/developers/resources/guild#get-guild */
export const getGuildRequest = ({ token, guildId }: Sender): Request =>
  call({ kind: "bot", token }, `/guilds/${guildId}?with_counts=true`);

export const readMemberCountReply = readerOf(field("approximate_member_count", counter));

/** @see https://docs.discord.com/developers/resources/guild#list-active-guild-threads */
export const getActiveThreadsRequest = ({ token, guildId }: Sender): Request =>
  call({ kind: "bot", token }, `/guilds/${guildId}/threads/active`);

export const readActiveThreadsReply = readerOf(
  field(
    "threads",
    z.array(z.object({ id, parent_id: id.nullish(), owner_id: id.nullish(), name: maybeText })),
  ),
);

const withThread = (path: string, threadId: string | null, query: string[] = []): string => {
  const all = [...query, ...(threadId === null ? [] : [`thread_id=${threadId}`])];
  return all.length === 0 ? path : `${path}?${all.join("&")}`;
};

/** Without `wait`, a webhook does not say whether the message was stored. */
export function createMessageRequest(
  sender: Sender,
  threadId: string | null,
  content: Pick<Call, "json" | "headers" | "body">,
): Request {
  const path =
    sender.kind === "webhook"
      ? withThread(`/webhooks/${sender.webhookId}/${sender.token}`, threadId, ["wait=true"])
      : `/channels/${threadId ?? sender.channelId}/messages`;
  return call(sender, path, { method: "POST", ...content });
}

const message = z.object({ id, channel_id: id });

export type SentMessage = z.output<typeof message>;

export const readMessageReply = readerOf(message);

/** @see https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel */
export const createThreadRequest = (
  token: string,
  channelId: string,
  content: Pick<Call, "json" | "headers" | "body">,
): Request =>
  call({ kind: "bot", token }, `/channels/${channelId}/threads`, { method: "POST", ...content });

export const readCreateThreadReply = readerOf(field("message", message));

function ownMessageRequest(
  sender: Sender,
  { threadId, messageId }: MessagePlace,
  content: Pick<Call, "json" | "method"> = {},
): Request {
  const path =
    sender.kind === "webhook"
      ? withThread(`/webhooks/${sender.webhookId}/${sender.token}/messages/${messageId}`, threadId)
      : `/channels/${threadId ?? sender.channelId}/messages/${messageId}`;
  return call(sender, path, content);
}

export const getMessageRequest = (sender: Sender, place: MessagePlace): Request =>
  ownMessageRequest(sender, place);

export const readContentReply = readerOf(field("content", z.string()));

/** Discord leaves `reactions` out where there are none. */
export const measured = z.object({
  id,
  reactions: z.array(z.object({ count: counter })).default([]),
});

export type MeasuredMessage = z.output<typeof measured>;

export const readMeasuredReply = readerOf(measured);

export const deleteMessageRequest = (sender: Sender, place: MessagePlace): Request =>
  ownMessageRequest(sender, place, { method: "DELETE" });

/** Without `allowed_mentions`, an edit notifies everybody that it mentions. */
export const editMessageRequest = (sender: Sender, place: MessagePlace, content: string): Request =>
  ownMessageRequest(sender, place, {
    method: "PATCH",
    json: { content, allowed_mentions: { parse: [] } },
  });

/** Newest first, for a bot. Empty where it lacks the permission Read Message History. */
export function listMessagesRequest(
  token: string,
  channelId: string,
  before: string | null,
): Request {
  const query = `limit=${LIST_LIMIT}${before === null ? "" : `&before=${before}`}`;
  return call({ kind: "bot", token }, `/channels/${channelId}/messages?${query}`);
}

const listed = z.object({
  id,
  author: z.object({ id }),
  content: z.string(),
  nonce: z.union([z.string(), z.number()]).nullish(),
  attachments: z.array(z.unknown()).default([]),
});

export type ListedMessage = z.output<typeof listed>;

export const readListReply = readerOf(z.array(listed));

/** Items are parsed one by one. */
export const readAnyListReply = readerOf(z.array(z.unknown()));
