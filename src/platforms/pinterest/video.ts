import type { MediaItem, Prepared, Waiting } from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import { ageOf, next, ready, steppedLook, waiting } from "../kit/steps.ts";
import {
  getMediaRequest,
  readGetMediaReply,
  readRegisterVideoReply,
  registerVideoRequest,
} from "./api.ts";
import type { Job, Processing, Ready } from "./bookmark.ts";
import { toRefused, toUploadRefused } from "./failures.ts";
import { readUploadVideoReply, uploadVideoRequest } from "./upload-form.ts";
import { videoProblem } from "./video-rules.ts";

const FIRST_LOOK = 5;
const EARLY_LOOKS = [{ until: 60, every: 10 }];
const LATER_LOOKS = 20;

/** A separate step gives the transfer its full time. */
export async function checkVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const problem = videoProblem(await job.inspectVideo(item));
  if (problem) return mediaInvalid(problem);
  return next({ stage: "checked" });
}

/** Contains secrets and is worthless after a broken transfer, so the upload URL is not stored. */
export async function sendVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const request = registerVideoRequest(job.accessToken);
  const registered = await readRegisterVideoReply(await job.fetch(request));
  if (!registered.ok) return toRefused(registered.error);
  const { sizeBytes, mime } = item;
  const sent = await job.transfer(item, (data) =>
    uploadVideoRequest(registered.value, { data, sizeBytes, mime }),
  );
  const reply = await readUploadVideoReply(sent);
  if (!reply.isTaken) return toUploadRefused(reply);
  const { mediaId } = registered.value;
  const since = job.now().getTime();
  return waiting<Processing>({ stage: "processing", mediaId, since }, FIRST_LOOK);
}

/** An unchanged bookmark lets the runner notice a stalled video. */
const lookAgain = (at: Processing, now: Date): Waiting =>
  waiting(at, steppedLook(EARLY_LOOKS, LATER_LOOKS, ageOf(at.since, now)));

export async function followVideo(job: Job, at: Processing): Promise<Prepared> {
  const request = getMediaRequest(job.accessToken, at.mediaId);
  const reply = await readGetMediaReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error);
  switch (reply.value.status) {
    case "succeeded":
      return ready<Ready>({ stage: "ready", mediaId: at.mediaId, readyAt: job.now().getTime() });
    case "failed":
      return mediaInvalid("Pinterest could not process the video.");
    default:
      return lookAgain(at, job.now());
  }
}
