import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { blob, readBody, readerOf, toXrpcRefusal, xrpc } from "./api.ts";

const VIDEO_SERVICE = "https://video.bsky.app";
export const VIDEO_SERVICE_DID = "did:web:video.bsky.app";

/** More parts than any allowed video has. */
const MAX_PARTS = 10_000;

interface ServiceAuth {
  audience: string;
  method: string;
  /** Null: 60 seconds. Servers refuse more than an hour. */
  expiresAt: Date | null;
}

/** @see https://docs.bsky.app/docs/api/com-atproto-server-get-service-auth */
export function getServiceAuthRequest(
  service: string,
  accessToken: string,
  { audience, method, expiresAt }: ServiceAuth,
): Request {
  const query: Record<string, string> = { aud: audience, lxm: method };
  if (expiresAt) query.exp = String(Math.floor(expiresAt.getTime() / 1_000));
  return xrpc("GET", service, "com.atproto.server.getServiceAuth", { token: accessToken, query });
}

export const readGetServiceAuthReply = readerOf(field("token", z.string().min(1)));

const uploadLimits = z.object({
  canUpload: z.boolean(),
  message: maybeText,
  error: maybeText,
});

export type UploadLimits = z.infer<typeof uploadLimits>;

/** @see https://docs.bsky.app/docs/api/app-bsky-video-get-upload-limits */
export function getUploadLimitsRequest(token: string): Request {
  return xrpc("GET", VIDEO_SERVICE, "app.bsky.video.getUploadLimits", { token });
}

export const readGetUploadLimitsReply = readerOf(uploadLimits);

interface VideoFile {
  sizeBytes: number;
  mimeType: string;
  name: string;
  width?: number;
  height?: number;
}

const jobId = z.string().min(1).max(256);

const uploadSession = z.object({
  jobId,
  partSizeBytes: z.int().positive(),
  partCount: z.int().positive().max(MAX_PARTS),
});

/**
 * Counts toward the account's limits until finished, aborted or expired.
 * @see https://docs.bsky.app/docs/api/app-bsky-video-start-upload
 */
export function startUploadRequest(token: string, file: VideoFile): Request {
  return xrpc("POST", VIDEO_SERVICE, "app.bsky.video.startUpload", { token, json: file });
}

export const readStartUploadReply = readerOf(uploadSession);

/**
 * A repeated part replaces the earlier one.
 * @param part `number` starts at 1; `data` needs a known length
 * @see https://docs.bsky.app/docs/api/app-bsky-video-upload-part
 */
export function uploadPartRequest(
  token: string,
  part: { jobId: string; number: number; data: ReadableStream },
): Request {
  return xrpc("POST", VIDEO_SERVICE, "app.bsky.video.uploadPart", {
    token,
    query: { jobId: part.jobId, partNumber: String(part.number) },
    bytes: { data: part.data, mime: "application/octet-stream" },
  });
}

export const readUploadPartReply = readerOf(field("sizeBytes", z.int()));

const jobStatus = z.object({
  jobId,
  /** `JOB_STATE_COMPLETED` and `JOB_STATE_FAILED` are final. */
  state: z.string().catch(""),
  blob: blob.nullish(),
  error: maybeText,
  failureCode: maybeText,
  message: maybeText,
});

export type JobStatus = z.infer<typeof jobStatus>;

/**
 * May be repeated. With this token the service writes to the account's server.
 * @see https://docs.bsky.app/docs/api/app-bsky-video-finish-upload
 */
export function finishUploadRequest(token: string, uploadId: string): Request {
  const json = { jobId: uploadId };
  return xrpc("POST", VIDEO_SERVICE, "app.bsky.video.finishUpload", { token, json });
}

/** For a known video, returns the earlier job. */
export const readFinishUploadReply = readerOf(
  z
    .object({ completedJobId: jobId, jobStatus })
    .transform((body) => ({ ...body.jobStatus, jobId: body.completedJobId })),
);

const uploadStatus = z.object({
  /** created, finishing, completed, failed, aborted or expired. */
  state: z.string(),
  receivedParts: z.array(z.int()),
  completedJobId: jobId.nullish(),
  failureReason: maybeText,
});

/** @see https://docs.bsky.app/docs/api/app-bsky-video-get-upload-status */
export function getUploadStatusRequest(token: string, uploadId: string): Request {
  const query = { jobId: uploadId };
  return xrpc("GET", VIDEO_SERVICE, "app.bsky.video.getUploadStatus", { token, query });
}

export const readGetUploadStatusReply = readerOf(uploadStatus);

/** @see https://docs.bsky.app/docs/api/app-bsky-video-abort-upload */
export function abortUploadRequest(token: string, uploadId: string): Request {
  const json = { jobId: uploadId };
  return xrpc("POST", VIDEO_SERVICE, "app.bsky.video.abortUpload", { token, json });
}

/** @see https://docs.bsky.app/docs/api/app-bsky-video-upload-video */
export function uploadVideoRequest(
  token: string,
  video: { did: string; name: string; mime: string; data: ReadableStream },
): Request {
  return xrpc("POST", VIDEO_SERVICE, "app.bsky.video.uploadVideo", {
    token,
    query: { did: video.did, name: video.name },
    bytes: { data: video.data, mime: video.mime },
  });
}

const uploadedVideo = z.union([
  z.object({ jobStatus }).transform((body) => body.jobStatus),
  jobStatus,
]);

/**
 * The service sends the bare job status, though the schema wraps it. For a known video it sends an HTTP error with
 * the earlier job.
 */
export async function readUploadVideoReply(
  reply: Response,
): ReturnType<typeof readGetJobStatusReply> {
  const body = await readBody(reply);
  const parsed = uploadedVideo.safeParse(body);
  return parsed.success ? ok(parsed.data) : refuse(toXrpcRefusal(reply, body));
}

/** @see https://docs.bsky.app/docs/api/app-bsky-video-get-job-status */
export function getJobStatusRequest(id: string): Request {
  const query = { jobId: id };
  return xrpc("GET", VIDEO_SERVICE, "app.bsky.video.getJobStatus", { query });
}

export const readGetJobStatusReply = readerOf(field("jobStatus", jobStatus));
