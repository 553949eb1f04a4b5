import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, readRetryAfter, replyReader } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { field } from "../kit/shapes.ts";
import type { VideoResource } from "./metadata.ts";

const ORIGIN = "https://www.googleapis.com";
export const API = `${ORIGIN}/youtube/v3`;
const UPLOAD = `${ORIGIN}/upload/youtube/v3`;

const MAX_REPLY_BYTES = 512 * 1_024;

export interface YouTubeRefusal extends Refusal {
  reason: string | null;
  location: string | null;
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, YouTubeRefusal>>;

export const optionalText = z.string().optional().catch(undefined);

const apiError = z.object({
  error: z.object({
    message: optionalText,
    errors: z
      .array(z.object({ reason: optionalText, message: optionalText, location: optionalText }))
      .optional()
      .catch(undefined),
  }),
});

const oauthError = z.object({ error: z.string().min(1), error_description: optionalText });

function readError(body: unknown) {
  const api = apiError.safeParse(body).data?.error;
  const [first] = api?.errors ?? [];
  const oauth = oauthError.safeParse(body).data;
  return {
    reason: first?.reason || oauth?.error || null,
    message: api?.message || first?.message || oauth?.error_description || "",
    location: first?.location || null,
  };
}

function toRefusal(reply: Response, body: unknown): YouTubeRefusal {
  const { reason, message, location } = readError(body);
  return {
    status: reply.status,
    reason,
    message: messageOf(
      "YouTube",
      reply,
      message.trim() || (reason && `YouTube answered ${reason}.`),
    ),
    location,
    retryAfterSeconds: readRetryAfter(reply),
  };
}

export const { readBody, readReply, readerOf, readDoneReply } = replyReader(
  MAX_REPLY_BYTES,
  toRefusal,
);

const firstItem = <T>(item: z.ZodType<T>) =>
  field("items", z.array(item).default([])).transform(([first]) => first ?? null);

/**
 * YouTube creates the video with its last byte.
 * @see https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol
 */
export function openSessionRequest(
  accessToken: string,
  resource: VideoResource,
  file: { mime: string; sizeBytes: number },
  notifySubscribers: boolean,
): Request {
  const parts = Object.keys(resource).join(",");
  const query = `uploadType=resumable&part=${parts}&notifySubscribers=${notifySubscribers}`;
  return bearerRequest(`${UPLOAD}/videos?${query}`, accessToken, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-length": String(file.sizeBytes),
      "x-upload-content-type": file.mime,
    },
    body: JSON.stringify(resource),
  });
}

/** The token is sent to this URL, so it must be Google's. */
function isGoogles(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && hostname.endsWith(".googleapis.com");
}

export async function readOpenSessionReply(reply: Response): Reading<string> {
  const address = reply.headers.get("location") ?? "";
  const body = await readBody(reply);
  return reply.ok && isGoogles(address) ? ok(address) : refuse(toRefusal(reply, body));
}

export function putChunkRequest(
  accessToken: string,
  sessionUri: string,
  chunk: { data: ReadableStream; offset: number; length: number; mime: string; sizeBytes: number },
): Request {
  const { data, offset, length, mime, sizeBytes } = chunk;
  return bearerRequest(sessionUri, accessToken, {
    method: "PUT",
    headers: {
      "content-type": mime,
      "content-range": `bytes ${offset}-${offset + length - 1}/${sizeBytes}`,
    },
    // `FixedLengthStream` makes the request send a Content-Length.
    body: data.pipeThrough(new FixedLengthStream(length)),
  });
}

export const probeRequest = (accessToken: string, sessionUri: string, sizeBytes: number): Request =>
  bearerRequest(sessionUri, accessToken, {
    method: "PUT",
    headers: { "content-range": `bytes */${sizeBytes}` },
    // An empty string would send a content type.
    body: new Uint8Array(),
  });

const videoId = z.string().regex(/^[\w-]{1,64}$/);

const insertedVideo = z.object({
  id: videoId,
  status: z.object({ privacyStatus: optionalText }).optional().catch(undefined),
});

export type SessionReply =
  | { kind: "incomplete"; stored: number }
  | { kind: "finished"; videoId: string; privacyStatus: string | null }
  | { kind: "refused"; refusal: YouTubeRefusal };

const INCOMPLETE = 308;

