import type {
  Bookmark,
  MediaItem,
  Prepared,
  Reconciled,
  Settled,
  Submitted,
} from "../connector.ts";
import { mediaInvalid } from "../kit/refusals.ts";
import { ready, waiting } from "../kit/steps.ts";
import { type Job, readBookmark } from "./bookmark.ts";
import { findVideo } from "./lookup.ts";
import { followVideo } from "./processing.ts";
import { openVideo, sendChunk, sendLastChunk } from "./session.ts";

const findFile = (job: Job): MediaItem | undefined =>
  job.post.media.find(({ kind }) => kind === "video");

function requireFile(job: Job): MediaItem {
  const item = findFile(job);
  if (!item) throw new Error("A YouTube post has no video.");
  return item;
}

export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  const item = findFile(job);
  if (!item) return mediaInvalid("YouTube takes no post without a video.");
  if (bookmark === null) return openVideo(job, item);
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? sendChunk(job, item, at) : ready(bookmark);
}

export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const at = readBookmark(bookmark);
  if (at.stage === "uploading") return sendLastChunk(job, requireFile(job), at);
  return waiting(bookmark, 0);
}

export async function settle(job: Job, bookmark: Bookmark): Promise<Settled> {
  const at = readBookmark(bookmark);
  if (at.stage !== "processing") throw new Error("A video that is not sent is not processed.");
  return followVideo(job, at);
}

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const at = readBookmark(bookmark);
  if (at.stage === "uploading") return findVideo(job, requireFile(job), at);
  return waiting(bookmark, 0);
}
