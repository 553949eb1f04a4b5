import * as z from "zod";
import { ok } from "../../core/result.ts";
import { API, call, type Reading, readData, readWhole } from "./api.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** @see https://docs.x.com/x-api/media/media-upload */
export function uploadImageRequest(accessToken: string, image: Blob): Request {
  const body = new FormData();
  body.append("media", image, "media");
  body.append("media_category", "tweet_image");
  return call("POST", "/2/media/upload", accessToken, body);
}

const media = z.object({ id: z.string().regex(/^\d+$/) });

/** The id of the media: of an image, or of what is to come in segments. */
export async function readMediaReply(reply: Response): Reading<string> {
  const read = await readData(reply, media);
  return read.ok ? ok(read.value.id) : read;
}

export interface NewUpload {
  media_type: string;
  total_bytes: number;
  media_category: "tweet_video" | "tweet_gif" | "subtitles";
}

/** @see https://docs.x.com/x-api/media/initialize-media-upload */
export const initializeRequest = (accessToken: string, upload: NewUpload): Request =>
  call("POST", "/2/media/upload/initialize", accessToken, upload);

/**
 * The form is written by hand: the runtime does not count what a FormData holds, so that a long video's
 * segments would all stay in memory.
 *
 * @see https://docs.x.com/x-api/media/append-media-upload
 */
export function appendRequest(
  accessToken: string,
  mediaId: string,
  segmentIndex: number,
  segment: Uint8Array,
): Request {
  const boundary = crypto.randomUUID();
  const part = `--${boundary}\r\nContent-Disposition: form-data; name=`;
  const head = encode(
    `${part}"segment_index"\r\n\r\n${segmentIndex}\r\n${part}"media"; filename="segment"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const tail = encode(`\r\n--${boundary}--\r\n`);
  const body = new Uint8Array(head.length + segment.length + tail.length);
  body.set(head);
  body.set(segment, head.length);
  body.set(tail, head.length + segment.length);
  return new Request(`${API}/2/media/upload/${mediaId}/append`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${accessToken}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    },
    body,
    redirect: "manual",
  });
}

/** What is in the answer does not matter. */
export const readDoneReply = (reply: Response): Reading<unknown> => readWhole(reply, z.unknown());

/** @see https://docs.x.com/x-api/media/finalize-media-upload */
export const finalizeRequest = (accessToken: string, mediaId: string): Request =>
  call("POST", `/2/media/upload/${mediaId}/finalize`, accessToken);

/** @see https://docs.x.com/x-api/media/get-media-upload-status */
export const statusRequest = (accessToken: string, mediaId: string): Request =>
  call("GET", `/2/media/upload?command=STATUS&media_id=${mediaId}`, accessToken);

const processing = z.object({
  processing_info: z
    .object({
      state: z.enum(["pending", "in_progress", "succeeded", "failed"]),
      check_after_secs: z.number().nullish(),
      progress_percent: z.number().nullish(),
      error: z.object({ name: z.string().nullish(), message: z.string().nullish() }).nullish(),
    })
    .nullish(),
});

/** How far X is with a file; null where there is nothing to be waited for. */
export type Processing = NonNullable<z.infer<typeof processing>["processing_info"]> | null;

/** Of both finalize and status. */
export async function readProcessingReply(reply: Response): Reading<Processing> {
  const read = await readData(reply, processing);
  return read.ok ? ok(read.value.processing_info ?? null) : read;
}

/** @see https://docs.x.com/x-api/media/create-media-metadata */
export const altTextRequest = (accessToken: string, mediaId: string, altText: string): Request =>
  call("POST", "/2/media/metadata", accessToken, {
    id: mediaId,
    metadata: { alt_text: { text: altText } },
  });

/** @see https://docs.x.com/x-api/media/create-media-subtitles */
export const subtitlesRequest = (
  accessToken: string,
  videoId: string,
  subtitles: { id: string; language_code: string; display_name: string },
): Request =>
  call("POST", "/2/media/subtitles", accessToken, {
    id: videoId,
    media_category: "TweetVideo",
    subtitles,
  });
