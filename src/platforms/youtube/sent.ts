import type { Bookmark } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";

/** Returns the bytes of the video that YouTube has; null once it has all. */
export function sentBytes(bookmark: Bookmark): number | null {
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? at.offset : null;
}
