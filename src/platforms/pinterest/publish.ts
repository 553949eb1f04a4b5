import type { Bookmark, Prepared, Reconciled, Submitted } from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import { firstFile, ready, undecided } from "../kit/steps.ts";
import { createPinRequest, readCreatePinReply } from "./api.ts";
import { type Job, type Ready, readBookmark, readReady } from "./bookmark.ts";
import { isUndecided, toRefused } from "./failures.ts";
import { findPin } from "./find-pin.ts";
import { createInlinePinRequest, type InlineImage } from "./inline-images.ts";
import { toPin, toPinFields, toPublished } from "./pin.ts";
import { checkVideo, followVideo, sendVideo } from "./video.ts";

export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  if (bookmark === null) {
    const [item] = job.post.media;
    if (!item) return mediaInvalid("Pinterest has no pins without an image or a video.");
    if (item.kind === "video") return checkVideo(job, item);
    return ready<Ready>({ stage: "ready", mediaId: null, readyAt: job.now().getTime() });
  }
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "checked":
      return sendVideo(job, firstFile(job));
    case "processing":
      return followVideo(job, at);
    case "ready":
      return ready(bookmark);
    default:
      return at satisfies never;
  }
}

/** A second call creates a second pin. */
export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const pin = await toPin(job, readReady(bookmark));
  const made = await makePin(job, createPinRequest(job.accessToken, pin));
  const isNotFetched = made.kind === "failed" && made.failure.code === "media_unreachable";
  if (!isNotFetched || pin.media_source.source_type === "video_id") return made;
  // Pinterest cannot download from this instance.
  const images = job.post.media.map(
    (item): InlineImage => ({ ...item, read: () => job.readMedia(item) }),
  );
  return makePin(job, createInlinePinRequest(job.accessToken, toPinFields(job), images));
}

async function makePin(job: Job, request: Request): Promise<Submitted> {
  const reply = await readCreatePinReply(await job.fetch(request));
  if (reply.ok) return toPublished(reply.value.id);
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  return toRefused(reply.error);
}

export const reconcile = (job: Job, bookmark: Bookmark): Promise<Reconciled> =>
  findPin(job, readReady(bookmark));

export function findPublished(job: Job, since: Date): Promise<Reconciled> {
  // Any id says that the pin is a video.
  const mediaId = job.post.media[0]?.kind === "video" ? "video" : null;
  return findPin(job, { stage: "ready", mediaId, readyAt: since.getTime() });
}
