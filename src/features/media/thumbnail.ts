import type { Deps } from "../../deps.ts";
import { findFile } from "./read.ts";

/** A small picture of an image, for lists. */
export const THUMBNAIL: ImageTransform = { width: 320, height: 320, fit: "scale-down" };

/** Not under `media/`, where every object without a file is removed. */
const keyOf = (teamId: number, sha256: string): string => `thumbnails/${teamId}/${sha256}`;

interface Original {
  teamId: number;
  sha256: string;
  objectKey: string;
  etag: string | null;
}

/** Stores the thumbnail of an image that is about to go. False where none can be made of it. */
export async function keepThumbnail(
  deps: Pick<Deps, "media" | "images" | "log">,
  { teamId, sha256, ...file }: Original,
): Promise<boolean> {
  try {
    const object = await findFile(deps, file);
    if (!object) return false;
    const made = await deps.images
      .input(object.body)
      .transform(THUMBNAIL)
      .output({ format: "image/jpeg" });
    const bytes = await made.response().arrayBuffer();
    const httpMetadata = { contentType: "image/jpeg" };
    await deps.media.put(keyOf(teamId, sha256), bytes, { httpMetadata });
    return true;
  } catch (error) {
    // A file that begins like an image may not be one.
    deps.log({ event: "thumbnail.failed", error: String(error) });
    return false;
  }
}

/** The thumbnail of a file that is gone, if it was kept. */
export const keptThumbnail = (
  { media }: Pick<Deps, "media">,
  teamId: number,
  sha256: string,
): Promise<R2ObjectBody | null> => media.get(keyOf(teamId, sha256));
