import type { MediaItem, Post, PublishJob } from "../connector.ts";

const isBlank = (text: string | null): boolean => text === null || text.trim() === "";

/** The title, or the description where that is blank; empty when both are. */
export function captionOf({ title, description }: Pick<Post, "title" | "description">): string {
  const text = isBlank(title) ? description : title;
  return text === null || isBlank(text) ? "" : text;
}

/** The form field that the caption came in. */
export const captionField = ({
  title,
  description,
}: Pick<Post, "title" | "description">): "title" | "description" =>
  isBlank(title) && !isBlank(description) ? "description" : "title";

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
