import type { Bookmark, MediaItem } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";
import { unpack } from "./packing.ts";

export async function sentBytes(
  bookmark: Bookmark,
  media: readonly MediaItem[],
): Promise<number | null> {
  const at = readBookmark(bookmark);
  const total = (items: readonly MediaItem[]) =>
    items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (at.stage === "files") return total(media.slice(0, at.assets.length));
  if (at.stage !== "video") return null;
  const { parts } = await unpack(at.progress);
  const missing = parts.reduce((sum, part) => sum + part.lastByte - part.firstByte + 1, 0);
  return total(media) - missing;
}
