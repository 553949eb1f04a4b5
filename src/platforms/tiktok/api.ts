import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, parseJson, readText } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";

export const API = "https://open.tiktokapis.com";

const MAX_REPLY_BYTES = 256 * 1_024;

/** May come with HTTP status 200. */
export interface TikTokRefusal extends Refusal {
  code: string | null;
}

export type Reading<T> = Promise<Result<T, TikTokRefusal>>;

export const readBody = async (reply: Response): Promise<string> =>
  (await readText(reply, MAX_REPLY_BYTES)) ?? "";

export const toRefusal = (
  reply: Response,
  code: string | undefined,
  message: string | null | undefined,
) =>
  refuse<TikTokRefusal>({
    status: reply.status,
    code: code ?? null,
    message: messageOf("TikTok", reply, message?.trim() || (code && `TikTok answered ${code}.`)),
  });

export const errorObject = z.object({
  error: z.object({ code: z.string().min(1), message: maybeText }),
});

const envelope = z.object({ data: z.unknown() });

const OK = "ok";

export async function readReply<D, T>(
  reply: Response,
  shape: z.ZodType<D>,
  read: (data: D, text: string) => T,
): Reading<T> {
  const text = await readBody(reply);
  const body = parseJson(text);
  const error = errorObject.safeParse(body).data?.error;
  if (reply.ok && (!error || error.code === OK)) {
    const data = shape.safeParse(envelope.safeParse(body).data?.data);
    if (data.success) return ok(read(data.data, text));
  }
  const code = error?.code === OK ? undefined : error?.code;
  return toRefusal(reply, code, code && error?.message);
}

const itself = <T>(data: T): T => data;

const post = (path: string, accessToken: string, json: object): Request =>
  bearerRequest(API + path, accessToken, {
    headers: { "content-type": "application/json; charset=UTF-8" },
    json,
  });

export type PostInfo = Record<string, string | number | boolean>;

/** @see https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info */
export const creatorInfoRequest = (accessToken: string): Request =>
  post("/v2/post/publish/creator_info/query/", accessToken, {});

const creatorInfo = z.object({
  creator_username: z.string().nullish(),
  creator_nickname: z.string().nullish(),
  creator_avatar_url: z.string().nullish(),
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().nullish(),
  duet_disabled: z.boolean().nullish(),
  stitch_disabled: z.boolean().nullish(),
  max_video_post_duration_sec: z.number().nullish(),
});

export type CreatorInfo = z.infer<typeof creatorInfo>;

export const readCreatorInfoReply = (reply: Response): Reading<CreatorInfo> =>
  readReply(reply, creatorInfo, itself);

interface FileSource {
  sizeBytes: number;
  chunkSize: number;
  count: number;
}

const fileSource = ({ sizeBytes, chunkSize, count }: FileSource) => ({
  source: "FILE_UPLOAD",
  video_size: sizeBytes,
  chunk_size: chunkSize,
  total_chunk_count: count,
});

/**
 * TikTok publishes the video once its bytes have arrived.
 * @see https://developers.tiktok.com/doc/content-posting-api-reference-direct-post
 */
export const initVideoRequest = (
  accessToken: string,
  postInfo: PostInfo,
  file: FileSource,
): Request =>
  post("/v2/post/publish/video/init/", accessToken, {
    post_info: postInfo,
    source_info: fileSource(file),
  });

/**
 * Sends a video to the creator's inbox, where the creator writes the text.
 * @see https://developers.tiktok.com/doc/content-posting-api-reference-upload-video
 */
export const initInboxVideoRequest = (accessToken: string, file: FileSource): Request =>
  post("/v2/post/publish/inbox/video/init/", accessToken, { source_info: fileSource(file) });

const uploadTask = z
  .object({ publish_id: z.string().min(1), upload_url: z.url({ protocol: /^https$/ }) })
  .transform((data) => ({ publishId: data.publish_id, uploadUrl: data.upload_url }));

