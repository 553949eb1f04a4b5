import type { Bookmark } from "../connector.ts";
import { readBookmark } from "./bookmark.ts";

export function sentBytes(bookmark: Bookmark): number | null {
  const at = readBookmark(bookmark);
  return at.stage === "uploading" ? at.start : null;
}
