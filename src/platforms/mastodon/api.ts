import * as z from "zod";
import { ok } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, replyReader } from "../kit/replies.ts";
import { bearerRequest, type Call } from "../kit/requests.ts";
import { maybeAddress, maybeText } from "../kit/shapes.ts";
import type { ServerLimits } from "../login.ts";

export const NAME = "Mastodon";

/** Statuses come with their author, cards and files. */
const MAX_REPLY_BYTES = 4_000_000;

export interface MastodonRefusal extends Refusal {
  /** OAuth's name of the error. */
  name: string | null;
  /** ISO date of the next calls. */
  resetsAt: string | null;
  retryAfter: string | null;
}

const errorBody = z.object({ error: maybeText, error_description: maybeText, message: maybeText });

export function toRefusal(reply: Response, body: unknown): MastodonRefusal {
  const error = reply.ok ? undefined : errorBody.safeParse(body).data;
  const name = error?.error?.trim() || null;
  return {
    status: reply.status,
    name,
    message: messageOf(NAME, reply, error?.error_description?.trim() || name || error?.message),
    resetsAt: reply.headers.get("x-ratelimit-reset"),
    retryAfter: reply.headers.get("retry-after"),
  };
}

export const { readBody, readReply, readerOf, readDoneReply } = replyReader(
  MAX_REPLY_BYTES,
  toRefusal,
);

/** Servers write their errors in the caller's language, and some refuse callers without a name. */
export const HEADERS = {
  accept: "application/json",
  "accept-language": "en",
  "user-agent": "Akimbo",
};

export const call = (server: string, path: string, accessToken: string, options: Call = {}) =>
  bearerRequest(server + path, accessToken, {
    ...options,
    headers: { ...HEADERS, ...options.headers },
  });

export const publicCall = (server: string, path: string): Request =>
  new Request(server + path, { headers: HEADERS, redirect: "manual" });

/** Servers that hide themselves from strangers want the token. */
export const instanceRequest = (
  server: string,
  version: "v1" | "v2",
  accessToken: string | null,
): Request => {
  const path = `/api/${version}/instance`;
  return accessToken === null ? publicCall(server, path) : call(server, path, accessToken);
};

/** Ids are digits at Mastodon, and letters at others. */
const id = z.string().regex(/^[\w-]{1,64}$/);

export const readVerifyReply = readerOf(
  z.object({
    id,
    username: z.string().min(1),
    display_name: maybeText,
    avatar: maybeText,
    url: maybeText,
    followers_count: z.number().int().nullish().catch(null),
  }),
);

/** @see https://docs.joinmastodon.org/methods/accounts/#verify_credentials */
export const verifyRequest = (server: string, accessToken: string): Request =>
  call(server, "/api/v1/accounts/verify_credentials", accessToken);

const amount = z.number().int().min(1).optional().catch(undefined);
const types = z.array(z.string().max(100)).max(200).optional().catch(undefined);