/** `uploadUrl` works for an hour. */
export const readInitVideoReply = (
  reply: Response,
): Reading<{ publishId: string; uploadUrl: string }> => readReply(reply, uploadTask, itself);

/**
 * The upload URL grants access, so no token is sent.
 * @see https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide
 */
export function putChunkRequest(
  uploadUrl: string,
  chunk: { data: ReadableStream; offset: number; length: number; mime: string; sizeBytes: number },
): Request {
  const { data, offset, length, mime, sizeBytes } = chunk;
  const headers = {
    "content-type": mime,
    "content-range": `bytes ${offset}-${offset + length - 1}/${sizeBytes}`,
  };
  // `FixedLengthStream` makes the request send a Content-Length.
  const body = data.pipeThrough(new FixedLengthStream(length));
  return new Request(uploadUrl, { method: "PUT", headers, body, redirect: "manual" });
}

export interface ChunkReply extends TikTokRefusal {
  isTaken: boolean;
  uploaded: number | null;
}

export async function readPutChunkReply(reply: Response): Promise<ChunkReply> {
  const uploaded = /^bytes \d+-(\d+)\/\d+$/.exec(reply.headers.get("content-range") ?? "")?.[1];
  const error = errorObject.safeParse(parseJson(await readBody(reply))).data?.error;
  const refused = toRefusal(reply, error?.code, error?.message);
  return {
    ...refused.error,
    isTaken: reply.ok,
    uploaded: uploaded === undefined ? null : Number(uploaded),
  };
}

export interface PhotoPost {
  media_type: "PHOTO";
  post_mode: "DIRECT_POST" | "MEDIA_UPLOAD";
  post_info: PostInfo;
  source_info: { source: "PULL_FROM_URL"; photo_images: string[]; photo_cover_index: number };
  is_aigc?: boolean;
}

/** @see https://developers.tiktok.com/doc/content-posting-api-reference-photo-post */
export const initPhotosRequest = (accessToken: string, body: PhotoPost): Request =>
  post("/v2/post/publish/content/init/", accessToken, body);

const publishTask = z
  .object({ publish_id: z.string().min(1) })
  .transform((data) => data.publish_id);

export const readInitPhotosReply = (reply: Response): Reading<string> =>
  readReply(reply, publishTask, itself);

/** @see https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
export const statusRequest = (accessToken: string, publishId: string): Request =>
  post("/v2/post/publish/status/fetch/", accessToken, { publish_id: publishId });

export interface PublishStatus {
  status: string;
  failReason: string | null;
  uploadedBytes: number | null;
  postId: string | null;
}

const publishStatus = z.object({
  status: z.string(),
  fail_reason: z.string().nullish(),
  uploaded_bytes: z.number().nullish(),
});

/** As a JSON number, the id would lose digits. The misspelling is TikTok's. */
const POST_ID = /"publica?ly_available_post_id"\s*:\s*\[\s*"?(\d+)/;

export const readStatusReply = (reply: Response): Reading<PublishStatus> =>
  readReply(reply, publishStatus, (data, text) => ({
    status: data.status,
    failReason: data.fail_reason || null,
    uploadedBytes: data.uploaded_bytes ?? null,
    postId: POST_ID.exec(text)?.[1] ?? null,
  }));

/** At most 20 a page. Source: TikTok, "List Videos". */
export const listVideosRequest = (accessToken: string): Request =>
  post("/v2/video/list/?fields=id,create_time,share_url,video_description,title", accessToken, {
    max_count: 20,
  });

const listedVideo = z.object({
  id: z.string(),
  /** Seconds since 1970. */
  create_time: z.number(),
  share_url: z.string().nullish(),
  video_description: z.string().nullish(),
  title: z.string().nullish(),
});

export type ListedVideo = z.infer<typeof listedVideo>;

export const readListVideosReply = (reply: Response): Reading<ListedVideo[]> =>
  readReply(
    reply,
    z.object({ videos: z.array(listedVideo).nullish() }),
    (data) => data.videos ?? [],
  );
