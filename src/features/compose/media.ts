import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Deps } from "../../deps.ts";
import type { MediaKind, PostMedia } from "../../platforms/connector.ts";
import { refusedMediaUrl } from "../media/download.ts";
import type { MediaRow } from "../media/repo.ts";
import type { StoredFile } from "../media/store.ts";
import type { MediaRef } from "../posts/table.ts";
import { MAX_URL_CHARACTERS } from "../posts/text-bounds.ts";
import type { MediaRole, NewMedia } from "./new-post.ts";
import { NO_PRESIGNED, type PresignedFiles } from "./presigned.ts";

/** A file to judge. Its `kind` is null while it is behind a URL that does not tell. */
export type UnknownMedia = Omit<PostMedia, "kind"> & { kind: MediaKind | null };

/** A file of a new post after its own checks. */
export type CheckedMedia = { role: MediaRole } & (
  | { media: PostMedia; ref: MediaRef }
  | { refusal: FieldError }
);

/** File kinds that each role takes. Source: spec, POST /upload. */
const KINDS: Record<MediaRole, readonly MediaKind[]> = {
  photo: ["image", "video", "document"],
  video: ["video"],
  thumbnail: ["image"],
};

/** Facts of a file that is still behind a URL. */
export const UNKNOWN_FILE = { mime: null, sizeBytes: null, width: null, height: null };

/**
 * Checks each file of a new post on its own. `files`: the team's stored files that the post names; `presigned`:
 * what stands at addresses of ours.
 */
export const checkMedia = (
  deps: Pick<Deps, "config">,
  media: readonly NewMedia[],
  files: readonly MediaRow[] = [],
  presigned: PresignedFiles = NO_PRESIGNED,
): CheckedMedia[] =>
  media.map((item) => {
    const { role, field } = item;
    const refuse = (message: string): CheckedMedia => ({
      role,
      refusal: { field, message: `${field}: ${message}` },
    });
    if ("refusal" in item) return refuse(item.refusal);
    const name = role === "thumbnail" ? { role } : {};
    const own = "url" in item ? presigned.get(item.url) : undefined;
    if (own && "refusal" in own) return refuse(own.refusal);
    if ("url" in item && !own) {
      const { url } = item;
      const reason = urlRefusal(deps, url);
      if (reason) return refuse(`the media URL ${reason}.`);
      // Only its role is known; the publishing job checks the file itself.
      const kind = role === "video" ? "video" : "image";
      return { role, media: { ...UNKNOWN_FILE, kind }, ref: { url, ...name } };
    }
    const known = own ?? storedFile(item, files);
    if (!known) return refuse("the file is no longer stored. Send it again.");
    const { kind, sha256, contentSha256: content } = known;
    if (!KINDS[role].includes(kind)) {
      const wanted = KINDS[role].map(article).join(" or ");
      return refuse(`this is ${article(kind)}, not ${wanted}.`);
    }
    return { role, media: known, ref: { sha256, kind, ...(content ? { content } : {}), ...name } };
  });

/** The file of an item that is no address; undefined when it is gone. */
function storedFile(item: NewMedia, files: readonly MediaRow[]): StoredFile | MediaRow | undefined {
  if ("received" in item) return item.received;
  return "sha256" in item ? files.find(({ sha256 }) => sha256 === item.sha256) : undefined;
}

/** Says why a file cannot be fetched from a URL, or the URL not be kept; null when both can. */
export const urlRefusal = (deps: Pick<Deps, "config">, url: string): string | null =>
  url.length > MAX_URL_CHARACTERS
    ? `has more than ${formatCount(MAX_URL_CHARACTERS)} characters`
    : refusedMediaUrl(deps, url);

export const refusalsOf = (media: readonly CheckedMedia[]): FieldError[] =>
  media.flatMap((item) => ("refusal" in item ? [item.refusal] : []));

const article = (kind: MediaKind) => (kind === "image" ? "an image" : `a ${kind}`);
