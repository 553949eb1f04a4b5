import type { Bookmark, MediaItem } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";
import { segmentSize } from "./segments.ts";

export function sentBytes(bookmark: Bookmark, media: readonly MediaItem[]): number | null {
  const at = readBookmark(bookmark);
  if (at.stage !== "preparing") return null;
  const done = at.mediaIds.length;
  const whole = media.slice(0, done).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const current = media[done];
  if (!at.upload || !current) return whole;
  const { sizeBytes } = current;
  return whole + Math.min(sizeBytes, at.upload.segmentIndex * segmentSize(sizeBytes));
}
