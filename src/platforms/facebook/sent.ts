import type { Bookmark } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";

/** Null for posts not sent in pieces. */
export function sentBytes(bookmark: Bookmark): number | null {
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? at.start : null;
}
