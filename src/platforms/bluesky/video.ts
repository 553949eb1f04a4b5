import * as z from "zod";
import { fileNameOf } from "../../core/file-type.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { Bookmark, MediaItem, Prepared, PublishJob, Stopped, Waiting } from "../connector.ts";
import { failed, sendAgain } from "../kit/refusals.ts";
import { ageOf, growingLook, next, waiting } from "../kit/steps.ts";
import { type Blob, blob, ENTRYWAY, type XrpcRefusal } from "./api.ts";
import { toRefused } from "./failures.ts";
import type { BlueskySettings } from "./settings.ts";
import {
  abortUploadRequest,
  finishUploadRequest,
  getJobStatusRequest,
  getServiceAuthRequest,
  getUploadLimitsRequest,
  getUploadStatusRequest,
  type JobStatus,
  readFinishUploadReply,
  readGetJobStatusReply,
  readGetServiceAuthReply,
  readGetUploadLimitsReply,
  readGetUploadStatusReply,
  readStartUploadReply,
  readUploadPartReply,
  readUploadVideoReply,
  startUploadRequest,
  uploadPartRequest,
  uploadVideoRequest,
  VIDEO_SERVICE_DID,
} from "./video-api.ts";
import {
  isOfEveryWay,
  isSessionOpen,
  isUnclear,
  toJobRefused,
  toLimitRefused,
  toVideoRefused,
} from "./video-failures.ts";

type Job = PublishJob<BlueskySettings>;

/** Life of the upload token. Source: Bluesky's own client. */
const UPLOAD_TOKEN_SECONDS = 1_800;
/** Shorter than the token's life: with an expired token the service cannot deliver the video. */
const PROCESSING_DEADLINE_SECONDS = 1_500;
const FIRST_LOOK_SECONDS = 2;
const LONGEST_LOOK_SECONDS = 5;
/** How often an upload may lack parts that its bookmark counts as sent. */
const MAX_RECOVERIES = 3;

export const videoBookmark = z.discriminatedUnion("stage", [
  z.object({
    stage: z.literal("uploading"),
    jobId: z.string(),
    partSizeBytes: z.int().positive(),
    partCount: z.int().positive(),
    missing: z.array(z.int().positive()),
    recoveries: z.int(),
  }),
  z.object({ stage: z.literal("single_shot") }),
  /** `since`: epoch ms. */
  z.object({ stage: z.literal("processing"), jobId: z.string(), since: z.number() }),
  z.object({ stage: z.literal("processed"), blob }),
]);

type VideoBookmark = z.infer<typeof videoBookmark>;
type Uploading = Extract<VideoBookmark, { stage: "uploading" }>;

type VideoStep = Prepared | { kind: "processed"; blob: Blob };

/**
 * The service converts the video and writes it to the account's server.
 * @param bookmark null begins the upload
 */
export async function transferVideo(
  job: Job,
  item: MediaItem,
  bookmark: Bookmark | null,
): Promise<VideoStep> {
  if (bookmark === null) return startUpload(job, item);
  const at = videoBookmark.parse(bookmark);
  switch (at.stage) {
    case "uploading":
      return at.missing.length > 0 ? sendPart(job, item, at) : finishUpload(job, at);
    case "single_shot":
      return sendWhole(job, item);
    case "processing":
      return followJob(job, at);
    case "processed":
      return { kind: "processed", blob: at.blob };
    default:
      return at satisfies never;
  }
}

/**
 * Host without port, as in Bluesky's own client.
 * @see https://atproto.com/specs/did
 */
export const didOfServer = (origin: string): string => `did:web:${new URL(origin).hostname}`;

const serverOf = (job: Job): string => job.account.service ?? ENTRYWAY;

type ServiceToken = Promise<Result<string, Stopped>>;

