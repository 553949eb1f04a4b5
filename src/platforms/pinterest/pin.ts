import { nullIfBlank } from "../../core/text.ts";
import type { MediaItem, Post, PublishedPost } from "../connector.ts";
import { published } from "../kit/steps.ts";
import type { MediaSource, NewPin } from "./api.ts";
import type { Job, Ready } from "./bookmark.ts";
import { altTexts } from "./check.ts";
import { boardOf, coverSeconds, type PinterestSettings } from "./settings.ts";

/** Source: spec, "Uploads: create", `pinterest`. */
const DEFAULT_TITLE = "Untitled";

export function toTexts({
  title,
  settings,
  ...post
}: Pick<Post<PinterestSettings>, "title" | "description" | "settings">): Pick<
  NewPin,
  "title" | "description" | "link"
> {
  const description = nullIfBlank(post.description);
  return {
    title: nullIfBlank(title) ?? DEFAULT_TITLE,
    ...(description === null ? {} : { description }),
    ...(settings.link === null ? {} : { link: settings.link }),
  };
}

export function boardIdOf({ post }: Job): string {
  const boardId = boardOf(post.settings);
  if (boardId === null) throw new Error("A pin has no board.");
  return boardId;
}

/** Pinterest downloads images during the call; a video was uploaded before. */
async function toSource(job: Job, mediaId: string | null): Promise<MediaSource> {
  if (mediaId !== null) {
    const cover = coverSeconds(job.post.settings);
    return { source_type: "video_id", media_id: mediaId, cover_image_key_frame_time: cover };
  }
  const toItem = async (item: MediaItem) => ({ url: await job.mediaUrl(item) });
  const [first, ...others] = await Promise.all(job.post.media.map(toItem));
  if (!first) throw new Error("A pin has no image.");
  if (others.length === 0) return { source_type: "image_url", url: first.url };
  return { source_type: "multiple_image_urls", items: [first, ...others], index: 0 };
}

export function toPinFields(job: Job): Omit<NewPin, "media_source"> {
  const altText = altTexts.textOf(job.post, 0);
  return {
    board_id: boardIdOf(job),
    ...toTexts(job.post),
    ...(altText === "" ? {} : { alt_text: altText }),
  };
}

export const toPin = async (job: Job, { mediaId }: Ready): Promise<NewPin> => ({
  ...toPinFields(job),
  media_source: await toSource(job, mediaId),
});

export const toPublished = (pinId: string): PublishedPost =>
  published(pinId, `https://www.pinterest.com/pin/${pinId}/`);
