import type { Bookmark, Prepared, Reconciled, Settled, Submitted } from "../connector.ts";
import { placeAt } from "../kit/bookmarks.ts";
import { ready, undecided, waiting } from "../kit/steps.ts";
import { createPostRequest, readPostReply } from "./api.ts";
import { type Ready, readBookmark } from "./bookmark.ts";
import { isNotFetched, isUndecided, toRefused } from "./failures.ts";
import { findPost } from "./find-post.ts";
import { type Job, withMedia } from "./local-post.ts";
import { followReview, judgeState } from "./review.ts";

export const prepare = (job: Job, bookmark: Bookmark | null): Prepared =>
  ready(bookmark ?? ({ stage: "ready", readyAt: job.now().getTime() } satisfies Ready));

async function create(job: Job) {
  const { account, accessToken } = job;
  const request = createPostRequest(accessToken, account.platformAccountId, await withMedia(job));
  return readPostReply(await job.fetch(request));
}

/** A second call makes a second post, except after a photo that Google could not download: nothing was made. */
export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  placeAt(readBookmark(bookmark), "ready");
  const first = await create(job);
  const reply = !first.ok && isNotFetched(first.error) ? await create(job) : first;
  if (reply.ok) return judgeState(job, reply.value);
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  return toRefused(reply.error);
}

export const settle = (job: Job, bookmark: Bookmark): Promise<Settled> =>
  followReview(job, placeAt(readBookmark(bookmark), "review"));

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const place = readBookmark(bookmark);
  return place.stage === "review" ? waiting(place, 0) : findPost(job, place.readyAt);
}

export const findPublished = (job: Job, since: Date): Promise<Reconciled> =>
  findPost(job, since.getTime());
