import type { ByteRange } from "../../core/byte-range.ts";
import { PublishFailure } from "../../core/failures.ts";
import type { Deps } from "../../deps.ts";
import type { MediaRow } from "./repo.ts";

/** Told of a damaged file. */
export const DAMAGED = "The image is damaged and cannot be decoded. Export it again.";

/** A file in storage; with an ETag, no other object under the same key is taken for it. */
export type FileObject = Pick<MediaRow, "objectKey" | "etag">;

async function readFile(
  { media }: Pick<Deps, "media">,
  { objectKey, etag }: FileObject,
  range?: ByteRange,
): Promise<R2ObjectBody | "gone" | "replaced"> {
  const object = await media.get(objectKey, {
    ...(range ? { range } : {}),
    ...(etag === null ? {} : { onlyIf: { etagMatches: etag } }),
  });
  if (!object) return "gone";
  return "body" in object ? object : "replaced";
}

/** Opens a file, or a range of it; null when it is not there as it was. */
export async function findFile(
  deps: Pick<Deps, "media">,
  file: FileObject,
  range?: ByteRange,
): Promise<R2ObjectBody | null> {
  const object = await readFile(deps, file, range);
  return typeof object === "string" ? null : object;
}

export const fileIsGone = () =>
  new PublishFailure({
    code: "media_unreachable",
    message: "The file of this post is no longer stored. Create the post again with its file.",
  });

/**
 * Opens a file for publishing, or a range of it.
 *
 * @throws PublishFailure media_unreachable when it is gone, media_invalid when another took its place
 */
export async function openFile(
  deps: Pick<Deps, "media">,
  file: FileObject,
  range?: ByteRange,
): Promise<R2ObjectBody> {
  const object = await readFile(deps, file, range);
  if (object === "gone") throw fileIsGone();
  if (object !== "replaced") return object;
  throw new PublishFailure({
    code: "media_invalid",
    message:
      "The file was replaced in storage after the post was created. Create the post again with the file that is there now.",
  });
}
