import type { ByteRange } from "../../core/byte-range.ts";
import { PublishFailure } from "../../core/failures.ts";
import { isSigned, sign } from "../../core/signature.ts";
import { DAY, HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

const LIFE_MS = 6 * HOUR;

/** Source: spec, "Time limits": failed upload media kept. */
const FAILED_KEPT_MS = DAY;

/** How long a post needs its files after its end. */
export interface Retention {
  completedMs: number;
  failedMs: number;
}

export const retentionOf = ({ config }: Pick<Deps, "config">): Retention => ({
  completedMs: config.mediaRetentionHours * HOUR,
  failedMs: FAILED_KEPT_MS,
});

/** All but `thumbnail` are explained at `PulledForm`. */
export const MEDIA_VARIANTS = ["original", "thumbnail", "jpeg", "vertical", "labelled"] as const;

export type MediaVariant = (typeof MEDIA_VARIANTS)[number];

interface MediaAddress {
  teamId: number;
  sha256: string;
  variant: MediaVariant;
  /** Epoch seconds. */
  expires: number;
}

const signedText = ({ teamId, sha256, variant, expires }: MediaAddress) =>
  `media|${teamId}|${sha256}|${variant}|${expires}`;

/** The path changes hourly, so that browsers can cache the file. */
export async function mediaPath(
  deps: Pick<Deps, "config" | "now">,
  teamId: number,
  sha256: string,
  variant: MediaVariant = "original",
): Promise<string> {
  const hour = Math.ceil(deps.now().getTime() / HOUR) * HOUR;
  const address = { teamId, sha256, variant, expires: (hour + LIFE_MS) / 1_000 };
  const signature = await sign(deps.config.signingKey, signedText(address));
  return `/media/${teamId}/${sha256}/${variant}?expires=${address.expires}&signature=${signature}`;
}

export async function isGoodAddress(
  deps: Pick<Deps, "config" | "now">,
  address: MediaAddress,
  signature: string,
): Promise<boolean> {
  const hasExpired = address.expires * 1_000 <= deps.now().getTime();
  return !hasExpired && isSigned(deps.config.signingKey, signedText(address), signature);
}

/** A stranger's file may play as a video, but runs no script. */
export const FILE_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; media-src 'self'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Cache-Control": "private, max-age=3600",
};

export function headersOfFile(
  { mime, sizeBytes }: { mime: string; sizeBytes: number },
  { httpEtag }: R2Object,
  range: ByteRange | null,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...FILE_HEADERS,
    "Content-Type": mime,
    "Content-Length": String(range?.length ?? sizeBytes),
    "Accept-Ranges": "bytes",
    ETag: httpEtag,
  };
  if (range) {
    const last = range.offset + range.length - 1;
    headers["Content-Range"] = `bytes ${range.offset}-${last}/${sizeBytes}`;
  }
  return headers;
}

export const DAMAGED = "The image is damaged and cannot be decoded. Export it again.";

/** Because of the ETag, a replaced object is not accepted as the file. */
export interface FileObject {
  objectKey: string;
  etag: string | null;
}

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

/** Null if the file is gone or was replaced. */
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
 * @throws PublishFailure media_unreachable if the file is gone, media_invalid if it was replaced
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

export const THUMBNAIL: ImageTransform = { width: 320, height: 320, fit: "scale-down" };

/** Outside `media/`, where objects without a database row are removed. */
const keyOf = (teamId: number, sha256: string): string => `thumbnails/${teamId}/${sha256}`;

interface Original extends FileObject {
  teamId: number;
  sha256: string;
}

export async function keepThumbnail(
  deps: Pick<Deps, "media" | "images" | "log">,
  { teamId, sha256, ...file }: Original,
): Promise<boolean> {
  const { images } = deps;
  if (!images) return false;
  try {
    const object = await findFile(deps, file);
    if (!object) return false;
    const made = await images
      .input(object.body)
      .transform(THUMBNAIL)
      .output({ format: "image/jpeg" });
    const bytes = await made.response().arrayBuffer();
    const httpMetadata = { contentType: "image/jpeg" };
    await deps.media.put(keyOf(teamId, sha256), bytes, { httpMetadata });
    return true;
  } catch (error) {
    deps.log({ event: "thumbnail.failed", error: String(error) });
    return false;
  }
}

export const keptThumbnail = (
  { media }: Pick<Deps, "media">,
  teamId: number,
  sha256: string,
): Promise<R2ObjectBody | null> => media.get(keyOf(teamId, sha256));
