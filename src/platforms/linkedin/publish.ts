import type { Bookmark, Prepared, Submitted } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { ageOf, undecided } from "../kit/steps.ts";
import type { LinkedInRefusal } from "./api.ts";
import { type ReadyPlace, readBookmark, readReady } from "./bookmark.ts";
import { timing } from "./capabilities.ts";
import { PAGE_IS_PUBLIC } from "./check.ts";
import { isDuplicatePost, isUndecided, toRefused } from "./failures.ts";
import { sendFile } from "./files.ts";
import { publishedUnnamed, toPost, toPublished } from "./post.ts";
import { createPostRequest, postNamedIn, readCreatePostReply } from "./posts-api.ts";
import { followProcessing, type Job, toReady } from "./processing.ts";
import { reconcile } from "./reconcile.ts";
import { isOrganization, shareUrlOf } from "./urn.ts";
import { openVideo, sendVideo } from "./video.ts";

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  const { media } = job.post;
  const [first] = media;
  if (stored === null) {
    const { visibility } = job.post.settings;
    if (visibility === "CONNECTIONS" && isOrganization(job.account.platformAccountId)) {
      return failed("unknown", PAGE_IS_PUBLIC);
    }
    if (!first) return toReady(job, []);
    if (first.kind === "video") return openVideo(job, first);
    return sendFile(job, first, { stage: "files", assets: [] });
  }
  const place = readBookmark(stored);
  switch (place.stage) {
    case "files": {
      const item = media[place.assets.length];
      if (!item) throw new Error("More files were sent than the post has.");
      return sendFile(job, item, place);
    }
    case "video":
      if (!first) throw new Error("The post has lost its video.");
      return sendVideo(job, first, place);
    case "processing":
      return followProcessing(job, place);
    case "ready":
      return toReady(job, place.assets);
    default:
      return place satisfies never;
  }
}

/** Whether an earlier call may have made the post: the first comes right after `readyAt`. */
const isRepeated = (job: Job, { readyAt }: ReadyPlace): boolean =>
  ageOf(readyAt, job.now()) > timing.callSeconds;

/**
 * After a first call, the duplicate is another post. After a repeated call, only the page's list shows whether it is
 * this post.
 */
async function judgeDuplicate(
  job: Job,
  place: ReadyPlace,
  refusal: LinkedInRefusal,
): Promise<Submitted> {
  const { message } = refusal;
  if (isRepeated(job, place)) {
    const existing = await reconcile(job, place).catch(() => null);
    if (existing?.kind === "published") return existing;
    if (!existing || existing.kind === "token_expired") return undecided(message);
  } else if (job.attempt === 1) return toRefused(refusal);
  const twin = postNamedIn(message);
  const where = twin === null ? "" : ` (${shareUrlOf(twin)})`;
  return failed(
    "platform_processing_timeout",
    `LinkedIn refuses the post as a duplicate: an earlier try may have published it${where}.`,
  );
}

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const place = readReady(stored);
  const request = createPostRequest(job.accessToken, toPost(job, place.assets));
  const reply = await readCreatePostReply(await job.fetch(request));
  if (reply.ok) return reply.value === null ? publishedUnnamed(place) : toPublished(reply.value);
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  if (isDuplicatePost(reply.error)) return judgeDuplicate(job, place, reply.error);
  return toRefused(reply.error);
}
