import { ok, type Result, refuse } from "../../core/result.ts";
import type { MediaItem, Prepared, Refused, Stopped, Submitted } from "../connector.ts";
import { failed, isOutage, mediaInvalid, sendAgain } from "../kit/refusals.ts";
import { next, ready, undecided } from "../kit/steps.ts";
import {
  type ChunkReply,
  initInboxVideoRequest,
  initVideoRequest,
  type PostInfo,
  putChunkRequest,
  readInitVideoReply,
  readPutChunkReply,
} from "./api.ts";
import type { Uploading } from "./bookmark.ts";
import { videoCaption } from "./check.ts";
import { chunkRange, nextChunk, planChunks } from "./chunks.ts";
import { askCreator, asPrivate, type Creator, commonInfo, type Job, PUBLIC } from "./creator.ts";
import { toRefused } from "./failures.ts";
import { isForInbox } from "./settings.ts";
import { accepted, judgeClosedUpload } from "./status.ts";
import { videoProblem } from "./video-rules.ts";

/** How often TikTok may expect another chunk. */
const MAX_REALIGNMENTS = 3;

function toPostInfo(job: Job, creator: Creator): PostInfo {
  const { settings } = job.post;
  const cover = settings.video_cover_timestamp_ms;
  return {
    ...commonInfo(job, creator),
    title: videoCaption(job.post),
    disable_duet: creator.disableDuet,
    disable_stitch: creator.disableStitch,
    is_aigc: settings.is_aigc,
    ...(cover === null ? {} : { video_cover_timestamp_ms: cover }),
  };
}

/** The id is stored before any bytes are sent: only it tells later whether the video was published. */
export async function openVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const isInbox = isForInbox(job.post.settings);
  const creator: Result<Creator | null, Stopped> = isInbox ? ok(null) : await askCreator(job);
  if (!creator.ok) return creator.error;
  const problem = videoProblem(
    await job.inspectVideo(item),
    creator.value?.maxVideoSeconds ?? null,
  );
  if (problem) return mediaInvalid(problem);
  const plan = planChunks(item.sizeBytes);
  const file = { sizeBytes: item.sizeBytes, ...plan };
  const task = creator.value
    ? await openDirect(job, toPostInfo(job, creator.value), file, creator.value.warnings)
    : await openInbox(job, file);
  if (!task.ok) return task.error;
  return next<Uploading>({
    stage: "uploading",
    ...task.value,
    ...plan,
    next: 0,
    realigned: 0,
    username: creator.value?.username ?? null,
    isForInbox: isInbox,
  });
}

type File = Parameters<typeof initInboxVideoRequest>[1];
type Task = Promise<
  Result<Pick<Uploading, "publishId" | "uploadUrl" | "isPublic" | "warnings">, Stopped>
>;

async function openDirect(job: Job, info: PostInfo, file: File, warnings: string[]): Task {
  const request = initVideoRequest(job.accessToken, info, file);
  const reply = await readInitVideoReply(await job.fetch(request));
  if (reply.ok) return ok({ ...reply.value, isPublic: info.privacy_level === PUBLIC, warnings });
  const again = asPrivate(info, reply.error.code);
  if (!again) return refuse(toRefused(reply.error));
  return openDirect(job, again.info, file, [...warnings, again.warning]);
}

async function openInbox(job: Job, file: File): Task {
  const request = initInboxVideoRequest(job.accessToken, file);
  const reply = await readInitVideoReply(await job.fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error));
  return ok({ ...reply.value, isPublic: false, warnings: [] });
}

async function putChunk(job: Job, item: MediaItem, at: Uploading): Promise<ChunkReply> {
  const { sizeBytes, mime } = item;
  const range = chunkRange(at, sizeBytes, at.next);
  const data = await job.readMedia(item, range);
  const request = putChunkRequest(at.uploadUrl, { data, mime, sizeBytes, ...range });
  return readPutChunkReply(await job.fetch(request));
}

/** Leaves the last chunk to `submit`, because that chunk publishes the video. */
export async function sendChunk(job: Job, item: MediaItem, at: Uploading): Promise<Prepared> {
  if (at.next >= at.count - 1) {
    return ready({ ...at, next: at.count - 1 });
  }
  const reply = await putChunk(job, item, at);
  if (reply.isTaken) return next({ ...at, next: at.next + 1 });
  if (reply.status === 416) return realign(item, at, reply);
  if (isGone(reply)) return sendAgain(reply.message);
  return toChunkRefused(reply);
}

/** The upload URL expired after an hour, or TikTok dropped the task. */
const isGone = ({ status }: ChunkReply): boolean => status === 403 || status === 404;

/** The upload URL does not check the token, so a 401 says nothing about the login. */
function toChunkRefused(reply: ChunkReply): Refused {
  const refused = toRefused(reply);
  return refused.kind === "failed" ? refused : sendAgain(reply.message);
}

const chunkAfter = (at: Uploading, item: MediaItem, { uploaded }: ChunkReply): number | null =>
  uploaded === null ? null : nextChunk(at, item.sizeBytes, uploaded);

const isWhole = (at: Uploading, item: MediaItem, reply: ChunkReply): boolean =>
  reply.status === 416 && chunkAfter(at, item, reply) === at.count;

/** A complete video is never uploaded again. */
function realign(item: MediaItem, at: Uploading, reply: ChunkReply): Prepared {
  const chunk = chunkAfter(at, item, reply);
  const isHopeless = at.realigned >= MAX_REALIGNMENTS && !isWhole(at, item, reply);
  if (chunk === null || isHopeless) return sendAgain(reply.message);
  return next({ ...at, next: Math.min(chunk, at.count - 1), realigned: at.realigned + 1 });
}

export async function sendLastChunk(job: Job, item: MediaItem, at: Uploading): Promise<Submitted> {
  const reply = await putChunk(job, item, at);
  if (reply.isTaken && reply.status !== 206) return accepted(job, at);
  const { status, message } = reply;
  if (isWhole(at, item, reply)) return accepted(job, at);
  if (isOutage(reply)) return undecided(message);
  if (status === 429) return toChunkRefused(reply);
  return judgeClosedUpload(job, at, item.sizeBytes, toLastChunkRefused(reply));
}

function toLastChunkRefused(reply: ChunkReply): Refused {
  const { status, message } = reply;
  if (isGone(reply) || status === 416) return sendAgain(message);
  return status === 400 ? failed("unknown", message) : toChunkRefused(reply);
}