export async function readSessionReply(reply: Response): Promise<SessionReply> {
  const body = await readBody(reply);
  if (reply.status === INCOMPLETE) {
    const range = reply.headers.get("range");
    const last = /^bytes=0-(\d{1,15})$/.exec(range ?? "")?.[1];
    if (range === null) return { kind: "incomplete", stored: 0 };
    if (last !== undefined) return { kind: "incomplete", stored: Number(last) + 1 };
  }
  const video = reply.ok ? insertedVideo.safeParse(body).data : undefined;
  if (!video) return { kind: "refused", refusal: toRefusal(reply, body) };
  const privacyStatus = video.status?.privacyStatus ?? null;
  return { kind: "finished", videoId: video.id, privacyStatus };
}

/** @see https://developers.google.com/youtube/v3/docs/thumbnails/set */
export const setThumbnailRequest = (
  accessToken: string,
  id: string,
  image: { data: ReadableStream; mime: string; sizeBytes: number },
): Request =>
  bearerRequest(`${UPLOAD}/thumbnails/set?videoId=${id}&uploadType=media`, accessToken, {
    method: "POST",
    headers: { "content-type": image.mime },
    body: image.data.pipeThrough(new FixedLengthStream(image.sizeBytes)),
  });

/** @see https://developers.google.com/youtube/v3/docs/videos/list */
export const getStatusRequest = (accessToken: string, id: string): Request =>
  bearerRequest(`${API}/videos?part=status&id=${id}`, accessToken);

const videoStatus = z.object({
  uploadStatus: z.string(),
  failureReason: optionalText,
  rejectionReason: optionalText,
  privacyStatus: optionalText,
});

export type VideoStatus = z.infer<typeof videoStatus>;

export const readGetStatusReply = readerOf(firstItem(field("status", videoStatus)));

export const getSnippetRequest = (accessToken: string, id: string): Request =>
  bearerRequest(`${API}/videos?part=snippet&id=${encodeURIComponent(id)}`, accessToken);

const changeableSnippet = z.object({
  title: z.string(),
  description: z.string().default(""),
  tags: z.array(z.string()).optional(),
  categoryId: optionalText,
  defaultLanguage: optionalText,
  defaultAudioLanguage: optionalText,
});

export type ChangeableSnippet = z.infer<typeof changeableSnippet>;

export const readGetSnippetReply = readerOf(firstItem(field("snippet", changeableSnippet)));

/**
 * Replaces the whole snippet.
 * @see https://developers.google.com/youtube/v3/docs/videos/update
 */
export const updateVideoRequest = (
  accessToken: string,
  id: string,
  snippet: ChangeableSnippet,
): Request =>
  bearerRequest(`${API}/videos?part=snippet`, accessToken, {
    method: "PUT",
    json: { id, snippet },
  });

/**
 * Needs youtube or youtube.force-ssl.
 * @see https://developers.google.com/youtube/v3/docs/videos/delete
 */
export const deleteVideoRequest = (accessToken: string, id: string): Request =>
  bearerRequest(`${API}/videos?id=${encodeURIComponent(id)}`, accessToken, { method: "DELETE" });

/** @see https://developers.google.com/youtube/v3/docs/channels/list */
export const getChannelRequest = (accessToken: string, parts: string): Request =>
  bearerRequest(`${API}/channels?part=${parts}&mine=true`, accessToken);

const picture = z.object({ url: optionalText }).optional().catch(undefined);

const channel = z.object({
  id: z.string().min(1),
  snippet: z
    .object({
      title: optionalText,
      customUrl: optionalText,
      thumbnails: z.object({ medium: picture, default: picture }).optional().catch(undefined),
    })
    .optional(),
  contentDetails: z
    .object({ relatedPlaylists: z.object({ uploads: videoId.optional().catch(undefined) }) })
    .optional()
    .catch(undefined),
  status: z.object({ longUploadsStatus: optionalText }).optional().catch(undefined),
});

export const readGetChannelReply = readerOf(firstItem(channel));

/**
 * Newest first.
 * @see https://developers.google.com/youtube/v3/docs/playlistItems/list
 */
export const listUploadsRequest = (accessToken: string, playlistId: string): Request =>
  bearerRequest(
    `${API}/playlistItems?part=contentDetails,snippet&playlistId=${playlistId}&maxResults=50`,
    accessToken,
  );

const listedVideo = z
  .object({
    contentDetails: z.object({ videoId, videoPublishedAt: optionalText }),
    snippet: z.object({ title: z.string(), publishedAt: optionalText }),
  })
  .transform(({ contentDetails, snippet }) => ({
    videoId: contentDetails.videoId,
    title: snippet.title,
    /** ISO 8601. */
    addedAt: snippet.publishedAt ?? contentDetails.videoPublishedAt ?? "",
  }));

export type ListedVideo = z.infer<typeof listedVideo>;

export const readListUploadsReply = readerOf(field("items", z.array(listedVideo).default([])));
