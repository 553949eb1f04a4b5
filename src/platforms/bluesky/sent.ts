import type { Bookmark, MediaItem } from "../connector.ts";
import { videoBookmark } from "./video.ts";

/** Returns the bytes of the video that Bluesky's service has; null where it is not sent in pieces. */
export function sentBytes(bookmark: Bookmark, [video]: readonly MediaItem[]): number | null {
  const read = videoBookmark.safeParse(bookmark);
  if (read.data?.stage !== "uploading" || !video) return null;
  const { missing, partSizeBytes, partCount } = read.data;
  const lastBytes = video.sizeBytes - (partCount - 1) * partSizeBytes;
  const left = missing.reduce(
    (sum, number) => sum + (number === partCount ? lastBytes : partSizeBytes),
    0,
  );
  return video.sizeBytes - left;
}
