import * as z from "zod";
import { type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import { hidingFetch, withoutSecret } from "../kit/hidden-secrets.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, readRetryAfter, replyReader } from "../kit/replies.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { streamedFiles, type UnreadFile } from "../kit/streamed-form.ts";

const API = "https://api.telegram.org";
const MAX_REPLY_BYTES = 1_000_000;

export interface TelegramRefusal extends Refusal {
  /** A group's new id. */
  movedTo: string | null;
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, TelegramRefusal>>;

const problem = z.object({
  description: maybeText,
  parameters: z
    .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
    .optional()
    .catch(undefined),
});

function toRefusal(reply: Response, body: unknown): TelegramRefusal {
  const { description = null, parameters = {} } = problem.safeParse(body).data ?? {};
  const { retry_after, migrate_to_chat_id } = parameters;
  return {
    status: reply.status,
    message: messageOf("Telegram", reply, description),
    movedTo: migrate_to_chat_id === undefined ? null : String(migrate_to_chat_id),
    retryAfterSeconds: retry_after ?? readRetryAfter(reply),
  };
}

const { readerOf } = replyReader(MAX_REPLY_BYTES, toRefusal);

export interface Login {
  fetch: Fetch;
  accessToken: string;
}

type Parameters = Readonly<Record<string, unknown>>;

const addressOf = (token: string): string =>
  `bot${encodeURIComponent(token).replaceAll("%3A", ":")}`;

function toRequest(address: string, parameters: Parameters, files: UnreadFile[]): Request {
  const init = { method: "POST", redirect: "manual" } as const;
  if (files.length === 0) {
    const headers = { "content-type": "application/json" };
    return new Request(address, { ...init, headers, body: JSON.stringify(parameters) });
  }
  const texts = Object.entries(parameters).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
  }));
  const { body, contentType } = streamedFiles(texts, files);
  return new Request(address, { ...init, headers: { "content-type": contentType }, body });
}

/** @see https://core.telegram.org/bots/api#making-requests */
const method = <T>(name: string, result: z.ZodType<T>) => {
  const read = readerOf(field("result", result));
  return async (
    { fetch, accessToken }: Login,
    parameters: Parameters = {},
    files: UnreadFile[] = [],
  ): Reading<T> => {
    const bot = addressOf(accessToken);
    const request = toRequest(`${API}/${bot}/${name}`, parameters, files);
    const reply = await read(await hidingFetch(fetch, bot)(request));
    if (reply.ok) return reply;
    return refuse({ ...reply.error, message: withoutSecret(reply.error.message, bot) });
  };
};

/** @see https://core.telegram.org/bots/api#getme */
export const getMe = method(
  "getMe",
  z.object({ id: z.int(), first_name: maybeText, username: maybeText }),
);

const chat = z.object({
  id: z.int(),
  type: z.string(),
  title: maybeText,
  username: maybeText,
  permissions: z.object({ can_send_messages: z.boolean().optional() }).nullish(),
});

export type Chat = z.output<typeof chat>;

/** @see https://core.telegram.org/bots/api#getchat */
export const getChat = method("getChat", chat);

const member = z.object({
  status: z.string(),
  is_member: z.boolean().optional(),
  can_post_messages: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});

export type Member = z.output<typeof member>;

/** @see https://core.telegram.org/bots/api#getchatmember */
export const getChatMember = method("getChatMember", member);

/** @see https://core.telegram.org/bots/api#getchatmembercount */
export const getChatMemberCount = method("getChatMemberCount", z.int().min(0));

/** `message_id` is 0 while Telegram holds the message back. */
const message = z.object({
  message_id: z.int().min(0),
  chat: z.object({ id: z.int(), type: z.string(), username: maybeText }),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
});

export type SentMessage = z.output<typeof message>;

const one = message.transform((sent) => [sent]);

/** @see https://core.telegram.org/bots/api#sendmessage */
export const sendMessage = method("sendMessage", one);

/** @see https://core.telegram.org/bots/api#sendphoto */
export const SENDERS = {
  photo: method("sendPhoto", one),
  video: method("sendVideo", one),
  animation: method("sendAnimation", one),
  document: method("sendDocument", one),
};

/** @see https://core.telegram.org/bots/api#sendmediagroup */
export const sendMediaGroup = method("sendMediaGroup", z.array(message).min(1));

/** @see https://core.telegram.org/bots/api#editmessagetext */
export const EDITORS = {
  text: method("editMessageText", z.unknown()),
  caption: method("editMessageCaption", z.unknown()),
};

/**
 * Skips messages that are gone.
 * @see https://core.telegram.org/bots/api#deletemessages
 */
export const deleteMessages = method("deleteMessages", z.boolean());
