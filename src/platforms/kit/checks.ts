import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Capabilities, MediaKind, PostMedia } from "../connector.ts";

/** MIME types as people know them. */
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

/** Lists MIME types by their names, such as "JPEG, PNG or GIF". */
export const nameTypes = (types: readonly string[], last: "or" | "and" = "or"): string =>
  types
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(", ")
    .replace(/, (\S+)$/, ` ${last} $1`);

export const refuseIf = (isWrong: boolean, field: string, message: string): FieldError[] =>
  isWrong ? [{ field, message }] : [];

export const ofKind = (media: PostMedia[], kind: MediaKind): PostMedia[] =>
  media.filter((item) => item.kind === kind);

/**
 * Returns true for a file that is known to be of this kind. One behind a URL is an image by its field
 * alone; it may still turn out to be something else.
 */
export const isSurely = (kind: MediaKind, item: PostMedia): boolean =>
  item.kind === kind && (item.mime !== null || kind !== "image");

interface FileRule {
  field: string;
  /** Such as "Image 2". */
  name: string;
  /** Default: those of the capabilities. */
  types?: readonly string[];
  maxBytes?: number;
  /** Ends the sentence on a wrong type. Default: "; send " and the types. */
  wanted?: string;
}

/** Checks that read the limits of a platform. @param platform its name as people know it */
export const checksFor = (
  platform: string,
  { mediaSupport }: Pick<Capabilities, "mediaSupport">,
) => ({
  /** Refuses a text that is too long. @param what such as "the title" */
  length(
    field: string,
    what: string,
    {
      count,
      most,
      unit = "characters",
      taker = platform,
    }: {
      count: number;
      most: number;
      unit?: string;
      taker?: string;
    },
  ): FieldError[] {
    if (count <= most) return [];
    const message = `Shorten ${what}: ${taker} takes ${formatCount(most)} ${unit}, it has ${formatCount(count)}.`;
    return [{ field, message }];
  },

  /** Refuses too many of something. @param things such as "images" */
  count(
    field: string,
    count: number,
    most: number,
    things: string,
    taker = platform,
  ): FieldError[] {
    if (count <= most) return [];
    const taken = most === 1 ? "one" : `up to ${most}`;
    return [{ field, message: `${taker} takes ${taken} ${things}; ${count} were sent.` }];
  },

  /** Refuses documents all at once. @param advice such as "send photos or a video" */
  noDocuments: (media: PostMedia[], advice: string, field = "photo"): FieldError[] =>
    refuseIf(
      ofKind(media, "document").length > 0,
      field,
      `${platform} takes no documents; ${advice}.`,
    ),

  /** Refuses the document at `index` among images and videos. */
  document: (index: number): FieldError[] => [
    {
      field: "photo",
      message: `File ${index + 1} is a document; ${platform} takes images and videos.`,
    },
  ],

  /** Refuses a file of a wrong type or size; what it is shows only once its bytes are here. */
  file({ kind, mime, sizeBytes }: PostMedia, rule: FileRule): FieldError[] {
    if (mime === null) return [];
    const { field, name, types = mediaSupport[`${kind}Types`] ?? [] } = rule;
    const maxBytes = rule.maxBytes ?? mediaSupport[`${kind}MaxBytes`] ?? Number.POSITIVE_INFINITY;
    const errors: FieldError[] = [];
    if (!types.includes(mime)) {
      const wanted = rule.wanted ?? `; send ${nameTypes(types)}`;
      errors.push({ field, message: `${name} is ${mime}${wanted}.` });
    }
    if (sizeBytes !== null && sizeBytes > maxBytes) {
      const message = `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(maxBytes)} or less.`;
      errors.push({ field, message });
    }
    return errors;
  },
});
