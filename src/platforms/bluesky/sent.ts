import type { Bookmark, MediaItem } from "../connector.ts";
import { videoBookmark } from "./video.ts";

export function sentBytes(bookmark: Bookmark, [video]: readonly MediaItem[]): number | null {
  const read = videoBookmark.safeParse(bookmark);
  if (read.data?.stage !== "uploading" || !video) return null;
  const { missing, partSizeBytes, partCount } = read.data;
  const lastBytes = video.sizeBytes - (partCount - 1) * partSizeBytes;
  const missingBytes = missing.reduce(
    (sum, number) => sum + (number === partCount ? lastBytes : partSizeBytes),
    0,
  );
  return video.sizeBytes - missingBytes;
}
