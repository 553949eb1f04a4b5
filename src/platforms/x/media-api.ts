import * as z from "zod";
import { bearerRequest } from "../kit/requests.ts";
import { field } from "../kit/shapes.ts";
import { type FormFile, streamedForm } from "../kit/streamed-form.ts";
import { API, call, dataReaderOf } from "./api.ts";

export interface Bytes {
  data: ReadableStream;
  sizeBytes: number;
}

function sendRequest(
  path: string,
  accessToken: string,
  texts: Record<string, string>,
  file: Omit<FormFile, "name">,
): Request {
  const { body, contentType } = streamedForm(texts, { ...file, name: "media" });
  const headers = { "content-type": contentType };
  return bearerRequest(`${API}/2/media/upload${path}`, accessToken, {
    method: "POST",
    headers,
    body,
  });
}

/** @see https://docs.x.com/x-api/media/media-upload */
export const uploadImageRequest = (accessToken: string, image: Bytes & { mime: string }): Request =>
  sendRequest("", accessToken, { media_category: "tweet_image" }, { ...image, filename: "media" });

export const readMediaReply = dataReaderOf(field("id", z.string().regex(/^\d+$/)));

const VIDEO_CATEGORIES = {
  tweet_video: "TweetVideo",
  amplify_video: "AmplifyVideo",
} as const;

type VideoCategory = keyof typeof VIDEO_CATEGORIES;

export interface NewUpload {
  media_type: string;
  total_bytes: number;
  media_category: VideoCategory | "tweet_gif" | "subtitles";
}

/** @see https://docs.x.com/x-api/media/initialize-media-upload */
export const initializeRequest = (accessToken: string, upload: NewUpload): Request =>
  call("POST", "/2/media/upload/initialize", accessToken, upload);

/** @see https://docs.x.com/x-api/media/append-media-upload */
export const appendRequest = (
  accessToken: string,
  mediaId: string,
  segmentIndex: number,
  segment: Bytes,
): Request =>
  sendRequest(
    `/${mediaId}/append`,
    accessToken,
    { segment_index: String(segmentIndex) },
    { ...segment, filename: "segment", mime: "application/octet-stream" },
  );

/** @see https://docs.x.com/x-api/media/finalize-media-upload */
export const finalizeRequest = (accessToken: string, mediaId: string): Request =>
  call("POST", `/2/media/upload/${mediaId}/finalize`, accessToken);

/** @see https://docs.x.com/x-api/media/get-media-upload-status */
export const statusRequest = (accessToken: string, mediaId: string): Request =>
  call("GET", `/2/media/upload?command=STATUS&media_id=${mediaId}`, accessToken);

const processing = z
  .object({
    state: z.enum(["pending", "in_progress", "succeeded", "failed"]),
    check_after_secs: z.number().nullish(),
    progress_percent: z.number().nullish(),
    error: z.object({ name: z.string().nullish(), message: z.string().nullish() }).nullish(),
  })
  .nullish()
  .transform((info) => info ?? null);

export type Processing = z.output<typeof processing>;

export const readProcessingReply = dataReaderOf(field("processing_info", processing));

/** @see https://docs.x.com/x-api/media/create-media-metadata */
export const altTextRequest = (accessToken: string, mediaId: string, altText: string): Request =>
  call("POST", "/2/media/metadata", accessToken, {
    id: mediaId,
    metadata: { alt_text: { text: altText } },
  });

/** @see https://docs.x.com/x-api/media/create-media-subtitles */
export const subtitlesRequest = (
  accessToken: string,
  video: { id: string; category: VideoCategory },
  subtitles: { id: string; language_code: string; display_name: string },
): Request =>
  call("POST", "/2/media/subtitles", accessToken, {
    id: video.id,
    media_category: VIDEO_CATEGORIES[video.category],
    subtitles,
  });
