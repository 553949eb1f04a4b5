import type { Bookmark, MediaItem } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";

export function sentBytes(bookmark: Bookmark, [video]: readonly MediaItem[]): number | null {
  const at = readBookmark(bookmark);
  if (at.stage !== "uploading" || !video) return null;
  return at.next >= at.count ? video.sizeBytes : at.next * at.chunkSize;
}
