import type {
  MediaItem,
  Prepared,
  PublishedPost,
  Settled,
  Submitted,
  TokenExpired,
} from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { failed } from "../kit/refusals.ts";
import {
  ageOf,
  next,
  published,
  ready,
  type Unknowable,
  undecided,
  unknowable,
  waiting,
} from "../kit/steps.ts";
import type { GraphRefusal } from "../meta/graph.ts";
import { CLOCK_SLACK_SECONDS, settlePermalink, toInstant } from "../meta/published.ts";
import {
  addressOf,
  countPhotos,
  createPhotoRequest,
  createPostRequest,
  deletePhotoRequest,
  getPostRequest,
  type ListedPost,
  listPostsRequest,
  type PostList,
  readCreatePhotoReply,
  readCreatePostReply,
  readGetPostReply,
  readListPostsReply,
} from "./api.ts";
import type { AlbumPlace, Job, Posted, PostPlace } from "./bookmark.ts";
import { timing } from "./capabilities.ts";
import { altTexts, messageOf } from "./check.ts";
import { isDuplicate, isUndecided, toLinkRefused, toRefused, toUnknowable } from "./failures.ts";

/** Small, because only time distinguishes posts without text. */
const WORDLESS_SLACK_SECONDS = 5;
const MAX_LISTS = 3;

function sourceOf(job: Job, item: MediaItem): Promise<string> {
  if (job.post.settings.is_aigc) return job.mediaUrl(item, "labelled");
  return job.mediaUrl(item, item.mime === "image/webp" ? "jpeg" : "original");
}

export const preparePost = (job: Job): Prepared =>
  ready<PostPlace>({ stage: "post", readyAt: job.now().getTime() });

/** One photo per step, so that an interrupted run repeats at most one. */
export async function stagePhoto(job: Job, place: AlbumPlace): Promise<Prepared> {
  if (place.readyAt !== null) return ready(place);
  const { media } = job.post;
  const item = media[place.photos.length];
  if (!item) throw new Error("An album has more photos than files.");
  const url = await sourceOf(job, item);
  const altText = altTexts.textOf(job.post, place.photos.length);
  const photo = { url, message: "", altText, isPublished: false };
  const { platformAccountId: pageId } = job.account;
  const request = createPhotoRequest(job.accessToken, pageId, photo);
  const reply = await readCreatePhotoReply(await job.fetch(request));
  if (!reply.ok) {
    const refused = toRefused(reply.error);
    if (refused.kind === "failed" && !refused.transient) await dropPhotos(job, place.photos);
    return refused;
  }
  const photos = [...place.photos, reply.value];
  const isLast = photos.length === media.length;
  return next<AlbumPlace>({ ...place, photos, readyAt: isLast ? job.now().getTime() : null });
}

/** Failures are ignored: Facebook deletes staged photos after a day. */
async function dropPhotos(job: Job, photos: string[]): Promise<void> {
  for (const photoId of photos) {
    try {
      const reply = await job.fetch(deletePhotoRequest(job.accessToken, photoId));
      await reply.body?.cancel();
    } catch {
      return;
    }
  }
}

async function publish(job: Job, place: PostPlace | AlbumPlace) {
  const { post, account, accessToken: token, isHidden = false } = job;
  const { platformAccountId: pageId } = account;
  const message = messageOf(post);
  const [item] = post.media;
  if (place.stage === "post" && item) {
    const altText = altTexts.textOf(post, 0);
    const photo = { url: await sourceOf(job, item), message, altText, isPublished: true };
    return readCreatePhotoReply(await job.fetch(createPhotoRequest(token, pageId, photo)));
  }
  const content =
    place.stage === "album"
      ? { message, link: null, photoIds: place.photos, isHidden }
      : { message, link: post.settings.link, photoIds: [], isHidden };
  return readCreatePostReply(await job.fetch(createPostRequest(token, pageId, content)));
}

