import { secondsBetween } from "../../core/time.ts";
import type { MediaItem, Prepared, PublishJob, Waiting } from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import {
  getMediaRequest,
  readGetMediaReply,
  readRegisterVideoReply,
  registerVideoRequest,
} from "./api.ts";
import type { Processing, Ready } from "./bookmark.ts";
import { toRefused, toUploadRefused } from "./failures.ts";
import type { PinterestSettings } from "./settings.ts";
import { readUploadVideoReply, uploadVideoRequest } from "./upload-form.ts";
import { videoProblem } from "./video-rules.ts";

type Job = PublishJob<PinterestSettings>;

/** Between looks, in seconds: a large video takes minutes. */
const FIRST_LOOK = 5;
const EARLY_LOOKS = { until: 60, every: 10 };
const LATER_LOOKS = 20;

/** A step of its own, so that the transfer which follows begins with a whole lease. */
export async function checkVideo(job: Job, item: MediaItem): Promise<Prepared> {
  const problem = videoProblem(await job.inspectVideo(item));
  if (problem) return mediaInvalid(problem);
  return { kind: "next", bookmark: { stage: "checked" } };
}

/**
 * Registers the video and sends it, in one step: the address is made of secrets, which are not worth
 * storing, since a broken transfer cannot be resumed. A registration without a file costs nothing.
 */
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
  const bookmark: Processing = { stage: "processing", mediaId, since: job.now().getTime() };
  return { kind: "waiting", bookmark, checkAfterSeconds: FIRST_LOOK };
}

/** The bookmark stays the same while nothing moves, so that the runner sees when that lasts too long. */
function lookAgain(bookmark: Processing, now: Date): Waiting {
  const waited = secondsBetween(new Date(bookmark.since), now);
  const checkAfterSeconds = waited < EARLY_LOOKS.until ? EARLY_LOOKS.every : LATER_LOOKS;
  return { kind: "waiting", bookmark, checkAfterSeconds };
}

/** Looks whether the video can be made a pin. */
export async function followVideo(job: Job, at: Processing): Promise<Prepared> {
  const request = getMediaRequest(job.accessToken, at.mediaId);
  const reply = await readGetMediaReply(await job.fetch(request));
  if (!reply.ok) return toRefused(reply.error);
  switch (reply.value.status) {
    case "succeeded": {
      const { mediaId } = at;
      const bookmark: Ready = { stage: "ready", mediaId, readyAt: job.now().getTime() };
      return { kind: "ready", bookmark };
    }
    case "failed":
      return mediaInvalid("Pinterest could not process the video.");
    default:
      return lookAgain(at, job.now());
  }
}
