import { ok } from "../../core/result.ts";
import { MINUTE } from "../../core/time.ts";
import { type ListedVideo, listVideosRequest, type Reading, readListVideosReply } from "./api.ts";
import { photoTexts, videoCaption } from "./check.ts";
import type { Job } from "./creator.ts";

/** TikTok cuts listed texts at this length. Source: TikTok, "Video Object". */
const LISTED_UNITS = 150;
const CLOCK_SLACK_MS = MINUTE;

/** Texts that identify a listed post. A title alone does not identify one with a description. */
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
 * Null unless exactly one listed text matches.
 * @param since epoch milliseconds
 */
export async function findListed(job: Job, since: number): Reading<ListedVideo | null> {
  const reply = await readListVideosReply(await job.fetch(listVideosRequest(job.accessToken)));
  if (!reply.ok) return reply;
  const texts = textsOf(job).map((text) => text.slice(0, LISTED_UNITS).trim());
  const matches = reply.value.filter((video) => isSamePost(video, texts, since));
  return ok(matches.length === 1 ? (matches[0] ?? null) : null);
}

export const addressOf = (username: string | null, postId: string): string | null =>
  username ? `https://www.tiktok.com/@${encodeURIComponent(username)}/video/${postId}` : null;
