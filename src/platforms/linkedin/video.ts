import type { MediaItem, Prepared } from "../connector.ts";
import { mediaInvalid, sendAgain } from "../kit/refusals.ts";
import { next } from "../kit/steps.ts";
import { readDoneReply } from "./api.ts";
import type { VideoPlace } from "./bookmark.ts";
import { isTemporary, isTokenRefusal, toRefused, toUploadRefused } from "./failures.ts";
import {
  finalizeVideoRequest,
  getAssetRequest,
  initializeVideoRequest,
  putPartRequest,
  readAssetReply,
  readInitializeVideoReply,
  readPutPartReply,
} from "./media-api.ts";
import { pack, unpack } from "./packing.ts";
import { beginProcessing, type Job } from "./processing.ts";
import { videoProblem } from "./video-rules.ts";

export async function openVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const problem = videoProblem(await job.inspectVideo(item));
  if (problem) return mediaInvalid(problem);
  const owner = job.account.platformAccountId;
  const request = initializeVideoRequest(job.accessToken, owner, item.sizeBytes);
  const opened = await readInitializeVideoReply(await job.fetch(request));
  if (!opened.ok) return toRefused(opened.error);
  const { parts, ...upload } = opened.value;
  const progress = await pack({ parts, etags: [] });
  return next<VideoPlace>({ stage: "video", ...upload, progress });
}

export async function sendVideo(job: Job, item: MediaItem, at: VideoPlace): Promise<Prepared> {
  const { parts, etags } = await unpack(at.progress);
  const [part, ...others] = parts;
  if (!part) return finishVideo(job, at, etags);
  if (part.lastByte >= item.sizeBytes) {
    return sendAgain("LinkedIn asks for bytes that are not in the video.");
  }
  const range = { offset: part.firstByte, length: part.lastByte - part.firstByte + 1 };
  const data = await job.readMedia(item, range);
  const taken = await readPutPartReply(await job.fetch(putPartRequest(part, data)));
  if (!taken.ok) return toUploadRefused(taken.error);
  if (taken.value === null) {
    return sendAgain("LinkedIn took a part of the video, but gave no id for it.");
  }
  const progress = await pack({ parts: others, etags: [...etags, taken.value] });
  return next({ ...at, progress });
}

async function finishVideo(job: Job, at: VideoPlace, etags: string[]): Promise<Prepared> {
  const reply = await readDoneReply(
    await job.fetch(finalizeVideoRequest(job.accessToken, { ...at, etags })),
  );
  if (reply.ok) return beginProcessing(job, [at.video]);
  const refused = toRefused(reply.error);
  if (refused.kind === "token_expired" || refused.transient) return refused;
  // LinkedIn refuses a second finalize call, so the video's status decides.
  const look = await readAssetReply(
    await job.fetch(getAssetRequest(job.accessToken, "video", at.video)),
  );
  if (!look.ok && (isTemporary(look.error) || isTokenRefusal(look.error))) {
    return toRefused(look.error);
  }
  // With a person's token, 403 means that processing has begun.
  const isFinished = look.ok
    ? /^(?:PROCESSING|AVAILABLE)$/.test(look.value.status)
    : look.error.status === 403 && reply.error.status !== 403;
  return isFinished ? beginProcessing(job, [at.video]) : refused;
}
