import type { Bookmark, Prepared, Reconciled, Settled, Submitted } from "../connector.ts";
import { firstFile, ready, unknowable, waiting } from "../kit/steps.ts";
import { type Job, readBookmark } from "./bookmark.ts";
import { shapeOf } from "./check.ts";
import { findPost, preparePost, settlePost, stagePhoto, submitPost } from "./posts.ts";
import { reconcileVideo, settleVideo } from "./progress.ts";
import { finishReel, followUpload, openReel } from "./reel.ts";
import { finishVideo, openVideo, sendChunk } from "./video.ts";

export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  if (bookmark === null) return begin(job);
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "post":
      return ready(at);
    case "album":
      return stagePhoto(job, at);
    case "uploading":
      return sendChunk(job, firstFile(job), at);
    case "reel":
      return followUpload(job, firstFile(job), at);
    case "posted":
    case "processing":
      throw new Error(`A post at ${at.stage} is not prepared again.`);
    default:
      return at satisfies never;
  }
}

async function begin(job: Job): Promise<Prepared> {
  const shape = shapeOf(job.post);
  switch (shape) {
    case "text":
    case "photo":
      return preparePost(job);
    case "album":
      return stagePhoto(job, { stage: "album", photos: [], readyAt: null });
    case "video":
      return openVideo(job, firstFile(job));
    case "reel":
      return openReel(job, firstFile(job));
    default:
      return shape satisfies never;
  }
}

export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "post":
    case "album":
      return submitPost(job, at);
    case "uploading":
      return finishVideo(job, at);
    case "reel":
      return finishReel(job, at);
    case "posted":
    case "processing":
      return waiting(at, 0);
    default:
      return at satisfies never;
  }
}

export async function settle(job: Job, bookmark: Bookmark): Promise<Settled> {
  const at = readBookmark(bookmark);
  if (at.stage === "posted") return settlePost(job, at);
  if (at.stage === "processing") return settleVideo(job, at);
  throw new Error(`A post at ${at.stage} has nothing to settle.`);
}

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "post":
    case "album":
      return findPost(job, at);
    case "uploading":
    case "reel":
      return reconcileVideo(job, at);
    case "posted":
    case "processing":
      return waiting(at, 0);
    default:
      return at satisfies never;
  }
}

export async function findPublished(job: Job, since: Date): Promise<Reconciled> {
  const shape = shapeOf(job.post);
  if (shape === "video" || shape === "reel") {
    return unknowable("Facebook lists videos under ids that are not known any more.");
  }
  return findPost(job, { stage: "post", readyAt: since.getTime() });
}
