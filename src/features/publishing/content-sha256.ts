import { toHex } from "../../core/ids.ts";
import type { Deps } from "../../deps.ts";
import { openFile } from "../media/files.ts";
import { type MediaRow, noteContent } from "../media/repo.ts";
import type { UploadRow } from "../posts/table.ts";
import { nextToHash } from "./job.ts";
import { Lease, throughTransfer } from "./lease.ts";
import { saveFile } from "./save-file.ts";

const READ_SECONDS = 10 * 60;
/** A file of 10 GiB takes 640 reads; the free plan allows 1,000 per invocation. */
const RANGE_BYTES = 16_777_216;
/** Lets other requests run between two ranges: the local runtime has one thread. */
const PAUSE_MS = 10;

interface Hashed {
  upload: UploadRow;
  media: MediaRow[];
}

/**
 * Stores the next file's SHA-256 with the file and in the post, which outlives it. Returns null when all files have
 * one.
 *
 * @throws PublishFailure when the file is gone, replaced or a repetition; LostLease
 */
export async function hashNextContent(
  deps: Deps,
  upload: UploadRow,
  media: MediaRow[],
): Promise<Hashed | null> {
  const index = nextToHash(upload.media, media);
  const item = upload.media[index];
  if (!item || !("sha256" in item)) return null;
  const { sha256 } = item;
  const file = media.find((one) => one.sha256 === sha256);
  if (!file) return null;
  const content = file.contentSha256 ?? (await hashContent(deps, upload, file));
  const updated = await saveFile(deps, upload, { index, ref: { ...item, content } }, [
    noteContent(file, content),
  ]);
  const files = media.map((one) => (one === file ? { ...file, contentSha256: content } : one));
  return { upload: updated, media: files };
}

async function hashContent(deps: Deps, upload: UploadRow, file: MediaRow): Promise<string> {
  const reading = new Lease(deps, upload).begin(READ_SECONDS);
  const digest = new crypto.DigestStream("SHA-256");
  for (let offset = 0; offset < file.sizeBytes; offset += RANGE_BYTES) {
    if (offset > 0) await deps.wait(PAUSE_MS);
    const length = Math.min(RANGE_BYTES, file.sizeBytes - offset);
    const { body } = await openFile(deps, file, { offset, length });
    await throughTransfer(body, reading).body.pipeTo(digest, { preventClose: true });
  }
  await digest.close();
  return toHex(await digest.digest);
}
