import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { capped, parseJson, readText } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import { streamedForm } from "../kit/streamed-form.ts";
import { type GraphRefusal, graphId as id } from "../meta/graph.ts";
import { graph, permalink, readerOf, readReply, versioned } from "./api.ts";
import type { PullRefusal } from "./failures.ts";

const GRAPH_VIDEO = "https://graph-video.facebook.com";
const RUPLOAD = "https://rupload.facebook.com";

const MAX_ERROR_BYTES = 100_000;

const succeeded = z.object({ success: z.literal(true) }).transform((): true => true);

const offset = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
]);

const range = { start_offset: offset, end_offset: offset };

export interface Offsets {
  start: number;
  end: number;
}

const toOffsets = (body: { start_offset: number; end_offset: number }): Offsets => ({
  start: body.start_offset,
  end: body.end_offset,
});

interface VideoTexts {
  title: string | null;
  description: string | null;
}

const textFields = ({ title, description }: VideoTexts): Record<string, string> => ({
  ...(title === null ? {} : { title }),
  ...(description === null ? {} : { description }),
});

const videos = (token: string, pageId: string, form: Record<string, string>): Request =>
  graph(versioned(pageId, "videos"), { token, form }, GRAPH_VIDEO);

/**
 * The video stays hidden until `finishVideoRequest`.
 * @see https://developers.facebook.com/docs/graph-api/reference/page/videos
 */
export const startVideoRequest = (token: string, pageId: string, sizeBytes: number): Request =>
  videos(token, pageId, { upload_phase: "start", file_size: String(sizeBytes) });

const startedVideo = z
  .object({ upload_session_id: id, video_id: id, ...range })
  .transform((body) => ({
    sessionId: body.upload_session_id,
    videoId: body.video_id,
    ...toOffsets(body),
  }));

export const readStartVideoReply = readerOf(startedVideo);

export interface Chunk {
  data: ReadableStream;
  offset: number;
  length: number;
}

export function transferVideoRequest(
  token: string,
  pageId: string,
  sessionId: string,
  chunk: Chunk,
): Request {
  const texts = {
    upload_phase: "transfer",
    upload_session_id: sessionId,
    start_offset: String(chunk.offset),
  };
  const { body, contentType } = streamedForm(texts, {
    name: "video_file_chunk",
    filename: "chunk",
    mime: "application/octet-stream",
    data: chunk.data,
    sizeBytes: chunk.length,
  });
  return bearerRequest(new URL(versioned(pageId, "videos"), GRAPH_VIDEO), token, {
    method: "POST",
    headers: { accept: "application/json", "content-type": contentType },
    body,
  });
}

/** `expected`: the chunk that Facebook waits for. */
export interface ChunkRefusal extends GraphRefusal {
  expected: Offsets | null;
}

const misplaced = z.object({ error: z.object({ error_data: z.object(range) }) });

/** Reads the body, and returns a reply that can be read again. */
async function peek(reply: Response): Promise<{ text: string | null; again: Response }> {
  const text = await readText(reply, MAX_ERROR_BYTES);
  const { status, headers } = reply;
  return { text, again: new Response(text, { status, headers }) };
}

export async function readTransferVideoReply(
  reply: Response,
): Promise<Result<Offsets, ChunkRefusal>> {
  const { text, again } = await peek(reply);
  const read = await readReply(again, z.object(range).transform(toOffsets));
  if (read.ok) return read;
  const detail = misplaced.safeParse(parseJson(text)).data?.error.error_data;
  return refuse({ ...read.error, expected: detail ? toOffsets(detail) : null });
}

export const finishVideoRequest = (
  token: string,
  pageId: string,
  sessionId: string,
  texts: VideoTexts,
): Request =>
  videos(token, pageId, {
    upload_phase: "finish",
    upload_session_id: sessionId,
    ...textFields(texts),
    published: "true",
  });

export const readFinishReply = readerOf(succeeded);

const reels = (token: string, pageId: string, form: Record<string, string>): Request =>
  graph(versioned(pageId, "video_reels"), { token, form });

/** @see https://developers.facebook.com/docs/video-api/guides/reels-publishing */
export const startReelRequest = (token: string, pageId: string): Request =>
  reels(token, pageId, { upload_phase: "start" });

/** The token is sent to this URL, so its host is fixed. */
const uploadUrl = z.url().refine((text) => new URL(text).origin === RUPLOAD);

const startedReel = z
  .object({ video_id: id, upload_url: uploadUrl })
  .transform((body) => ({ videoId: body.video_id, uploadUrl: body.upload_url }));

export const readStartReelReply = readerOf(startedReel);

export const pullReelRequest = (token: string, address: string, fileUrl: string): Request =>
  new Request(address, {
    method: "POST",
    headers: { accept: "application/json", authorization: `OAuth ${token}`, file_url: fileUrl },
    redirect: "manual",
  });

const debugInfo = z.object({
  debug_info: z.object({
    retriable: z.boolean().nullish().catch(null),
    type: z.string().max(100),
    message: maybeText,
  }),
});

export async function readPullReelReply(reply: Response): Promise<Result<true, PullRefusal>> {
  const { text, again } = await peek(reply);
  const read = await readReply(again, succeeded);
  if (read.ok) return ok(true);
  const detail = debugInfo.safeParse(parseJson(text)).data?.debug_info;
  return refuse({
    ...read.error,
    message: capped(detail?.message?.trim() || read.error.message),
    type: detail?.type ?? null,
    retriable: detail?.retriable ?? false,
  });
}

/** A guess: the guide names no AI label for reels. */
export const AI_LABEL = "is_ai_generated";

export const finishReelRequest = (
  token: string,
  pageId: string,
  reel: { videoId: string; texts: VideoTexts; isLabelled: boolean },
): Request =>
  reels(token, pageId, {
    upload_phase: "finish",
    video_id: reel.videoId,
    video_state: "PUBLISHED",
    ...textFields(reel.texts),
    ...(reel.isLabelled ? { [AI_LABEL]: "true" } : {}),
  });

const phase = z
  .object({
    status: maybeText,
    publish_status: maybeText,
    // Meta spells this name in two ways.
    bytes_transfered: z.number().nullish().catch(null),
    bytes_transferred: z.number().nullish().catch(null),
    errors: z
      .array(z.object({ message: maybeText }))
      .nullish()
      .catch(null),
    error: z.object({ message: maybeText }).nullish().catch(null),
  })
  .transform(({ status, publish_status, bytes_transfered, bytes_transferred, errors, error }) => {
    const failures = error ? [...(errors ?? []), error] : (errors ?? []);
    return {
      status,
      publish_status,
      bytesArrived: bytes_transfered ?? bytes_transferred ?? 0,
      errors: failures.map(({ message }) => message),
    };
  })
  .nullish()
  .catch(null);

const video = z.object({
  permalink_url: permalink,
  status: z.object({
    video_status: maybeText,
    uploading_phase: phase,
    processing_phase: phase,
    publishing_phase: phase,
  }),
});

export type Video = z.output<typeof video>;
export type VideoStatus = Video["status"];

/** @see https://developers.facebook.com/docs/graph-api/reference/video */
export const getVideoRequest = (token: string, videoId: string): Request =>
  graph(versioned(videoId), { token, query: { fields: "status,permalink_url" } });

export const readGetVideoReply = readerOf(video);
