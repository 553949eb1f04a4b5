import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";
import { reserveFile } from "../kit/files.ts";
import { readBody } from "../kit/input.ts";
import { SLICE_BYTES } from "../kit/media-store.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { authenticate, readVideo, requireAllowance, requireVideoType } from "./video-intake.ts";
import { createJob, readJob } from "./video-jobs.ts";
import { invalidRequest, readInput, requireBody, requireParam } from "./xrpc.ts";

export const uploads = new Table(
  "bluesky_video_uploads",
  {
    job_id: key(),
    did: text(),
    team_id: integer(),
    media_id: integer(),
    size: integer(),
    state: text<"created" | "completed" | "failed" | "aborted" | "expired">(),
    completed_job_id: optional(text()),
    failure_reason: optional(text()),
    expires_at: integer(),
  },
  { indexes: { by_owner: "did, team_id" } },
);

type Session = RowOf<typeof uploads>;

export const parts = new Table(
  "bluesky_video_parts",
  { job_id: text(), part_number: integer() },
  { constraint: "PRIMARY KEY (job_id, part_number)" },
);

/** Smallest part of S3 multipart uploads. */
const PART_BYTES = 5 * 1_024 * 1_024;
const SLICES_PER_PART = Math.ceil(PART_BYTES / SLICE_BYTES);
/** Source: platform notes, "Video". */
const MAX_DURATION_MS = 10 * MINUTE;
/** Bluesky publishes neither this lifetime nor the limit of open uploads. */
const SESSION_MS = HOUR;
const MAX_OPEN_UPLOADS = 10;

const startInput = z.object({
  sizeBytes: z.int().min(1),
  mimeType: z.string().min(3).max(255),
  name: z.string().max(256).optional(),
  durationMs: z.int().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
});

const jobInput = z.object({ jobId: z.string().min(1).max(256) });

const partCountOf = (sizeBytes: number): number => Math.ceil(sizeBytes / PART_BYTES);

export async function startUpload(call: Call): Promise<Response> {
  const { account } = authenticate(call);
  const input = await readInput(call, startInput);
  requireVideoType(input.mimeType);
  requireAllowance(call, account.did, input.sizeBytes);
  if ((input.durationMs ?? 0) > MAX_DURATION_MS) {
    throw invalidRequest("The video is too long", "VideoTooLong");
  }
  const { store, origin } = call.env;
  const at = now().getTime();
  forgetOldSessions(call, at - DAY);
  const open = { did: account.did, team_id: origin.teamId, state: "created" } as const;
  if (uploads.count(store, open, "AND expires_at > ?", at) >= MAX_OPEN_UPLOADS) {
    throw invalidRequest("Too many open uploads", "TooManyOpenUploads");
  }
  const jobId = `upload-${randomHex(10)}`;
  const expiresAt = at + SESSION_MS;
  uploads.insert(store, {
    ...open,
    job_id: jobId,
    media_id: reserveFile(call.env, { platform: "bluesky", owner: account.did }),
    size: input.sizeBytes,
    expires_at: expiresAt,
  });
  return Response.json({
    jobId,
    partSizeBytes: PART_BYTES,
    partCount: partCountOf(input.sizeBytes),
    expiresAt: new Date(expiresAt).toISOString(),
  });
}

function forgetOldSessions({ env: { store } }: Call, before: number): void {
  const old = "(SELECT job_id FROM bluesky_video_uploads WHERE expires_at < ?)";
  parts.delete(store, {}, `AND job_id IN ${old}`, before);
  uploads.delete(store, {}, "AND expires_at < ?", before);
}

function requireSession(call: Call, did: string, jobId: string): Session {
  const session = uploads.find(call.env.store, { job_id: jobId });
  if (session?.did !== did || session.team_id !== call.env.origin.teamId) {
    throw invalidRequest(`Could not find upload: ${jobId}`, "UploadNotFound");
  }
  const isExpired = session.state === "created" && session.expires_at <= now().getTime();
  return isExpired ? { ...session, state: "expired" } : session;
}

function refuseIfOver({ state, failure_reason }: Session): void {
  switch (state) {
    case "aborted":
      throw invalidRequest("The upload was aborted", "UploadAborted");
    case "expired":
      throw invalidRequest("The upload has expired", "UploadExpired");
    case "failed":
      throw invalidRequest(failure_reason ?? "The upload failed", "UploadFailed");
    case "created":
    case "completed":
      return;
    default:
      throw state satisfies never;
  }
}

