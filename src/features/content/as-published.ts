import type { MediaKind, Post, PostMedia } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";

/** A stored post, and what is known of its files. */
export type Publishable = Pick<UploadRow, "platform" | "title" | "description" | "settings"> & {
  media: readonly MediaRef[];
  files?: readonly (PostMedia & { sha256: string })[];
};

/** Returns true for a file that goes out: no thumbnail, and none that could not be downloaded. */
export const isSent = (ref: MediaRef): boolean =>
  ref.role === undefined && ("sha256" in ref || !ref.isGone);

/** Nothing is known of a file before it is here. */
const UNSEEN = { mime: null, sizeBytes: null, width: null, height: null };

const ADDRESSES: [kind: MediaKind, ending: RegExp][] = [
  ["video", /\.(?:mp4|m4v|mov|webm)$/i],
  ["image", /\.(?:jpe?g|png|webp|gif|heic|avif)$/i],
  ["document", /\.(?:pdf|docx?|pptx?)$/i],
];

/** Returns the kind that an address names by its ending; null where it names none. */
export function kindOfAddress(url: string): MediaKind | null {
  const path = URL.parse(url)?.pathname ?? "";
  return ADDRESSES.find(([, ending]) => ending.test(path))?.[0] ?? null;
}

/** Returns a stored post as its connector gets it. @param kindOf the kind of a file that is not here yet */
export function toPost(
  { platform, title, description, settings, media, files = [] }: Publishable,
  kindOf: (url: string) => MediaKind,
): Post {
  const toMedia = (ref: MediaRef): PostMedia =>
    "sha256" in ref
      ? (files.find(({ sha256 }) => sha256 === ref.sha256) ?? { ...UNSEEN, kind: ref.kind })
      : { ...UNSEEN, kind: kindOf(ref.url) };
  const { values } = connectorOf(platform).settings.read({});
  return {
    ...{ title, description, media: media.filter(isSent).map(toMedia) },
    settings: { ...(values as object), ...settings },
  };
}

/** Puts the label of a part that is not published into a warning. */
export const toWarning = (platform: UploadRow["platform"], label: string): string =>
  `${connectorOf(platform).name}: ${label}.`;

/**
 * Names each part of a post that readers of its platform will not see, in the words of the review page. While the
 * kind of a file is unknown, it names only what holds for every kind.
 */
export async function unpublishedWarnings(post: Publishable): Promise<string[]> {
  const connector = connectorOf(post.platform);
  const isKnown = post.media.every(
    (ref) => !isSent(ref) || "sha256" in ref || kindOfAddress(ref.url) !== null,
  );
  const kinds = isKnown ? (["image"] as const) : connector.capabilities.mediaSupport.kinds;
  const [first = [], ...others] = await Promise.all(
    kinds.map(async (kind) => {
      const likeness = await connector.likeness(toPost(post, (url) => kindOfAddress(url) ?? kind));
      return likeness.unpublished.map(({ label }) => label);
    }),
  );
  return first
    .filter((label) => others.every((labels) => labels.includes(label)))
    .map((label) => toWarning(post.platform, label));
}

/** The warnings as an answer has them: left out where there are none. */
export const withWarnings = (warnings: readonly string[] = []): { warnings?: string[] } =>
  warnings.length > 0 ? { warnings: [...warnings] } : {};
