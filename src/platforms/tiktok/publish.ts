import type { Bookmark, Prepared, Reconciled, Settled, Submitted } from "../connector.ts";
import { placeAt } from "../kit/bookmarks.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import { firstFile, ready, waiting } from "../kit/steps.ts";
import { readBookmark } from "./bookmark.ts";
import type { Job } from "./creator.ts";
import { findPhotos, preparePhotos, sendPhotos } from "./photos.ts";
import { findVideo, followPost } from "./status.ts";
import { openVideo, sendChunk, sendLastChunk } from "./video.ts";

export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  const [item] = job.post.media;
  if (!item) return mediaInvalid("TikTok has no posts without a video or photos.");
  if (bookmark === null) return item.kind === "video" ? openVideo(job, item) : preparePhotos(job);
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? sendChunk(job, item, at) : ready(bookmark);
}

export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "uploading":
      return sendLastChunk(job, firstFile(job), at);
    case "photos":
      return sendPhotos(job, at);
    case "processing":
      return waiting(at, 0);
    default:
      return at satisfies never;
  }
}

export async function settle(job: Job, bookmark: Bookmark): Promise<Settled> {
  return followPost(job, placeAt(readBookmark(bookmark), "processing"));
}

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const at = readBookmark(bookmark);
  switch (at.stage) {
    case "uploading":
      return findVideo(job, at, firstFile(job).sizeBytes);
    case "photos":
      return findPhotos(job, at);
    case "processing":
      return waiting(at, 0);
    default:
      return at satisfies never;
  }
}
