import * as z from "zod";
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

/** Life of the token that the service writes the video with. Source: Bluesky's own client. */
const UPLOAD_TOKEN_SECONDS = 1_800;
/** Within the life of that token: later the service could not deliver the video any more. */
const PROCESSING_DEADLINE_SECONDS = 1_500;
/** Intervals between looks at a job: short at first, because short videos take seconds. */
const FIRST_LOOK_SECONDS = 2;
const LONGEST_LOOK_SECONDS = 5;
/** Times that one upload may be found less far than its bookmark says. */
const MAX_RECOVERIES = 3;

/** Progress of the video of a post; `missing`: numbers of the parts that are still to be sent. */
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
  /** `since` in epoch milliseconds. */
  z.object({ stage: z.literal("processing"), jobId: z.string(), since: z.number() }),
  z.object({ stage: z.literal("processed"), blob }),
]);

type VideoBookmark = z.infer<typeof videoBookmark>;
type Uploading = Extract<VideoBookmark, { stage: "uploading" }>;

/** A step on the way, or the video as it has to stand in the record. */
type VideoStep = Prepared | { kind: "processed"; blob: Blob };

/**
 * One step of bringing a video to the account's server. The service stores the parts, converts the
 * video and writes it there, with a token of the account's server for exactly that.
 *
 * @param bookmark of the step before; null begins
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
  }
}

/**
 * The DID of the server at an origin: of its host alone, without a port. So the reference server names
 * itself unless it is told otherwise, and so Bluesky's own client addresses it.
 *
 * @see https://atproto.com/specs/did
 */
export const didOfServer = (origin: string): string => `did:web:${new URL(origin).hostname}`;

const serverOf = (job: Job): string => job.account.service ?? ENTRYWAY;

type ServiceToken = Promise<Result<string, Stopped>>;

/** A token for the video service, which writes to the account's server with it. Never stored. */
async function uploadToken(job: Job): ServiceToken {
  const request = getServiceAuthRequest(serverOf(job), job.accessToken, {
    audience: didOfServer(serverOf(job)),
    method: "com.atproto.repo.uploadBlob",
    expiresAt: addSeconds(job.now(), UPLOAD_TOKEN_SECONDS),
  });
  const reply = await readGetServiceAuthReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

const EXTENSIONS: Record<string, string> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
};

/** Only the service sees that name. */
const nameOf = ({ sha256, mime }: MediaItem): string =>
  `${sha256.slice(0, 12)}.${EXTENSIONS[mime] ?? "mp4"}`;

/** `length` bytes as a body of known length, which goes out without being held in memory. */
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

/** Its token is fresh: it has to outlive the processing. */
async function finishUpload(job: Job, at: Uploading): Promise<VideoStep> {
  const token = await uploadToken(job);
  if (!token.ok) return token.error;
  const reply = await readFinishUploadReply(
    await job.fetch(finishUploadRequest(token.value, at.jobId)),
  );
  if (reply.ok) return judgeJob(reply.value, processing(job, reply.value.jobId));
  return recover(job, at, token.value, reply.error);
}

/** After a refusal of a part or of the end: on from where the service is, or given up. */
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

/** Frees the place that an upload takes until it expires. Best effort: nothing rests on it. */
async function abandon(job: Job, token: string, jobId: string): Promise<void> {
  try {
    const reply = await job.fetch(abortUploadRequest(token, jobId));
    await reply.body?.cancel();
  } catch {}
}

/** The way before uploads in parts. A repeat sends everything again; the service knows it by then. */
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
  // The answer may say no more of the earlier job than its id.
  if (reply.value.error === "already_exists" && !reply.value.blob) return next(bookmark);
  return judgeJob(reply.value, bookmark);
}

/** Asked before a whole video is sent for nothing; an upload in parts is refused at its start. */
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

/** The bookmark stays the same while nothing changes, so that the runner sees when that lasts too long. */
const look = (at: Processing, waitedSeconds: number): Waiting =>
  waiting(at, growingLook(FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS, waitedSeconds));

/** A job can fail and still have left the video on the account's server: that is all we want of it. */
function judgeJob(status: JobStatus, bookmark: Processing, waitedSeconds = 0): VideoStep {
  if (status.blob) return next({ stage: "processed", blob: status.blob });
  if (status.state === "JOB_STATE_FAILED") return toJobRefused(status);
  if (status.state === "JOB_STATE_COMPLETED") {
    return sendAgain("Bluesky's video service has finished the video without storing it.");
  }
  return look(bookmark, waitedSeconds);
}

/** Trouble with a question about the job, such as too many of them, is no trouble with the job. */
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
