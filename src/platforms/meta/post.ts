import { emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { MediaItem, Post, PublishJob } from "../connector.ts";

export const captionOf = ({ title, description }: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(title) || emptyIfBlank(description);

export const captionField = ({
  title,
  description,
}: Pick<Post, "title" | "description">): "title" | "description" =>
  nullIfBlank(title) === null && nullIfBlank(description) ? "description" : "title";

/** @param imageTypes types that the platform reads; other images are converted */
export async function sourceOf(
  job: Pick<PublishJob, "mediaUrl">,
  item: MediaItem,
  imageTypes: readonly string[],
): Promise<Record<string, string>> {
  if (item.kind === "video") return { video_url: await job.mediaUrl(item) };
  const form = imageTypes.includes(item.mime) ? "original" : "jpeg";
  return { image_url: await job.mediaUrl(item, form) };
}
