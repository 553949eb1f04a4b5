import type { MediaItem, Prepared, Submitted } from "../connector.ts";
import { failed, sendAgain } from "../kit/refusals.ts";
import { next, ready, undecided } from "../kit/steps.ts";
import type { Job, Uploading } from "./bookmark.ts";
import { isUndecided, isWrongOffset, toRefused } from "./failures.ts";
import { accepted, judgeRefusedFinish } from "./progress.ts";
import {
  type ChunkRefusal,
  finishVideoRequest,
  readFinishReply,
  readStartVideoReply,
  readTransferVideoReply,
  startVideoRequest,
  transferVideoRequest,
} from "./video-api.ts";
import { UNREADABLE } from "./video-rules.ts";

/** Fits well within a call's time limit. */
export const MAX_CHUNK_BYTES = 52_428_800;
/** How often Facebook may fail to take a part before the upload restarts. */
const MAX_REALIGNMENTS = 3;

export async function openVideo(job: Job, item: MediaItem): Promise<Prepared> {
  if ((await job.inspectVideo(item)) === null) return failed("media_invalid", UNREADABLE);
  const { platformAccountId: pageId } = job.account;
  const request = startVideoRequest(job.accessToken, pageId, item.sizeBytes);
  const reply = await readStartVideoReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error);
  return next<Uploading>({ stage: "uploading", ...reply.value, realigned: 0 });
}

export async function sendChunk(job: Job, item: MediaItem, at: Uploading): Promise<Prepared> {
  const { start: offset, sessionId } = at;
  const end = Math.min(at.end, item.sizeBytes, offset + MAX_CHUNK_BYTES);
  if (offset >= end) {
    return offset === item.sizeBytes
      ? ready(at)
      : sendAgain(`Facebook has ${offset} bytes of the video and wants no more.`);
  }
  const length = end - offset;
  const data = await job.readMedia(item, { offset, length });
  const { platformAccountId: pageId } = job.account;
  const chunk = { data, offset, length };
  const request = transferVideoRequest(job.accessToken, pageId, sessionId, chunk);
  const reply = await readTransferVideoReply(await job.fetch(request));
  if (!reply.ok) {
    return isWrongOffset(reply.error) ? realign(at, reply.error) : toRefused(reply.error);
  }
  if (reply.value.start === offset) return realign(at, { expected: reply.value, message: STUCK });
  return next({ ...at, ...reply.value });
}

const STUCK = "Facebook does not take the next part of the video.";

function realign(at: Uploading, refusal: Pick<ChunkRefusal, "expected" | "message">): Prepared {
  if (refusal.expected === null || at.realigned >= MAX_REALIGNMENTS)
    return sendAgain(refusal.message);
  return next({ ...at, ...refusal.expected, realigned: at.realigned + 1 });
}

export async function finishVideo(job: Job, at: Uploading): Promise<Submitted> {
  const { title, description } = job.post;
  const { platformAccountId: pageId } = job.account;
  const texts = { title, description };
  const request = finishVideoRequest(job.accessToken, pageId, at.sessionId, texts);
  const reply = await readFinishReply(await job.fetch(request));
  if (reply.ok) return accepted(job, { videoId: at.videoId, isReel: false, isUnlabelled: false });
  const { message } = reply.error;
  if (isUndecided(reply.error)) return undecided(message);
  return judgeRefusedFinish(job, at, reply.error);
}
