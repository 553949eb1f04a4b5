import * as z from "zod";
import type { Result } from "../../core/result.ts";
import { VERSION } from "../../core/version.ts";
import { hidingFetch } from "../kit/hidden-secrets.ts";
import { counter, list } from "../kit/metrics.ts";
import type { Refusal } from "../kit/refusals.ts";
import { capped, messageOf, readRetryAfter, replyReader, toWait } from "../kit/replies.ts";
import type { Call } from "../kit/requests.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { apiVersion } from "./capabilities.ts";
import { type Caller, type MessagePlace, messagesPath, type Sender } from "./sender.ts";

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

const { readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

export type Reading<T> = Promise<Result<T, DiscordRefusal>>;

function send(
  { kind, token, fetch }: Caller,
  path: string,
  { json, method = json ? "POST" : "GET", headers, body }: Call = {},
): Promise<Response> {
  const request = new Request(`${API}${path}`, {
    method,
    headers: {
      "user-agent": USER_AGENT,
      ...(kind === "bot" ? { authorization: `Bot ${token}` } : {}),
      ...(json ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body: json ? JSON.stringify(json) : body,
    redirect: "manual",
  });
  return hidingFetch(fetch, token)(request);
}

const reading = <C extends Caller, A extends unknown[], T>(
  pathOf: (caller: C, ...more: A) => string,
  shape: z.ZodType<T>,
) => {
  const read = readerOf(shape);
  return async (caller: C, ...more: A): Reading<T> =>
    read(await send(caller, pathOf(caller, ...more)));
};

const id = z.string().regex(/^\d{1,20}$/);

/** @see https://docs.discord.com/developers/resources/webhook#get-webhook-with-token */
export const getWebhook = reading(
  ({ token }: Caller, webhookId: string) => `/webhooks/${webhookId}/${token}`,
  z.object({ id, type: z.number(), guild_id: id.nullish(), name: maybeText, avatar: maybeText }),
);

/** @see https://docs.discord.com/developers/resources/user#get-current-user */
export const getMe = reading(
  (_: Caller) => "/users/@me",
  z.object({ id, username: z.string(), avatar: maybeText }),
);

/** @see https://docs.discord.com/developers/resources/channel#get-channel */
export const getChannel = reading(
  (_: Caller, channelId: string) => `/channels/${channelId}`,
  z.object({
    id,
    type: z.number(),
    guild_id: id.nullish(),
    parent_id: id.nullish(),
    name: maybeText,
  }),
);

export const avatarOf = (ownerId: string, hash: string | null): string | null =>
  hash !== null && /^\w+$/.test(hash) ? `${CDN}/avatars/${ownerId}/${hash}.png` : null;

/** @see https://docs.discord.com/developers/resources/guild#get-guild */
export const getMemberCount = reading(
  ({ guildId }: Sender) => `/guilds/${guildId}?with_counts=true`,
  field("approximate_member_count", counter),
);

const message = z.object({ id, channel_id: id });

export type SentMessage = z.output<typeof message>;

export const readMessageReply = readerOf(message);

type Content = Pick<Call, "json" | "headers" | "body">;

export const createMessage = async (
  sender: Sender,
  threadId: string | null,
  content: Content,
): Reading<SentMessage> =>
  readMessageReply(
    await send(sender, messagesPath(sender, { threadId }), { method: "POST", ...content }),
  );

const readThreadReply = readerOf(field("message", message));

/** @see https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel */
export const createThread = async (sender: Sender, content: Content): Reading<SentMessage> =>
  readThreadReply(
    await send(sender, `/channels/${sender.id}/threads`, { method: "POST", ...content }),
  );

const messagePath = (sender: Sender, place: MessagePlace): string => messagesPath(sender, place);

export const getContent = reading(messagePath, field("content", z.string()));

export const deleteMessage = async (sender: Sender, place: MessagePlace): Reading<null> =>
  readDoneReply(await send(sender, messagePath(sender, place), { method: "DELETE" }));

/** Without `allowed_mentions`, an edit notifies everybody that it mentions. */
export async function editMessage(
  sender: Sender,
  place: MessagePlace,
  content: string,
): Reading<null> {
  const json = { content, allowed_mentions: { parse: [] } };
  return readDoneReply(await send(sender, messagePath(sender, place), { method: "PATCH", json }));
}

/** Newest first, for a bot. Empty where it lacks the permission Read Message History. */
const listPath = (sender: Sender, threadId: string | null, before: string | null): string =>
  `${messagesPath(sender, { threadId })}?limit=${LIST_LIMIT}${before === null ? "" : `&before=${before}`}`;

const listed = z.object({
  id,
  author: z.object({ id }),
  content: z.string(),
  nonce: z.union([z.string(), z.number()]).nullish(),
  attachments: z.array(z.unknown()).default([]),
});

export type ListedMessage = z.output<typeof listed>;

export const listMessages = reading(listPath, z.array(listed));

export const listMeasured = reading(listPath, list);

/** Discord leaves `reactions` out where there are none. */
export const measured = z.object({
  id,
  reactions: z.array(z.object({ count: counter })).default([]),
});
