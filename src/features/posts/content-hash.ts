import { sha256Hex } from "../../core/signature.ts";
import type { MediaRef, UploadRow } from "./table.ts";

type Content = Pick<UploadRow, "accountId" | "title" | "description" | "settings" | "media">;

/**
 * Returns a name for a file of a post that is the same before and after its download: a file sent by URL
 * keeps the URL as its name.
 */
export const nameOfFile = (item: MediaRef): string =>
  "url" in item ? item.url : (item.from ?? item.sha256);

/** Hashes the content that an approval is bound to: text, files, account and settings. */
export function contentHash(upload: Content): Promise<string> {
  const { accountId, title, description, settings, media } = upload;
  const files = media.map(nameOfFile);
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([accountId, title, description, sorted, files]));
}
