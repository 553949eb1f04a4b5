import { SECOND } from "../../core/time.ts";
import type { Bookmark, Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { unknowable } from "../kit/steps.ts";
import { type ReadyPlace, readReady } from "./bookmark.ts";
import { toUnknowable } from "./failures.ts";
import { readLittleText } from "./little-text.ts";
import { commentaryOf, toPublished } from "./post.ts";
import {
  isPostUrn,
  LISTED_POSTS,
  type ListedPost,
  listPostsRequest,
  readListPostsReply,
} from "./posts-api.ts";
import type { Job } from "./processing.ts";
import { isOrganization } from "./urn.ts";

const CLOCK_SLACK_SECONDS = 60;

const UNPUBLISHED = new Set(["DRAFT", "PUBLISH_FAILED"]);
const REQUESTED = "PUBLISH_REQUESTED";

/** LinkedIn changes hashtags and white space. */
const plainCommentary = (commentary: string | null | undefined): string =>
  comparable(readLittleText(commentary ?? ""));

const createdAt = (post: ListedPost): number | null => post.createdAt ?? post.publishedAt ?? null;

function assetsOf({ content }: ListedPost): string[] | null {
  if (content?.media) return [content.media.id];
  return content?.multiImage?.images.map(({ id }) => id) ?? null;
}

function fits(
  post: ListedPost,
  { assets }: ReadyPlace,
  hasText: (commentary: string) => boolean,
): boolean {
  const listed = assetsOf(post);
  if (listed === null) return hasText(plainCommentary(post.commentary));
  return (
    listed.length > 0 &&
    listed.length === assets.length &&
    listed.every((urn, index) => urn === assets[index])
  );
}

const LINK = /(?:https?:\/\/|www\.)\S+/giu;

/** LinkedIn shortens some links. */
const withoutLinks = (text: string): string => text.replace(LINK, "…");

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = readReady(stored);
  const author = job.account.platformAccountId;
  if (!isOrganization(author)) {
    const message = "LinkedIn did not answer, and it does not list a person's posts.";
    return unknowable(message);
  }
  const reply = await readListPostsReply(
    await job.fetch(listPostsRequest(job.accessToken, author)),
  );
  if (!reply.ok) return toUnknowable(reply.error);
  const { count, posts } = reply.value;
  const from = place.readyAt - CLOCK_SLACK_SECONDS * SECOND;
  const text = plainCommentary(commentaryOf(job));
  const recent = posts.filter(
    (post) => (createdAt(post) ?? from) >= from && !UNPUBLISHED.has(post.lifecycleState ?? ""),
  );
  const matches = recent.filter((post) => fits(post, place, (listed) => listed === text));
  const [post] = matches;
  if (matches.length > 1) {
    return unknowable("More than one post of the page has this text.");
  }
  if (post?.lifecycleState === REQUESTED) throw new Error("LinkedIn is still working on the post.");
  if (post) {
    if (createdAt(post) !== null && isPostUrn(post.id)) return toPublished(post.id);
    return unknowable("LinkedIn lists a post like this one, but without its date or id.");
  }
  const isAlike = (listed: string) => withoutLinks(listed) === withoutLinks(text);
  if (recent.some((one) => fits(one, place, isAlike))) {
    return unknowable("The page has a post that differs from this one only in its links.");
  }
  const reachesBack = count < LISTED_POSTS || posts.some((one) => (createdAt(one) ?? from) < from);
  if (reachesBack) return { kind: "absent" };
  return unknowable("The page has more new posts than LinkedIn lists at once.");
}

export async function findPublished(job: Job, since: Date): Promise<Reconciled> {
  if (!isOrganization(job.account.platformAccountId)) {
    return unknowable("LinkedIn does not list a person's posts.");
  }
  if (job.post.media.length > 0) {
    return unknowable("LinkedIn lists posts with media under ids that are not known any more.");
  }
  const place: ReadyPlace = { stage: "ready", assets: [], readyAt: since.getTime() };
  return reconcile(job, place);
}
