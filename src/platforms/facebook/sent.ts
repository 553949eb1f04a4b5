import type { Bookmark } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";

/** Returns the bytes of the video that Facebook has; null for posts that are not sent in pieces. */
export function sentBytes(bookmark: Bookmark): number | null {
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? at.start : null;
}
