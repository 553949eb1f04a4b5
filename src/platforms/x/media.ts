import { secondsBetween } from "../../core/time.ts";
import type { MediaItem, Prepared } from "../connector.ts";
import { isGone, sendAgain } from "../kit/refusals.ts";
import { next, waiting } from "../kit/steps.ts";
import { type Reading, readDoneReply } from "./api.ts";
import type { Job, Preparing, Upload } from "./bookmark.ts";
import { GIF } from "./capabilities.ts";
import { altTexts } from "./check.ts";
import { isTemporary, isTokenRefusal, toProcessingFailure, toRefused } from "./failures.ts";
import {
  altTextRequest,
  appendRequest,
  finalizeRequest,
  initializeRequest,
  type Processing,
  readMediaReply,
  readProcessingReply,
  statusRequest,
  uploadImageRequest,
} from "./media-api.ts";
import { segmentCount, segmentRange } from "./segments.ts";

/** Each takes one file read and one call; a publish step may make ten of each. */
const SEGMENTS_PER_STEP = 4;
/** On a slow network, sending stops before the step's lease ends. */
const SENDING_SECONDS = 30;
const LOOK_SECONDS = { least: 1, max: 30, usual: 5 };

export async function uploadNext(job: Job, at: Preparing): Promise<Prepared> {
  const item = job.post.media[at.mediaIds.length];
  if (!item) throw new Error("There is no file left to upload.");
  if (item.kind === "image" && item.mime !== GIF) return uploadImage(job, at, item);
  if (!at.upload) return openUpload(job, at, item);
  if (at.upload.processed !== null) return followProcessing(job, at, at.upload);
  if (at.upload.segmentIndex < segmentCount(item.sizeBytes)) {
    return sendSegments(job, at, at.upload, item);
  }
  return finalize(job, at, at.upload);
}

const withMedia = (at: Preparing, mediaId: string): Prepared =>
  next({ ...at, upload: null, mediaIds: [...at.mediaIds, mediaId] });

async function uploadImage(job: Job, at: Preparing, item: MediaItem): Promise<Prepared> {
  const { mime, sizeBytes } = item;
  const image = { data: await job.readMedia(item), sizeBytes, mime };
  const reply = await readMediaReply(await job.fetch(uploadImageRequest(job.accessToken, image)));
  return reply.ok ? withMedia(at, reply.value) : toRefused(reply.error, job.now());
}

async function openUpload(job: Job, at: Preparing, item: MediaItem): Promise<Prepared> {
  const request = initializeRequest(job.accessToken, {
    media_type: item.mime,
    total_bytes: item.sizeBytes,
    media_category: item.kind === "video" ? at.videoCategory : "tweet_gif",
  });
  const reply = await readMediaReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error, job.now());
  const upload: Upload = { mediaId: reply.value, segmentIndex: 0, processed: null };
  return next({ ...at, upload });
}

async function sendSegments(
  job: Job,
  at: Preparing,
  upload: Upload,
  item: MediaItem,
): Promise<Prepared> {
  const startedAt = job.now();
  const end = Math.min(upload.segmentIndex + SEGMENTS_PER_STEP, segmentCount(item.sizeBytes));
  let { segmentIndex } = upload;
  while (segmentIndex < end && secondsBetween(startedAt, job.now()) < SENDING_SECONDS) {
    const range = segmentRange(item.sizeBytes, segmentIndex);
    const segment = { data: await job.readMedia(item, range), sizeBytes: range.length };
    const request = appendRequest(job.accessToken, upload.mediaId, segmentIndex, segment);
    const reply = await readDoneReply(await job.fetch(request));
    if (!reply.ok) {
      if (isGone(reply.error)) return sendAgain(reply.error.message);
      // The refusal of a later segment is handled by the next step.
      if (segmentIndex === upload.segmentIndex) return toRefused(reply.error, job.now());
      break;
    }
    segmentIndex++;
  }
  return next({ ...at, upload: { ...upload, segmentIndex } });
}

async function finalize(job: Job, at: Preparing, upload: Upload): Promise<Prepared> {
  const request = finalizeRequest(job.accessToken, upload.mediaId);
  const reply = await readProcessingReply(await job.fetch(request));
  if (reply.ok) return judge(at, upload, reply.value);
  if (reply.error.status === 400) {
    // An unanswered finalize call may have succeeded.
    const status = await askStatus(job, upload);
    if (status.ok && status.value) return judge(at, upload, status.value);
    if (!status.ok && (isTemporary(status.error) || isTokenRefusal(status.error))) {
      return toRefused(status.error, job.now());
    }
  }
  return isGone(reply.error) ? sendAgain(reply.error.message) : toRefused(reply.error, job.now());
}

const askStatus = async (job: Job, { mediaId }: Upload): Reading<Processing> =>
  readProcessingReply(await job.fetch(statusRequest(job.accessToken, mediaId)));

async function followProcessing(job: Job, at: Preparing, upload: Upload): Promise<Prepared> {
  const reply = await askStatus(job, upload);
  if (reply.ok) return judge(at, upload, reply.value);
  if (isGone(reply.error) || reply.error.status === 400) return sendAgain(reply.error.message);
  return toRefused(reply.error, job.now());
}

function judge(at: Preparing, upload: Upload, processing: Processing): Prepared {
  if (!processing || processing.state === "succeeded") return withMedia(at, upload.mediaId);
  if (processing.state === "failed") return toProcessingFailure(processing);
  const seconds = processing.check_after_secs ?? LOOK_SECONDS.usual;
  const processed = processing.progress_percent ?? 0;
  // The bookmark contains the progress, so that the runner notices a stalled file.
  return waiting(
    { ...at, upload: { ...upload, processed } },
    Math.min(Math.max(seconds, LOOK_SECONDS.least), LOOK_SECONDS.max),
  );
}

export async function describeFile(job: Job, at: Preparing, index: number): Promise<Prepared> {
  const mediaId = at.mediaIds[index];
  if (!mediaId) throw new Error("There is no image left to describe.");
  const request = altTextRequest(job.accessToken, mediaId, altTexts.textOf(job.post, index));
  const reply = await readDoneReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error, job.now());
  return next({ ...at, described: index + 1 });
}
