import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Capabilities, MediaKind, Post, PostMedia } from "../connector.ts";
import { postText } from "./post-text.ts";

const TYPE_NAMES: Record<string, string> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/gif": "GIF",
  "video/mp4": "MP4",
  "video/quicktime": "QuickTime",
  "video/webm": "WebM",
  "application/pdf": "PDF",
  "application/msword": "DOC",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
  "application/vnd.ms-powerpoint": "PPT",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
};

export const nameTypes = (types: readonly string[], last: "or" | "and" = "or"): string =>
  types
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(", ")
    .replace(/, (\S+)$/, ` ${last} $1`);

export const refuseIf = (isWrong: boolean, field: string, message: string): FieldError[] =>
  isWrong ? [{ field, message }] : [];

export const ofKind = (media: PostMedia[], kind: MediaKind): PostMedia[] =>
  media.filter((item) => item.kind === kind);

/** False for an image behind a URL: only the form field says that the file is an image. */
export const isSurely = (kind: MediaKind, item: PostMedia): boolean =>
  item.kind === kind && (item.mime !== null || kind !== "image");

const KIND_NAMES: Record<MediaKind, string> = {
  image: "Image",
  video: "Video",
  document: "Document",
};

export const fileField = ({ kind }: Pick<PostMedia, "kind">): string =>
  kind === "video" ? "video" : "photo";

/** A file of several, as messages call it. */
export const fileName = ({ kind }: Pick<PostMedia, "kind">, index: number): string =>
  `${KIND_NAMES[kind]} ${index + 1}`;

interface FileRule {
  field: string;
  name: string;
  types?: readonly string[];
  maxBytes?: number;
  expected?: string;
}

export const checksFor = (
  platform: string,
  { mediaSupport }: Pick<Capabilities, "mediaSupport">,
) => ({
  length(
    field: string,
    what: string,
    {
      count,
      max,
      unit = "characters",
      taker = platform,
    }: {
      count: number;
      max: number;
      unit?: string;
      taker?: string;
    },
  ): FieldError[] {
    if (count <= max) return [];
    const message = `Shorten ${what}: ${taker} takes ${formatCount(max)} ${unit}, it has ${formatCount(count)}.`;
    return [{ field, message }];
  },

  count(field: string, count: number, max: number, things: string, taker = platform): FieldError[] {
    if (count <= max) return [];
    const taken = max === 1 ? "one" : `up to ${max}`;
    return [{ field, message: `${taker} takes ${taken} ${things}; ${count} were sent.` }];
  },

  /** For a post that needs a text, or a file in its place. */
  textOrFile: (post: Post): FieldError[] =>
    refuseIf(
      postText(post) === "" && post.media.length === 0,
      "description",
      `Write a description: a post on ${platform} without files needs text.`,
    ),

  /** For files that go out in one call. */
  total(field: string, media: readonly PostMedia[], maxBytes: number): FieldError[] {
    const bytes = media.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    const message = `The files have ${formatCount(bytes)} bytes together; make it ${formatCount(maxBytes)} or less, because ${platform} gets them in one call.`;
    return refuseIf(bytes > maxBytes, field, message);
  },

  noDocuments: (media: PostMedia[], advice: string, field = "photo"): FieldError[] =>
    refuseIf(
      ofKind(media, "document").length > 0,
      field,
      `${platform} takes no documents; ${advice}.`,
    ),

  document: (index: number): FieldError[] => [
    {
      field: "photo",
      message: `File ${index + 1} is a document; ${platform} takes images and videos.`,
    },
  ],

  /** Accepts files that are not downloaded yet. */
  file({ kind, mime, sizeBytes }: PostMedia, rule: FileRule): FieldError[] {
    if (mime === null) return [];
    const { field, name, types = mediaSupport[`${kind}Types`] ?? [] } = rule;
    const maxBytes = rule.maxBytes ?? mediaSupport[`${kind}MaxBytes`] ?? Number.POSITIVE_INFINITY;
    const errors: FieldError[] = [];
    if (!types.includes(mime)) {
      const expected = rule.expected ?? `; send ${nameTypes(types)}`;
      errors.push({ field, message: `${name} is ${mime}${expected}.` });
    }
    if (sizeBytes !== null && sizeBytes > maxBytes) {
      const message = `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(maxBytes)} or less.`;
      errors.push({ field, message });
    }
    return errors;
  },
});
