import { sha256Hex } from "../../core/signature.ts";
import type { UploadRow } from "./table.ts";

type Content = Pick<UploadRow, "accountId" | "title" | "description" | "settings" | "media">;

/** What an approval is bound to: text, files, account and settings. */
export function contentHash(upload: Content): Promise<string> {
  const { accountId, title, description, settings, media } = upload;
  const files = media.map((item) => ("sha256" in item ? item.sha256 : item.url));
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([accountId, title, description, sorted, files]));
}