export async function submitPost(job: Job, place: PostPlace | AlbumPlace): Promise<Submitted> {
  const reply = await publish(job, place);
  if (reply.ok) {
    return waiting<Posted>({ stage: "posted", postId: reply.value, since: job.now().getTime() }, 0);
  }
  if (isDuplicate(reply.error)) return judgeDuplicate(job, place, reply.error);
  const { message } = reply.error;
  if (isUndecided(reply.error)) return undecided(message);
  const { media, settings } = job.post;
  const isLinkPost = media.length === 0 && settings.link !== null;
  return isLinkPost ? toLinkRefused(reply.error) : toRefused(reply.error);
}

/** The post exists: an unanswered call or another app made it. */
async function judgeDuplicate(
  job: Job,
  place: PostPlace | AlbumPlace,
  refusal: GraphRefusal,
): Promise<Submitted> {
  const existing = await findPost(job, place).catch(() => null);
  if (existing?.kind === "published") return existing;
  if (existing?.kind !== "absent") return undecided(refusal.message);
  const isFirstCall =
    job.attempt === 1 && ageOf(place.readyAt ?? 0, job.now()) <= timing.callSeconds;
  return isFirstCall ? toRefused(refusal) : failed("platform_processing_timeout", UNLISTED);
}

const UNLISTED =
  "Facebook says that the same post is published already, but does not list it: an earlier try may have published it.";

type PostSearch = PublishedPost | { kind: "absent" } | Unknowable | TokenExpired;

/** @throws Error when Facebook cannot tell yet whether the post exists */
export async function findPost(job: Job, place: PostPlace | AlbumPlace): Promise<PostSearch> {
  if (job.isHidden) {
    return unknowable("Facebook did not answer, and lists no unpublished posts.");
  }
  const readyAt = place.readyAt ?? 0;
  const list = await listSince(job, new Date(readyAt - CLOCK_SLACK_SECONDS * 1_000));
  if (list.kind !== "listed") return list;
  const message = comparable(messageOf(job.post));
  const slack = message === "" ? WORDLESS_SLACK_SECONDS : CLOCK_SLACK_SECONDS;
  const maybe = list.posts.filter((post) => comparable(post.message) === message);
  const sure = maybe.filter(
    (post) =>
      countPhotos(post) === job.post.media.length &&
      toInstant(post.created_time) >= readyAt - slack * 1_000,
  );
  const [post] = sure;
  if (post && sure.length === 1) {
    return toPublished(job, post.id, post.permalink_url ?? addressOf(post.id));
  }
  if (maybe.length === 0 && list.isWhole) return { kind: "absent" };
  const count =
    maybe.length === 0 ? "more new posts than Akimbo reads" : `${maybe.length} posts like this one`;
  return unknowable(`Facebook did not answer when the post was sent, and the Page has ${count}.`);
}

interface Listed {
  kind: "listed";
  posts: ListedPost[];
  isWhole: boolean;
}

/** Omits posts before `since`, which Facebook may list too. */
async function listSince(job: Job, since: Date): Promise<Listed | Unknowable | TokenExpired> {
  const { platformAccountId: pageId } = job.account;
  const posts: ListedPost[] = [];
  let after: string | null = null;
  for (let lists = 0; lists < MAX_LISTS; lists++) {
    const request = listPostsRequest(job.accessToken, pageId, since, after);
    const reply = await readListPostsReply(await job.fetch(request));
    if (!reply.ok) return toUnknowable(reply.error);
    const list: PostList = reply.value;
    posts.push(...list.posts.filter((post) => !(toInstant(post.created_time) < since.getTime())));
    if (list.isLast) return { kind: "listed", posts, isWhole: true };
    after = list.after;
    if (after === null) break;
  }
  return { kind: "listed", posts, isWhole: false };
}

const toPublished = (job: Job, platformPostId: string, shareUrl: string): PublishedPost =>
  published(platformPostId, shareUrl, warningsOf(job));

export const warningsOf = ({ post }: Job): string[] =>
  post.settings.link === null || post.media.length === 0
    ? []
    : ["The link was left out: Facebook shows links in text posts only."];

export const settlePost = (job: Job, place: Posted): Promise<Settled> =>
  settlePermalink(
    job,
    place,
    async () => readGetPostReply(await job.fetch(getPostRequest(job.accessToken, place.postId))),
    (permalink) => toPublished(job, place.postId, permalink ?? addressOf(place.postId)),
  );
