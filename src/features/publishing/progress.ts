import type { Bookmark, Connector } from "../../platforms/connector.ts";
import type { MediaRow } from "../media/repo.ts";
import type { UploadRow } from "../posts/table.ts";
import { filesOf } from "./job.ts";

/** Returns how many bytes the platform has, or null. The number never decreases within an attempt. */
export async function sentBytesOf(
  { sentBytes }: Connector,
  { media, sentBytes: before }: UploadRow,
  files: readonly MediaRow[],
  bookmark: Bookmark,
): Promise<number | null> {
  const items = filesOf(
    media.filter(({ role }) => role === undefined),
    files,
  );
  const now = (await sentBytes?.(bookmark, items)) ?? null;
  return now === null ? before : Math.max(before ?? 0, now);
}