const configuration = z
  .object({
    statuses: z
      .object({
        max_characters: amount,
        max_media_attachments: amount,
        characters_reserved_per_url: amount,
      })
      .optional()
      .catch(undefined),
    media_attachments: z
      .object({
        supported_mime_types: types,
        description_limit: amount,
        image_size_limit: amount,
        video_size_limit: amount,
      })
      .optional()
      .catch(undefined),
    polls: z
      .object({
        max_options: amount,
        max_characters_per_option: amount,
        min_expiration: amount,
        max_expiration: amount,
      })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

const instance = z.looseObject({
  version: maybeText,
  configuration,
  /** Servers without `configuration`. */
  max_toot_chars: amount,
  description_limit: amount,
});

export type Instance = z.infer<typeof instance>;

export const readInstanceReply = readerOf(instance);

export function toLimits({ configuration, ...old }: Instance): ServerLimits {
  const { statuses, media_attachments: files, polls } = configuration ?? {};
  const named = {
    postCharacters: statuses?.max_characters ?? old.max_toot_chars,
    altTextCharacters: files?.description_limit ?? old.description_limit,
    linkCharacters: statuses?.characters_reserved_per_url,
    maxFiles: statuses?.max_media_attachments,
    imageMaxBytes: files?.image_size_limit,
    videoMaxBytes: files?.video_size_limit,
    mimeTypes: files?.supported_mime_types,
    pollOptions: polls?.max_options,
    pollOptionCharacters: polls?.max_characters_per_option,
    pollMinSeconds: polls?.min_expiration,
    pollMaxSeconds: polls?.max_expiration,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

const readAttachment = readerOf(z.object({ id }));

/** Accepted, and being processed. */
const PROCESSING = new Set([202, 206]);

export async function readAttachmentReply(reply: Response) {
  const read = await readAttachment(reply);
  return read.ok ? ok({ id: read.value.id, isReady: !PROCESSING.has(reply.status) }) : read;
}

/** @see https://docs.joinmastodon.org/methods/media/#get */
export const attachmentRequest = (server: string, accessToken: string, mediaId: string): Request =>
  call(server, `/api/v1/media/${mediaId}`, accessToken);

/** Servers differ in what they make of empty fields: what is not set is left out. */
export interface StatusBody {
  status?: string;
  media_ids?: string[];
  poll?: { options: string[]; expires_in: number; multiple?: true; hide_totals?: true };
  in_reply_to_id?: string;
  sensitive?: boolean;
  spoiler_text?: string;
  visibility?: string;
  language?: string;
}

/**
 * With the same key, the server answers the post that it already made; Mastodon remembers it for an hour.
 * @see https://docs.joinmastodon.org/methods/statuses/#create
 */
export const createRequest = (
  server: string,
  accessToken: string,
  { key, body }: { key: string; body: StatusBody },
): Request =>
  call(server, "/api/v1/statuses", accessToken, {
    json: body,
    headers: { "idempotency-key": key },
  });

const status = z.object({
  id,
  url: maybeAddress,
  uri: maybeAddress,
  created_at: z.string(),
  content: maybeText,
  text: maybeText,
  spoiler_text: maybeText,
  visibility: maybeText,
  sensitive: z.boolean().nullish().catch(null),
  language: maybeText,
  in_reply_to_id: id.nullish().catch(null),
  reblog: z.unknown().optional(),
  poll: z.unknown().optional(),
  media_attachments: z
    .array(z.object({ id, description: maybeText, meta: z.unknown().optional() }))
    .nullish()
    .catch([])
    .transform((files) => files ?? []),
});

export type Status = z.infer<typeof status>;

export const readStatusReply = readerOf(status);

export const statusPath = (statusId: string): string => `/api/v1/statuses/${statusId}`;

/** @see https://docs.joinmastodon.org/methods/statuses/#get */
export const statusRequest = (server: string, accessToken: string, statusId: string): Request =>
  call(server, statusPath(statusId), accessToken);

export const readSourceReply = readerOf(z.object({ text: z.string(), spoiler_text: maybeText }));

/** @see https://docs.joinmastodon.org/methods/statuses/#source */
export const sourceRequest = (server: string, accessToken: string, statusId: string): Request =>
  call(server, `${statusPath(statusId)}/source`, accessToken);

/** Most that Mastodon lists at once. */
export const LISTED = 40;

export const readStatusesReply = readerOf(z.array(status));

/**
 * The newest first.
 * @see https://docs.joinmastodon.org/methods/accounts/#statuses
 */
export function statusesRequest(
  server: string,
  accessToken: string,
  accountId: string,
  olderThan: string | null = null,
): Request {
  const query = new URLSearchParams({ limit: String(LISTED), exclude_reblogs: "true" });
  if (olderThan !== null) query.set("max_id", olderThan);
  return call(server, `/api/v1/accounts/${accountId}/statuses?${query}`, accessToken);
}
