import { sql } from "drizzle-orm";
import { type Failure, PublishFailure } from "../../../core/failures.ts";
import { sqlWrite } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { downloadMedia } from "../../media/download.ts";
import { insertMedia, type MediaRow, mediaByHash } from "../../media/repo.ts";
import type { StoredFile } from "../../media/store.ts";
import type { MediaRef, UploadRow } from "../table.ts";
import { save } from "./writes.ts";

export type FetchedMedia =
  | { kind: "fetched"; upload: UploadRow; media: MediaRow[] }
  | { kind: "unreachable"; failure: Failure };

/**
 * Downloads the first file that a post still has behind a URL, and notes it in the row, so that no
 * file is downloaded twice. Null when there is none.
 *
 * @throws PublishFailure media_invalid or media_unreachable, where trying again is no use
 */
export async function fetchNextMedia(
  deps: Deps,
  upload: UploadRow,
  media: MediaRow[],
): Promise<FetchedMedia | null> {
  const index = upload.media.findIndex((item) => "url" in item && !item.isGone);
  const item = upload.media[index];
  if (!item || !("url" in item)) return null;

  const downloaded = await downloadMedia(deps, upload.teamId, item.url);
  if (item.role === "thumbnail" && downloaded.kind !== "stored") {
    const gone: MediaRef = { ...item, isGone: true };
    const updated = await save(deps, upload, { media: upload.media.with(index, gone) });
    return { kind: "fetched", upload: updated, media };
  }
  if (downloaded.kind === "invalid") {
    throw new PublishFailure({ code: "media_invalid", message: downloaded.message });
  }
  if (downloaded.kind === "unreachable") {
    const failure: Failure = { code: "media_unreachable", message: downloaded.message };
    if (!downloaded.transient) throw new PublishFailure(failure);
    return { kind: "unreachable", failure };
  }
  const { teamId } = upload;
  const now = deps.now();
  const file = await keepOnce(deps, teamId, downloaded.file);
  const role = item.role ? { role: item.role } : {};
  const ref: MediaRef = { sha256: file.sha256, kind: file.kind, ...role };
  const updated = await save(
    deps,
    upload,
    {
      media: upload.media.with(index, ref),
      fileSize: upload.fileSize + file.sizeBytes,
      progressedAt: now,
    },
    [
      insertMedia(deps.db, teamId, file, now),
      sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
        VALUES (${teamId}, ${file.sha256}, ${upload.id})`),
    ],
  );
  return {
    kind: "fetched",
    upload: updated,
    media: [...media, { ...file, teamId, createdAt: now }],
  };
}

/** Stored once per team and content: a file that was there already is used instead of the new one. */
async function keepOnce(deps: Deps, teamId: number, file: StoredFile): Promise<StoredFile> {
  const [[known]] = await deps.db.run([mediaByHash(teamId, file.sha256)]);
  if (!known) return file;
  await deps.media.delete(file.objectKey);
  return known;
}
