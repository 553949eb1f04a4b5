import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { DAY, SECOND } from "../../core/time.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, key, type RowOf, Table, text } from "../kit/table.ts";
import { type Account, authenticateService } from "./sessions.ts";
import { invalidRequest, requireParam } from "./xrpc.ts";

const VIDEO_SERVICE_DID = "did:web:video.bsky.app";

export const jobs = new Table(
  "bluesky_video_jobs",
  {
    job_id: key(),
    did: text(),
    team_id: integer(),
    media_id: integer(),
    cid: text(),
    sha256: text(),
    size: integer(),
    created_at: integer(),
    done_at: integer(),
    token_expires_at: integer(),
  },
  { indexes: { by_video: "did, team_id, cid", by_age: "created_at" } },
);

type Job = RowOf<typeof jobs>;

const PROCESSING_MS = 3 * SECOND;
/** Spec is silent: Bluesky does not publish the real allowance. */
const DAILY_VIDEOS = 100;
const DAILY_BYTES = 10_000_000_000;
const REMEMBERED_MS = 2 * DAY;

/** Bluesky converts videos to MP4; the simulator only changes their type. */
const PROCESSED_MIME = "video/mp4";

/** `token_expires_at`: epoch ms. An unfinished job then fails. */
type ReceivedVideo = Pick<Job, "media_id" | "cid" | "sha256" | "size" | "token_expires_at">;

interface JobStatus {
  jobId: string;
  did: string;
  state: string;
  [field: string]: unknown;
}

const isFailed = (job: Job): boolean => job.token_expires_at <= job.done_at;

/** The first query after the job stores the video on the account's server. */
function statusOf(call: Call, job: Job): JobStatus {
  const base = { jobId: job.job_id, did: job.did };
  const at = now().getTime();
  if (at < job.done_at) {
    const progress = Math.floor((100 * (at - job.created_at)) / (job.done_at - job.created_at));
    return {
      ...base,
      state: progress < 70 ? "JOB_STATE_ENCODING" : "JOB_STATE_SCANNING",
      progress,
    };
  }
  if (isFailed(job)) {
    call.env.store.media.discard(job.media_id);
    return {
      ...base,
      state: "JOB_STATE_FAILED",
      error: "pds_upload_failure",
      failureCode: "pds_upload_failure",
      message: "Failed to upload the video to the PDS: the token has expired",
    };
  }
  call.env.store.media.seal(job.media_id, {
    ref: job.cid,
    mime: PROCESSED_MIME,
    sha256: job.sha256,
  });
  const blob = {
    $type: "blob",
    ref: { $link: job.cid },
    mimeType: PROCESSED_MIME,
    size: job.size,
  };
  return { ...base, state: "JOB_STATE_COMPLETED", progress: 100, blob };
}

export function readJob(call: Call, jobId: string): JobStatus {
  const job = jobs.find(call.env.store, { job_id: jobId });
  if (!job) throw invalidRequest(`Could not find job: ${jobId}`);
  return statusOf(call, job);
}

function findSameVideo(call: Call, did: string, cid: string): JobStatus | null {
  const { store, origin } = call.env;
  const job = jobs.find(
    store,
    { did, team_id: origin.teamId, cid },
    "AND token_expires_at > done_at ORDER BY created_at DESC LIMIT 1",
  );
  const status = job ? statusOf(call, job) : null;
  const isGone = status?.blob && !store.media.find("bluesky", did, cid, origin.teamId);
  return isGone ? null : status;
}

export function createJob(
  call: Call,
  account: Account,
  video: ReceivedVideo,
): { status: JobStatus; isKnown: boolean } {
  const earlierJob = findSameVideo(call, account.did, video.cid);
  if (earlierJob) {
    call.env.store.media.discard(video.media_id);
    return { status: earlierJob, isKnown: true };
  }
  const at = now().getTime();
  const { store, origin } = call.env;
  jobs.delete(store, {}, "AND created_at < ?", at - REMEMBERED_MS);
  const jobId = `job-${randomHex(10)}`;
  jobs.insert(store, {
    ...video,
    job_id: jobId,
    did: account.did,
    team_id: origin.teamId,
    created_at: at,
    done_at: at + PROCESSING_MS,
  });
  return { status: readJob(call, jobId), isKnown: false };
}

export async function getJobStatus(call: Call): Promise<Response> {
  return Response.json({ jobStatus: readJob(call, requireParam(call, "jobId")) });
}

export function readAllowance(call: Call, did: string): { videos: number; bytes: number } {
  const { videos, bytes } = call.env.store.sql
    .exec<{ videos: number; bytes: number }>(
      `SELECT count(*) AS videos, coalesce(sum(size), 0) AS bytes FROM bluesky_video_jobs
       WHERE did = ? AND team_id = ? AND created_at > ?`,
      did,
      call.env.origin.teamId,
      now().getTime() - DAY,
    )
    .one();
  return {
    videos: Math.max(DAILY_VIDEOS - videos, 0),
    bytes: Math.max(DAILY_BYTES - bytes, 0),
  };
}

export async function getUploadLimits(call: Call): Promise<Response> {
  const { account } = authenticateService(call, {
    audience: VIDEO_SERVICE_DID,
    method: "app.bsky.video.getUploadLimits",
  });
  const { videos, bytes } = readAllowance(call, account.did);
  const canUpload = videos > 0 && bytes > 0;
  return Response.json({
    canUpload,
    remainingDailyVideos: videos,
    remainingDailyBytes: bytes,
    ...(canUpload ? {} : { message: "User has exceeded daily upload videos limit" }),
  });
}
