import { type Failure, PublishFailure } from "../../core/failures.ts";
import type { Deps } from "../../deps.ts";
import { insertMedia, type MediaRow, mediaByHash } from "../media/repo.ts";
import { needFile } from "../posts/repo/write.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { nextToFetch } from "./job.ts";
import { Lease } from "./lease.ts";
import { renewedLease, save } from "./save.ts";
import { saveFile } from "./save-file.ts";

type FetchedMedia =
  | { kind: "fetched"; upload: UploadRow; media: MediaRow[] }
  | { kind: "unreachable"; failure: Failure };

/** @throws PublishFailure media_invalid or media_unreachable, when a retry is pointless */
export async function fetchNextMedia(
  deps: Deps,
  upload: UploadRow,
  media: MediaRow[],
): Promise<FetchedMedia> {
  const index = nextToFetch(upload.media);
  const item = upload.media[index];
  if (!item || !("url" in item)) throw new Error("Every file of the post is here.");

  const { DOWNLOAD_SECONDS, downloadMedia, replaceIfGone } = await import("../media/intake.ts");
  const recipient = new Lease(deps, upload).begin(DOWNLOAD_SECONDS);
  const downloaded = await downloadMedia(deps, upload.teamId, item.url, recipient);
  if (item.role === "thumbnail" && downloaded.kind !== "stored") {
    const gone: MediaRef = { ...item, isGone: true };
    const updated = await save(deps, upload, {
      media: upload.media.with(index, gone),
      ...renewedLease(deps.now()),
    });
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
  const { file } = downloaded;
  const now = deps.now();
  const { url: from, isGone: _, problem: __, ...name } = item;
  const ref: MediaRef = { sha256: file.sha256, kind: file.kind, from, ...name };
  const stored = mediaByHash({ teamId, sha256: file.sha256 });
  const kept: MediaRow[] = [];
  const facts = { fileSize: upload.fileSize + file.sizeBytes };
  const updated = await saveFile(deps, upload, { index, ref, facts }, [
    insertMedia(teamId, [file], now),
    needFile(upload, file.sha256),
    // Until its use is recorded in this batch, cron may remove the older stored file.
    { ...stored, read: (result) => kept.push(...stored.read(result)) },
  ]);
  const others = { etag: null, contentSha256: null, name: null, keptAt: null, expiresAt: null };
  const [row = { ...others, ...file, teamId, createdAt: now }] = kept;
  if (await replaceIfGone(deps, teamId, file, row.objectKey)) {
    return { kind: "fetched", upload: updated, media: [...media, { ...row, ...file }] };
  }
  if (row.objectKey !== file.objectKey) await deps.media.delete(file.objectKey);
  return { kind: "fetched", upload: updated, media: [...media, row] };
}
