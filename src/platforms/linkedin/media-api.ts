import * as z from "zod";
import { ok } from "../../core/result.ts";
import type { MediaKind } from "../connector.ts";
import { maybeText } from "../kit/shapes.ts";
import { encodeUrn, get, post, type Reading, readDoneReply, readerOf, readReply } from "./api.ts";

const COLLECTIONS: Record<MediaKind, string> = {
  image: "images",
  video: "videos",
  document: "documents",
};

const uploadUrl = z.url({ protocol: /^https$/ }).max(8_192);
const urnOf = (kind: MediaKind) => z.string().regex(new RegExp(`^urn:li:${kind}:[\\w-]{1,100}$`));

/**
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/images-api
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api
 */
export const initializeFileRequest = (
  accessToken: string,
  kind: "image" | "document",
  owner: string,
): Request =>
  post(`${COLLECTIONS[kind]}?action=initializeUpload`, accessToken, {
    initializeUploadRequest: { owner },
  });

export async function readInitializeFileReply(
  reply: Response,
  kind: "image" | "document",
): Reading<{ urn: string; uploadUrl: string }> {
  const value = z.object({ uploadUrl, [kind]: urnOf(kind) });
  const read = await readReply(reply, z.object({ value }));
  if (!read.ok) return read;
  const { uploadUrl: address, [kind]: urn } = read.value.value;
  return ok({ urn: String(urn), uploadUrl: String(address) });
}

/** Only LinkedIn's own hosts may get the token. */
const isLinkedIn = (url: string): boolean => /(?:^|\.)linkedin\.com$/.test(new URL(url).hostname);

export function putFileRequest(
  accessToken: string,
  address: string,
  file: { data: ReadableStream; sizeBytes: number; mime: string },
): Request {
  return new Request(address, {
    method: "PUT",
    headers: {
      "content-type": file.mime,
      ...(isLinkedIn(address) ? { authorization: `Bearer ${accessToken}` } : {}),
    },
    // The known length gives a Content-Length.
    body: file.data.pipeThrough(new FixedLengthStream(file.sizeBytes)),
    redirect: "manual",
  });
}

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/videos-api */
export const initializeVideoRequest = (
  accessToken: string,
  owner: string,
  fileSizeBytes: number,
): Request =>
  post("videos?action=initializeUpload", accessToken, {
    initializeUploadRequest: {
      owner,
      fileSizeBytes,
      uploadCaptions: false,
      uploadThumbnail: false,
    },
  });

/** The largest video needs 120. */
const MAX_PARTS = 500;

/** `firstByte` and `lastByte` are inclusive. */
export const videoPart = z
  .object({
    uploadUrl,
    firstByte: z.int().min(0),
    lastByte: z.int().min(0),
  })
  .refine(({ firstByte, lastByte }) => firstByte <= lastByte);

type VideoPart = z.infer<typeof videoPart>;

const videoUpload = z
  .object({
    value: z.object({
      video: urnOf("video"),
      uploadToken: z.string().max(8_192).nullish(),
      uploadInstructions: z.array(videoPart).min(1).max(MAX_PARTS),
    }),
  })
  .transform(({ value }) => ({
    video: value.video,
    uploadToken: value.uploadToken ?? "",
    parts: value.uploadInstructions,
  }));

export const readInitializeVideoReply = readerOf(videoUpload);

/** The URL grants access, so no token is sent. */
export const putPartRequest = (part: VideoPart, data: ReadableStream): Request =>
  new Request(part.uploadUrl, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: data.pipeThrough(new FixedLengthStream(part.lastByte - part.firstByte + 1)),
    redirect: "manual",
  });

const MAX_ETAG_CHARACTERS = 1_000;

/** The ETag, which names the part. Null when it is unusable. */
export async function readPutPartReply(reply: Response): Reading<string | null> {
  const etag = reply.headers.get("etag");
  const read = await readDoneReply(reply);
  if (!read.ok) return read;
  return ok(etag && etag.length <= MAX_ETAG_CHARACTERS ? etag : null);
}

export const finalizeVideoRequest = (
  accessToken: string,
  upload: { video: string; uploadToken: string; etags: string[] },
): Request =>
  post("videos?action=finalizeUpload", accessToken, {
    finalizeUploadRequest: {
      video: upload.video,
      uploadToken: upload.uploadToken,
      uploadedPartIds: upload.etags,
    },
  });

export const getAssetRequest = (accessToken: string, kind: MediaKind, urn: string): Request =>
  get(`${COLLECTIONS[kind]}/${encodeUrn(urn)}`, accessToken);

const asset = z
  .object({ status: z.string(), processingFailureReason: maybeText })
  .transform(({ status, processingFailureReason }) => ({
    /** `WAITING_UPLOAD`, `PROCESSING`, `AVAILABLE` or `PROCESSING_FAILED`. */
    status,
    reason: processingFailureReason || null,
  }));

export const readAssetReply = readerOf(asset);
