import { sha256Hex } from "../../../core/signature.ts";
import type { MediaRef, UploadRow } from "../table.ts";

type Content = Pick<UploadRow, "accountId" | "title" | "description" | "settings" | "media">;

/**
 * Says which file of a post it is, the same before and after its download: what was asked for by its URL
 * stays that.
 */
export const nameOfFile = (item: MediaRef): string =>
  "url" in item ? item.url : (item.from ?? item.sha256);

/** What an approval is bound to: text, files, account and settings. */
export function contentHash(upload: Content): Promise<string> {
  const { accountId, title, description, settings, media } = upload;
  const files = media.map(nameOfFile);
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([accountId, title, description, sorted, files]));
}
