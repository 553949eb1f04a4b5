import { emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { MediaItem, Post, PublishJob } from "../connector.ts";

/** The title, or the description where that is blank; empty when both are. */
export const captionOf = ({ title, description }: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(title) || emptyIfBlank(description);

/** The form field that the caption came in. */
export const captionField = ({
  title,
  description,
}: Pick<Post, "title" | "description">): "title" | "description" =>
  nullIfBlank(title) === null && nullIfBlank(description) ? "description" : "title";

/**
 * Address that a file is pulled from.
 *
 * @param imageTypes what the platform reads of images; others are converted for it
 */
export async function sourceOf(
  job: Pick<PublishJob, "mediaUrl">,
  item: MediaItem,
  imageTypes: readonly string[],
): Promise<Record<string, string>> {
  if (item.kind === "video") return { video_url: await job.mediaUrl(item) };
  const form = imageTypes.includes(item.mime) ? "original" : "jpeg";
  return { image_url: await job.mediaUrl(item, form) };
}
