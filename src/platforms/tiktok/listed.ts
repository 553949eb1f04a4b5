import { ok } from "../../core/result.ts";
import { MINUTE } from "../../core/time.ts";
import { type ListedVideo, listVideosRequest, type Reading, readListVideosReply } from "./api.ts";
import { photoTexts, videoCaption } from "./check.ts";
import type { Job } from "./creator.ts";

/** Characters of a post's text that listings give. Source: TikTok, "Video Object". */
const LISTED_UNITS = 150;
/** Clocks differ, theirs from ours. */
const CLOCK_SLACK_MS = MINUTE;

/** Texts that a listing may show for the post. A title alone does not identify a post with a description. */
function textsOf({ post }: Job): string[] {
  if (post.media[0]?.kind === "video") return [videoCaption(post)];
  const { title, description } = photoTexts(post);
  return description ? [description, `${title}\n${description}`] : [title];
}

function isSamePost(video: ListedVideo, texts: string[], since: number): boolean {
  if (video.create_time * 1_000 < since - CLOCK_SLACK_MS) return false;
  return [video.title, video.video_description].some((text) => text && texts.includes(text.trim()));
}

/**
 * The post among the account's newest public ones, by its text; null where none fits, or several do.
 *
 * @param since epoch milliseconds: no post of ours is older
 */
export async function findListed(job: Job, since: number): Reading<ListedVideo | null> {
  const reply = await readListVideosReply(await job.fetch(listVideosRequest(job.accessToken)));
  if (!reply.ok) return reply;
  const texts = textsOf(job).map((text) => text.slice(0, LISTED_UNITS).trim());
  const found = reply.value.filter((video) => isSamePost(video, texts, since));
  return ok(found.length === 1 ? (found[0] ?? null) : null);
}

/** The address of a public post; null where the account's name is not known. */
export const addressOf = (username: string | null, postId: string): string | null =>
  username ? `https://www.tiktok.com/@${encodeURIComponent(username)}/video/${postId}` : null;
