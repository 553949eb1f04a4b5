import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";
import { reserveFile } from "../kit/files.ts";
import { readBody } from "../kit/input.ts";
import { SLICE_BYTES } from "../kit/media-store.ts";
import type { Call } from "../kit/simulator.ts";
import { authenticate, readVideo, requireAllowance, requireVideoType } from "./video-intake.ts";
import { createJob, readJob } from "./video-jobs.ts";
import { invalidRequest, readInput, requireBody, requireParam } from "./xrpc.ts";

export const VIDEO_UPLOADS_SCHEMA = `
CREATE TABLE IF NOT EXISTS bluesky_video_uploads (
  job_id TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  media_id INTEGER NOT NULL,
  size INTEGER NOT NULL,
  state TEXT NOT NULL,
  completed_job_id TEXT,
  failure_reason TEXT,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS bluesky_video_uploads_by_owner ON bluesky_video_uploads (did, team_id);
CREATE TABLE IF NOT EXISTS bluesky_video_parts (
  job_id TEXT NOT NULL,
  part_number INTEGER NOT NULL,
  PRIMARY KEY (job_id, part_number)
);
`;

/** The smallest part that storage of this kind takes; the service picks its own size. */
const PART_BYTES = 5 * 1_024 * 1_024;
const SLICES_PER_PART = Math.ceil(PART_BYTES / SLICE_BYTES);
/** Source: platform notes, "Video". */
const MAX_DURATION_MS = 10 * MINUTE;
/** The real figures of these two are not published. */
const SESSION_MS = HOUR;
const MAX_OPEN_UPLOADS = 10;

type Session = {
  job_id: string;
  did: string;
  team_id: number;
  media_id: number;
  size: number;
  state: "created" | "completed" | "failed" | "aborted" | "expired";
  completed_job_id: string | null;
  failure_reason: string | null;
  expires_at: number;
};

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
  const { open } = store.sql
    .exec<{ open: number }>(
      `SELECT count(*) AS open FROM bluesky_video_uploads
       WHERE did = ? AND team_id = ? AND state = 'created' AND expires_at > ?`,
      account.did,
      origin.teamId,
      at,
    )
    .one();
  if (open >= MAX_OPEN_UPLOADS) {
    throw invalidRequest("Too many open uploads", "TooManyOpenUploads");
  }
  const jobId = `upload-${randomHex(10)}`;
  const expiresAt = at + SESSION_MS;
  store.insert("bluesky_video_uploads", {
    job_id: jobId,
    did: account.did,
    team_id: origin.teamId,
    media_id: reserveFile(call.env, { platform: "bluesky", owner: account.did }),
    size: input.sizeBytes,
    state: "created",
    expires_at: expiresAt,
  });
  return Response.json({
    jobId,
    partSizeBytes: PART_BYTES,
    partCount: partCountOf(input.sizeBytes),
    expiresAt: new Date(expiresAt).toISOString(),
  });
}

function forgetOldSessions(call: Call, before: number): void {
  call.env.store.sql.exec(
    `DELETE FROM bluesky_video_parts WHERE job_id IN
       (SELECT job_id FROM bluesky_video_uploads WHERE expires_at < ?)`,
    before,
  );
  call.env.store.sql.exec("DELETE FROM bluesky_video_uploads WHERE expires_at < ?", before);
}

/** The caller's own session, in any state. */
function requireSession(call: Call, did: string, jobId: string): Session {
  const session = call.env.store.find<Session>("bluesky_video_uploads", { job_id: jobId });
  if (session?.did !== did || session.team_id !== call.env.origin.teamId) {
    throw invalidRequest(`Could not find upload: ${jobId}`, "UploadNotFound");
  }
  const isExpired = session.state === "created" && session.expires_at <= now().getTime();
  return isExpired ? { ...session, state: "expired" } : session;
}

/** @throws Refusal for a session that takes no more parts */
function refuseIfOver({ state, failure_reason }: Session): void {
  switch (state) {
    case "aborted":
      throw invalidRequest("The upload was aborted", "UploadAborted");
    case "expired":
      throw invalidRequest("The upload has expired", "UploadExpired");
    case "failed":
      throw invalidRequest(failure_reason ?? "The upload failed", "UploadFailed");
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
  // Reading took a while: the session may have ended meanwhile.
  refuseIfOver(requireSession(call, account.did, session.job_id));
  for (let offset = 0, slice = 0; offset < expected; offset += SLICE_BYTES) {
    const position = (partNumber - 1) * SLICES_PER_PART + slice++;
    call.env.store.media.writeSlice(
      session.media_id,
      position,
      bytes.subarray(offset, offset + SLICE_BYTES),
    );
  }
  call.env.store.sql.exec(
    "INSERT OR IGNORE INTO bluesky_video_parts VALUES (?, ?)",
    session.job_id,
    partNumber,
  );
  return Response.json({ partNumber, sizeBytes: expected });
}

const receivedParts = (call: Call, { job_id }: Session): number[] =>
  call.env.store.sql
    .exec<{ part_number: number }>(
      "SELECT part_number FROM bluesky_video_parts WHERE job_id = ? ORDER BY part_number",
      job_id,
    )
    .toArray()
    .map((row) => row.part_number);

function endSession(
  call: Call,
  { job_id }: Session,
  state: Session["state"],
  outcome: { completedJobId?: string; failureReason?: string } = {},
): void {
  const changed = {
    state,
    completed_job_id: outcome.completedJobId ?? null,
    failure_reason: outcome.failureReason ?? null,
  };
  call.env.store.update("bluesky_video_uploads", { job_id }, changed);
}

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
    endSession(call, session, "failed", { failureReason: "The parts were lost" });
    throw invalidRequest("The parts were lost", "UploadFailed");
  }
  const video = await readVideo(call, session.media_id);
  // Reading took a while: the same call may have been answered meanwhile.
  const current = requireSession(call, account.did, jobId);
  refuseIfOver(current);
  if (current.completed_job_id)
    return Response.json(completedAnswer(call, current.completed_job_id));
  if (!video.isVideo) {
    const reason = "The content of the file is not a supported video";
    endSession(call, session, "failed", { failureReason: reason });
    media.discard(session.media_id);
    throw invalidRequest(reason, "UnsupportedContentType");
  }
  const { status } = createJob(call, account, {
    ...video,
    mediaId: session.media_id,
    sizeBytes: session.size,
    tokenExpiresAt: expiresAt,
  });
  endSession(call, session, "completed", { completedJobId: status.jobId });
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

/** A session that has come to an end keeps it. */
export async function abortUpload(call: Call): Promise<Response> {
  const { account } = authenticate(call);
  const { jobId } = await readInput(call, jobInput);
  const session = requireSession(call, account.did, jobId);
  if (session.state === "created") {
    endSession(call, session, "aborted");
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
