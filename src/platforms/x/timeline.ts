import { ok } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { PublishedPost } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { published } from "../kit/steps.ts";
import { type ListedPost, listPostsRequest, type Reading, readListPostsReply } from "./api.ts";
import type { Job, Ready } from "./bookmark.ts";
import { textOf } from "./post-text.ts";

/** Tolerances for differing clocks. */
const LIST_SLACK_SECONDS = 60;
const TEXT_SLACK_SECONDS = 5;

export function toPublished(job: Job, { warnings }: Ready, postId: string): PublishedPost {
  const { handle } = job.account;
  const name = handle ? encodeURIComponent(handle) : "i";
  return published(postId, `https://x.com/${name}/status/${postId}`, warnings);
}

const REFERENCES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** X changes links and spaces. */
const comparablePost = (text: string): string =>
  comparable(text.replace(/https?:\/\//gi, "").replace(/\/(?=\s|$)/g, ""));

/** The text before X shortened links and escaped HTML. */
function writtenText({ text, entities, note_tweet, note_post }: ListedPost): string {
  const long = note_tweet ?? note_post;
  const urls = (long ? long.entities : entities)?.urls ?? [];
  const expanded = urls.reduce(
    // X appends a link to the post's own media.
    (all, { url, expanded_url, media_key }) =>
      all.replaceAll(url, () => (media_key ? "" : (expanded_url ?? url))),
    long ? long.text : text,
  );
  return expanded.replace(/&(?:lt|gt|amp);/g, (reference) => REFERENCES[reference] ?? reference);
}

/** Kind and id: `3_1880028106020515840`. */
const mediaIdOf = (mediaKey: string): string => mediaKey.split("_").at(-1) ?? mediaKey;

function isReplyTo(
  parent: string | undefined,
  { referenced_tweets, referenced_posts, in_reply_to_user_id }: ListedPost,
): boolean {
  const references = referenced_tweets ?? referenced_posts ?? [];
  const known = references.find(({ type }) => type === "replied_to")?.id;
  if (known !== undefined || parent === undefined) return known === parent;
  return in_reply_to_user_id != null;
}

/** A media id belongs to one post. Without media, text and age decide. */
function isOurs(job: Job, at: Ready, listed: ListedPost): boolean {
  const keys = listed.attachments?.media_keys ?? [];
  if (at.mediaIds.length > 0) return keys.some((key) => at.mediaIds.includes(mediaIdOf(key)));
  const since = Math.floor(at.readyAt / 1_000) - TEXT_SLACK_SECONDS;
  const isYoung = Date.parse(listed.created_at) / 1_000 >= since;
  return (
    isYoung &&
    isReplyTo(job.replyTo?.parent, listed) &&
    keys.length === 0 &&
    comparablePost(writtenText(listed)) === comparablePost(textOf(job.post))
  );
}

export type OwnPostSearch =
  | { kind: "one"; id: string }
  | { kind: "several" }
  | { kind: "none"; isComplete: boolean };

/** At most 500 posts, because X charges for each. */
const MAX_PAGES = 5;

async function listPosts(
  job: Job,
  since: Date | string,
): Reading<{ posts: ListedPost[]; isComplete: boolean }> {
  const posts: ListedPost[] = [];
  let page: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const { accessToken, account } = job;
    const request = listPostsRequest(accessToken, account.platformAccountId, since, page);
    const reply = await readListPostsReply(await job.fetch(request));
    if (!reply.ok) return reply;
    posts.push(...reply.value.posts);
    page = reply.value.nextPage;
    if (page === null) break;
  }
  return ok({ posts, isComplete: page === null });
}

export async function findOwnPost(job: Job, at: Ready): Reading<OwnPostSearch> {
  const since = job.replyTo?.latest ?? addSeconds(new Date(at.readyAt), -LIST_SLACK_SECONDS);
  const listed = await listPosts(job, since);
  if (!listed.ok) return listed;
  const { posts, isComplete } = listed.value;
  const [match, another] = posts.filter((post) => isOurs(job, at, post));
  if (another) return ok({ kind: "several" });
  if (match) return ok({ kind: "one", id: match.id });
  return ok({ kind: "none", isComplete });
}
