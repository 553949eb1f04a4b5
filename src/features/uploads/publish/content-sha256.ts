import { toHex } from "../../../core/ids.ts";
import type { Deps } from "../../../deps.ts";
import { openFile } from "../../media/read.ts";
import { type MediaRow, noteContent } from "../../media/repo.ts";
import type { MediaRef, UploadRow } from "../table.ts";
import { Lease } from "./lease.ts";
import { renewedLease, save } from "./save.ts";

/** Longest reading of one file, in seconds. */
const READ_SECONDS = 10 * 60;

interface Hashed {
  upload: UploadRow;
  media: MediaRow[];
}

/** Index of the first file of the post whose content is known by its place in storage alone; -1 for none. */
const nextToHash = (refs: readonly MediaRef[], media: readonly MediaRow[]): number =>
  refs.findIndex(
    (item) =>
      "sha256" in item &&
      item.role === undefined &&
      item.content === undefined &&
      media.some(({ sha256, etag }) => sha256 === item.sha256 && etag !== null),
  );

/**
 * Reads the content of the first presigned file that was not read for that yet, as a stream, and notes its
 * SHA-256 with the file and in the post, which outlives the file. Null when there is no such file.
 *
 * @throws PublishFailure when the file is gone or replaced
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
  const now = deps.now();
  const ref: MediaRef = { ...item, content };
  const updated = await save(
    deps,
    upload,
    { media: upload.media.with(index, ref), progressedAt: now, ...renewedLease(now) },
    [noteContent(file, content)],
  );
  const known = media.map((one) => (one === file ? { ...file, contentSha256: content } : one));
  return { upload: updated, media: known };
}

async function hashContent(deps: Deps, upload: UploadRow, file: MediaRow): Promise<string> {
  const { body } = await openFile(deps, file);
  const reading = new Lease(deps, upload).begin(READ_SECONDS);
  const digest = new crypto.DigestStream("SHA-256");
  const hashing = digest.getWriter();
  for await (const chunk of body) {
    await reading.moved();
    await hashing.write(chunk);
  }
  await hashing.close();
  return toHex(await digest.digest);
}
