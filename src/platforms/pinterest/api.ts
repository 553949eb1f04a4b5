import * as z from "zod";
import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { SECOND } from "../../core/time.ts";
import { parseJson, readText } from "../kit/replies.ts";
import { VERSIONS } from "../versions.ts";

export const API = `https://api.pinterest.com/${VERSIONS.pinterest.version}`;

/** The longest replies are pages of 250 boards, each with the addresses of its pictures. */
const MAX_REPLY_BYTES = 2 * 1_024 * 1_024;
const MAX_MESSAGE_CHARACTERS = 500;

/** An answer other than the hoped for one: a refusal, or a 2xx that cannot be read. */
export interface PinterestRefusal {
  status: number;
  /** Pinterest's own number; null when the body named none. */
  code: number | null;
  /** Pinterest's own wording, else a sentence with the status. At most 500 characters. */
  message: string;
  /** Until calls are taken again; null when that was not said. */
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, PinterestRefusal>>;

const errorBody = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** A moment instead of a number of seconds: no wait is this long. */
const EPOCH_SECONDS = 1_000_000_000;
const MAX_WAIT_SECONDS = 86_400;

/** Neither header is promised, so either is believed. */
function readWait(headers: Headers): number | null {
  const told = headers.get("retry-after") ?? headers.get("x-ratelimit-reset") ?? "";
  if (!/^\d{1,10}$/.test(told)) return null;
  const value = Number(told);
  const seconds = value < EPOCH_SECONDS ? value : Math.ceil(value - now().getTime() / SECOND);
  return Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS);
}

export function toRefusal(reply: Response, code: number | undefined, message: string | undefined) {
  const fallback = reply.ok
    ? `Pinterest answered HTTP ${reply.status} with a body that cannot be read.`
    : `Pinterest answered HTTP ${reply.status}.`;
  return refuse<PinterestRefusal>({
    status: reply.status,
    code: code ?? null,
    message: (message?.trim() || fallback).slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
    retryAfterSeconds: readWait(reply.headers),
  });
}

/** The body of a success in its shape, else the refusal. */
export async function readReply<T>(reply: Response, shape: z.ZodType<T>): Reading<T> {
  const body = parseJson(await readText(reply, MAX_REPLY_BYTES));
  const parsed = reply.ok ? shape.safeParse(body) : undefined;
  if (parsed?.success) return ok(parsed.data);
  const error = reply.ok ? undefined : errorBody.safeParse(body).data;
  return toRefusal(reply, error?.code, error?.message);
}

/** A redirect could carry the token to somebody else, so none is followed. */
export const get = (path: string, accessToken: string, query?: URLSearchParams): Request =>
  new Request(`${API}${path}${query ? `?${query}` : ""}`, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: "manual",
  });

const postJson = (path: string, accessToken: string, body: BodyInit): Request =>
  new Request(API + path, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body,
    redirect: "manual",
  });

const post = (path: string, accessToken: string, body: object): Request =>
  postJson(path, accessToken, JSON.stringify(body));

/** @see https://developers.pinterest.com/docs/api/v5/media-create */
export const registerVideoRequest = (accessToken: string): Request =>
  post("/media", accessToken, { media_type: "video" });

const MEDIA_ID = z.string().regex(/^[\w-]{1,64}$/);

/** Names and values become parts of a form, so a name may hold nothing that ends one. */
const uploadFields = z
  .record(z.string().regex(/^[\w-]{1,64}$/), z.string().max(10_000))
  .refine((fields) => Object.keys(fields).length <= 30, { error: "has too many fields" });

const registered = z
  .object({
    media_id: MEDIA_ID,
    upload_url: z.url({ protocol: /^https$/ }),
    upload_parameters: uploadFields,
  })
  .transform((data) => ({
    mediaId: data.media_id,
    uploadUrl: data.upload_url,
    fields: data.upload_parameters,
  }));

export type RegisteredVideo = z.output<typeof registered>;

export const readRegisterVideoReply = (reply: Response): Reading<RegisteredVideo> =>
  readReply(reply, registered);

/** @see https://developers.pinterest.com/docs/api/v5/media-get */
export const getMediaRequest = (accessToken: string, mediaId: string): Request =>
  get(`/media/${mediaId}`, accessToken);

/** `registered`, `processing`, `succeeded` or `failed`. */
export const readGetMediaReply = (reply: Response): Reading<{ status: string }> =>
  readReply(reply, z.object({ status: z.string().min(1) }));

/** Where the picture of a pin comes from. */
export type MediaSource =
  | { source_type: "image_url"; url: string }
  | { source_type: "multiple_image_urls"; items: { url: string }[]; index: number }
  | { source_type: "video_id"; media_id: string; cover_image_key_frame_time: number };

export interface NewPin {
  board_id: string;
  title: string;
  description?: string;
  link?: string;
  alt_text?: string;
  media_source: MediaSource;
}

/**
 * The call that makes a pin.
 *
 * @see https://developers.pinterest.com/docs/api/v5/pins-create
 */
export const createPinRequest = (accessToken: string, pin: NewPin): Request =>
  postPin(accessToken, JSON.stringify(pin));

/** The same with a body that is JSON already. */
export const postPin = (accessToken: string, body: BodyInit): Request =>
  postJson("/pins", accessToken, body);

const PIN_ID = z.string().regex(/^[\w-]{1,128}$/);

/** The id of the pin. */
export const readCreatePinReply = (reply: Response): Reading<{ id: string }> =>
  readReply(reply, z.object({ id: PIN_ID }));

/** Pins of one page. Source: Pinterest, "List Pins on board": at most 250. */
const PINS_PER_PAGE = 25;

/** @see https://developers.pinterest.com/docs/api/v5/boards-list_pins */
export function listPinsRequest(
  accessToken: string,
  boardId: string,
  bookmark: string | null,
): Request {
  const query = new URLSearchParams({ page_size: String(PINS_PER_PAGE) });
  if (bookmark !== null) query.set("bookmark", bookmark);
  return get(`/boards/${boardId}/pins`, accessToken, query);
}

const listedPin = z.object({
  id: PIN_ID,
  created_at: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  link: z.string().nullish(),
  is_owner: z.boolean().nullish(),
  parent_pin_id: z.string().nullish(),
  media: z.object({ media_type: z.string().nullish() }).nullish(),
});

export type ListedPin = z.infer<typeof listedPin>;

/** One page; `bookmark` leads to the next and is null at the end. */
export interface Page<T> {
  items: T[];
  bookmark: string | null;
}

export const pageOf = <T>(item: z.ZodType<T>): z.ZodType<Page<T>> =>
  z.object({
    items: z.array(item),
    bookmark: z
      .string()
      .nullish()
      .transform((text) => text || null),
  });

export const readListPinsReply = (reply: Response): Reading<Page<ListedPin>> =>
  readReply(reply, pageOf(listedPin));
