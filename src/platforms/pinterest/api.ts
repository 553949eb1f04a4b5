import * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, replyReader, toWait } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import { apiVersion } from "./capabilities.ts";

export const API = `https://api.pinterest.com/${apiVersion.version}`;

const MAX_REPLY_BYTES = 2 * 1_024 * 1_024;

export interface PinterestRefusal extends Refusal {
  code: number | null;
  retryAfterSeconds: number | null;
}

const errorBody = z.object({
  code: z.number().optional().catch(undefined),
  message: maybeText,
});

/** A larger header is a timestamp, not a wait. */
const EPOCH_SECONDS = 1_000_000_000;

/** Reads `retry-after` or `x-ratelimit-reset`. Pinterest promises neither. */
function readWait(headers: Headers): number | null {
  const header = headers.get("retry-after") ?? headers.get("x-ratelimit-reset") ?? "";
  if (!/^\d{1,10}$/.test(header)) return null;
  const value = Number(header);
  return toWait(value < EPOCH_SECONDS ? value : value - now().getTime() / SECOND);
}

function toRefusal(reply: Response, body: unknown): PinterestRefusal {
  const error = reply.ok ? undefined : errorBody.safeParse(body).data;
  return {
    status: reply.status,
    code: error?.code ?? null,
    message: messageOf("Pinterest", reply, error?.message),
    retryAfterSeconds: readWait(reply.headers),
  };
}

export const { readReply, readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

export const get = (path: string, accessToken: string, query?: URLSearchParams): Request =>
  bearerRequest(`${API}${path}${query ? `?${query}` : ""}`, accessToken);

/** @see https://developers.pinterest.com/docs/api/v5/media-create */
export const registerVideoRequest = (accessToken: string): Request =>
  bearerRequest(`${API}/media`, accessToken, { json: { media_type: "video" } });

const MEDIA_ID = z.string().regex(/^[\w-]{1,64}$/);

/** Form field names, limited to safe characters. */
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

export const readRegisterVideoReply = readerOf(registered);

/** @see https://developers.pinterest.com/docs/api/v5/media-get */
export const getMediaRequest = (accessToken: string, mediaId: string): Request =>
  get(`/media/${mediaId}`, accessToken);

/** `registered`, `processing`, `succeeded` or `failed`. */
export const readGetMediaReply = readerOf(z.object({ status: z.string().min(1) }));

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

/** @see https://developers.pinterest.com/docs/api/v5/pins-create */
export const createPinRequest = (accessToken: string, pin: NewPin): Request =>
  bearerRequest(`${API}/pins`, accessToken, { json: pin });

export const postPin = (accessToken: string, body: BodyInit): Request =>
  bearerRequest(`${API}/pins`, accessToken, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

export const PIN_ID = z.string().regex(/^[\w-]{1,128}$/);

export const readCreatePinReply = readerOf(z.object({ id: PIN_ID }));

/** @see https://developers.pinterest.com/docs/api/v5/pins-get */
export const getPinRequest = (accessToken: string, id: string): Request =>
  get(`/pins/${encodeURIComponent(id)}`, accessToken);

export const readGetPinReply = readerOf(z.object({ id: PIN_ID }));

const shownPin = z.object({ title: z.string().nullish(), description: z.string().nullish() });

export const readGetTextsReply = readerOf(shownPin);

/** @see https://developers.pinterest.com/docs/api/v5/pins-update */
export const updatePinRequest = (accessToken: string, id: string, json: object): Request =>
  bearerRequest(`${API}/pins/${encodeURIComponent(id)}`, accessToken, { method: "PATCH", json });

/** @see https://developers.pinterest.com/docs/api/v5/pins-delete */
export const deletePinRequest = (accessToken: string, id: string): Request =>
  bearerRequest(`${API}/pins/${encodeURIComponent(id)}`, accessToken, { method: "DELETE" });

/** Pinterest allows up to 250. Source: Pinterest, "List Pins on board". */
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

/** Times without offset are UTC. NaN when unreadable. */
export const toInstant = (text: string | null | undefined): number =>
  Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text ?? "") ? (text ?? "") : `${text}Z`);

/** False for saved pins, and for other people's pins on a shared board. */
export const isOwn = ({
  is_owner,
  parent_pin_id,
}: Pick<ListedPin, "is_owner" | "parent_pin_id">): boolean => is_owner !== false && !parent_pin_id;

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

export const readListPinsReply = readerOf(pageOf(listedPin));