export async function uploadPart(call: Call): Promise<Response> {
  const { account } = authenticate(call);
  const session = requireSession(call, account.did, requireParam(call, "jobId"));
  refuseIfOver(session);
  if (session.state === "completed") {
    throw invalidRequest("The upload is complete", "UploadAlreadyCompleted");
  }
  const partNumber = Number(requireParam(call, "partNumber"));
  const partCount = partCountOf(session.size);
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > partCount) {
    throw invalidRequest(`Part number must be 1 to ${partCount}`, "InvalidPartNumber");
  }
  const type = requireBody(call);
  if (type !== "application/octet-stream") {
    throw invalidRequest(`Wrong request encoding (Content-Type): ${type}`);
  }
  const expected = Math.min(PART_BYTES, session.size - (partNumber - 1) * PART_BYTES);
  const declared = Number(call.req.header("content-length") ?? Number.NaN);
  const bytes = declared === expected ? await readBody(call.req.raw, expected) : null;
  if (bytes?.byteLength !== expected) {
    throw invalidRequest(
      `Part ${partNumber} must have ${expected} bytes, got ${declared}`,
      "PartSizeMismatch",
    );
  }
  refuseIfOver(requireSession(call, account.did, session.job_id));
  for (let offset = 0, slice = 0; offset < expected; offset += SLICE_BYTES) {
    const position = (partNumber - 1) * SLICES_PER_PART + slice++;
    call.env.store.media.writeSlice(
      session.media_id,
      position,
      bytes.subarray(offset, offset + SLICE_BYTES),
    );
  }
  const part = { job_id: session.job_id, part_number: partNumber };
  parts.insert(call.env.store, part, "OR IGNORE");
  return Response.json({ partNumber, sizeBytes: expected });
}

const receivedParts = (call: Call, { job_id }: Session): number[] =>
  parts
    .list(call.env.store, { job_id }, "ORDER BY part_number")
    .map(({ part_number }) => part_number);

const endSession = (
  { env: { store } }: Call,
  { job_id }: Session,
  ending: Pick<Session, "state"> & Partial<Session>,
): void => uploads.update(store, { job_id }, ending);

const completedAnswer = (call: Call, jobId: string) => ({
  completedJobId: jobId,
  jobStatus: readJob(call, jobId),
});

export async function finishUpload(call: Call): Promise<Response> {
  const { account, expiresAt } = authenticate(call);
  const { jobId } = await readInput(call, jobInput);
  const session = requireSession(call, account.did, jobId);
  refuseIfOver(session);
  if (session.completed_job_id)
    return Response.json(completedAnswer(call, session.completed_job_id));
  const received = new Set(receivedParts(call, session));
  const all = Array.from({ length: partCountOf(session.size) }, (_, index) => index + 1);
  const missing = all.filter((number) => !received.has(number));
  if (missing.length > 0) {
    throw invalidRequest(`Missing parts: ${missing.join(", ")}`, "MissingParts");
  }
  const { media } = call.env.store;
  if (media.storedBytes(session.media_id) !== session.size) {
    endSession(call, session, { state: "failed", failure_reason: "The parts were lost" });
    throw invalidRequest("The parts were lost", "UploadFailed");
  }
  const { isVideo, ...video } = await readVideo(call, session.media_id);
  // Another call may have finished the upload.
  const current = requireSession(call, account.did, jobId);
  refuseIfOver(current);
  if (current.completed_job_id)
    return Response.json(completedAnswer(call, current.completed_job_id));
  if (!isVideo) {
    const reason = "The content of the file is not a supported video";
    endSession(call, session, { state: "failed", failure_reason: reason });
    media.discard(session.media_id);
    throw invalidRequest(reason, "UnsupportedContentType");
  }
  const { status } = createJob(call, account, {
    ...video,
    media_id: session.media_id,
    size: session.size,
    token_expires_at: expiresAt,
  });
  endSession(call, session, { state: "completed", completed_job_id: status.jobId });
  return Response.json(completedAnswer(call, status.jobId));
}

export async function getUploadStatus(call: Call): Promise<Response> {
  const { account } = authenticate(call);
  const session = requireSession(call, account.did, requireParam(call, "jobId"));
  const { completed_job_id: completedJobId, failure_reason: failureReason } = session;
  return Response.json({
    jobId: session.job_id,
    partSizeBytes: PART_BYTES,
    partCount: partCountOf(session.size),
    receivedParts: receivedParts(call, session),
    expiresAt: new Date(session.expires_at).toISOString(),
    state: session.state,
    ...(completedJobId ? completedAnswer(call, completedJobId) : {}),
    ...(failureReason ? { failureReason } : {}),
  });
}

export async function abortUpload(call: Call): Promise<Response> {
  const { account } = authenticate(call);
  const { jobId } = await readInput(call, jobInput);
  const session = requireSession(call, account.did, jobId);
  if (session.state === "created") {
    endSession(call, session, { state: "aborted" });
    call.env.store.media.discard(session.media_id);
    return Response.json({ state: "aborted" });
  }
  const { state, completed_job_id: completedJobId, failure_reason: failureReason } = session;
  return Response.json({
    state,
    ...(completedJobId ? { completedJobId } : {}),
    ...(failureReason ? { failureReason } : {}),
  });
}