/** Lets the service write to the account's server. Never stored. */
async function uploadToken(job: Job): ServiceToken {
  const request = getServiceAuthRequest(serverOf(job), job.accessToken, {
    audience: didOfServer(serverOf(job)),
    method: "com.atproto.repo.uploadBlob",
    expiresAt: addSeconds(job.now(), UPLOAD_TOKEN_SECONDS),
  });
  const reply = await readGetServiceAuthReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const nameOf = ({ sha256, mime }: MediaItem): string => fileNameOf(mime, sha256.slice(0, 12));

async function readBytes(job: Job, item: MediaItem, offset: number, length: number) {
  const bytes = await job.readMedia(item, { offset, length });
  return bytes.pipeThrough(new FixedLengthStream(length));
}

async function startUpload(job: Job, item: MediaItem): Promise<Prepared> {
  const token = await uploadToken(job);
  if (!token.ok) return token.error;
  const { sizeBytes, mime, width, height } = item;
  const request = startUploadRequest(token.value, {
    sizeBytes,
    mimeType: mime,
    name: nameOf(item),
    ...(width && height ? { width, height } : {}),
  });
  const reply = await readStartUploadReply(await job.fetch(request));
  if (!reply.ok) {
    const refused = toVideoRefused(reply.error, job.now());
    return isOfEveryWay(refused) ? refused : next({ stage: "single_shot" });
  }
  const { jobId, partSizeBytes, partCount } = reply.value;
  if (partCount !== Math.ceil(sizeBytes / partSizeBytes)) {
    await abandon(job, token.value, jobId);
    return sendAgain(
      "Bluesky's video service asks for parts that do not add up to the whole video.",
    );
  }
  const missing = Array.from({ length: partCount }, (_, index) => index + 1);
  return next({ stage: "uploading", jobId, partSizeBytes, partCount, missing, recoveries: 0 });
}

async function sendPart(job: Job, item: MediaItem, at: Uploading): Promise<VideoStep> {
  const [number = 1, ...missing] = at.missing;
  const token = await uploadToken(job);
  if (!token.ok) return token.error;
  const offset = (number - 1) * at.partSizeBytes;
  const length = Math.min(at.partSizeBytes, item.sizeBytes - offset);
  const data = await readBytes(job, item, offset, length);
  const request = uploadPartRequest(token.value, { jobId: at.jobId, number, data });
  const reply = await readUploadPartReply(await job.fetch(request));
  if (reply.ok) return next({ ...at, missing });
  return recover(job, at, token.value, reply.error);
}

/** Needs a new token, which outlives the processing. */
async function finishUpload(job: Job, at: Uploading): Promise<VideoStep> {
  const token = await uploadToken(job);
  if (!token.ok) return token.error;
  const reply = await readFinishUploadReply(
    await job.fetch(finishUploadRequest(token.value, at.jobId)),
  );
  if (reply.ok) return judgeJob(reply.value, processing(job, reply.value.jobId));
  return recover(job, at, token.value, reply.error);
}

async function recover(
  job: Job,
  at: Uploading,
  token: string,
  refusal: XrpcRefusal,
): Promise<VideoStep> {
  if (!isUnclear(refusal)) {
    const refused = toVideoRefused(refusal, job.now());
    const isGivenUp = refused.restart === true || !refused.transient;
    if (isGivenUp && isSessionOpen(refusal)) await abandon(job, token, at.jobId);
    return refused;
  }
  const request = getUploadStatusRequest(token, at.jobId);
  const reply = await readGetUploadStatusReply(await job.fetch(request));
  if (!reply.ok) return toVideoRefused(reply.error, job.now());
  const { state, receivedParts, completedJobId, failureReason } = reply.value;
  if (state === "finishing") {
    return waiting(at, FIRST_LOOK_SECONDS);
  }
  if (state === "completed" && completedJobId) return next(processing(job, completedJobId));
  if (state !== "created") {
    return sendAgain(failureReason || `Bluesky's video service says that the upload is ${state}.`);
  }
  if (at.recoveries >= MAX_RECOVERIES) {
    await abandon(job, token, at.jobId);
    return sendAgain(refusal.message);
  }
  const received = new Set(receivedParts);
  const all = Array.from({ length: at.partCount }, (_, index) => index + 1);
  const missing = all.filter((number) => !received.has(number));
  const bookmark = { ...at, missing, recoveries: at.recoveries + 1 };
  if (missing.length > 0) return next(bookmark);
  return waiting(bookmark, FIRST_LOOK_SECONDS);
}

/** A failure does not matter: the upload expires. */
async function abandon(job: Job, token: string, jobId: string): Promise<void> {
  try {
    const reply = await job.fetch(abortUploadRequest(token, jobId));
    await reply.body?.cancel();
  } catch {}
}

/** May be repeated, because the service recognizes the video. */
async function sendWhole(job: Job, item: MediaItem): Promise<VideoStep> {
  const allowed = await checkLimits(job);
  if (!allowed.ok) return allowed.error;
  const token = await uploadToken(job);
  if (!token.ok) return token.error;
  const sent = await job.transfer(item, (data) =>
    uploadVideoRequest(token.value, {
      did: job.account.platformAccountId,
      name: nameOf(item),
      mime: item.mime,
      data: data.pipeThrough(new FixedLengthStream(item.sizeBytes)),
    }),
  );
  const reply = await readUploadVideoReply(sent);
  if (!reply.ok) return toVideoRefused(reply.error, job.now());
  const bookmark = processing(job, reply.value.jobId);
  // The answer may contain only the earlier job's id.
  if (reply.value.error === "already_exists" && !reply.value.blob) return next(bookmark);
  return judgeJob(reply.value, bookmark);
}

/** Asks for limits first, so that no whole video is sent in vain. */
async function checkLimits(job: Job): Promise<Result<true, Stopped>> {
  const auth = getServiceAuthRequest(serverOf(job), job.accessToken, {
    audience: VIDEO_SERVICE_DID,
    method: "app.bsky.video.getUploadLimits",
    expiresAt: null,
  });
  const token = await readGetServiceAuthReply(await job.fetch(auth));
  if (!token.ok) return refuse(toRefused(token.error, job.now()));
  const reply = await readGetUploadLimitsReply(
    await job.fetch(getUploadLimitsRequest(token.value)),
  );
  if (!reply.ok) return refuse(toVideoRefused(reply.error, job.now()));
  return reply.value.canUpload ? ok(true) : refuse(toLimitRefused(reply.value));
}

type Processing = Extract<VideoBookmark, { stage: "processing" }>;

const processing = (job: Job, jobId: string): Processing => ({
  stage: "processing",
  jobId,
  since: job.now().getTime(),
});

/** An unchanged bookmark lets the runner notice a stalled job. */
const look = (at: Processing, waitedSeconds: number): Waiting =>
  waiting(at, growingLook(FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS, waitedSeconds));

/** A job may fail after it stored the video, which then counts. */
function judgeJob(status: JobStatus, bookmark: Processing, waitedSeconds = 0): VideoStep {
  if (status.blob) return next({ stage: "processed", blob: status.blob });
  if (status.state === "JOB_STATE_FAILED") return toJobRefused(status);
  if (status.state === "JOB_STATE_COMPLETED") {
    return sendAgain("Bluesky's video service has finished the video without storing it.");
  }
  return look(bookmark, waitedSeconds);
}

/** Rate limits and timeouts say nothing about the job. */
const isRefused = ({ status }: XrpcRefusal): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

async function followJob(job: Job, at: Processing): Promise<VideoStep> {
  const waitedSeconds = ageOf(at.since, job.now());
  const reply = await readGetJobStatusReply(await job.fetch(getJobStatusRequest(at.jobId)));
  if (reply.ok) {
    const step = judgeJob(reply.value, at, waitedSeconds);
    if (step.kind !== "waiting") return step;
  } else if (isRefused(reply.error)) return sendAgain(reply.error.message);
  if (waitedSeconds < PROCESSING_DEADLINE_SECONDS) return look(at, waitedSeconds);
  const minutes = PROCESSING_DEADLINE_SECONDS / 60;
  return failed(
    "platform_processing_timeout",
    `Bluesky has not finished processing the video after ${minutes} minutes; nothing was posted.`,
  );
}
