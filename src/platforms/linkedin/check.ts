import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { MediaKind, Plan, Post, PostMedia } from "../connector.ts";
import {
  DOCUMENT_TYPES,
  IMAGE_PIXELS_END,
  IMAGE_TYPES,
  MAX_DOCUMENT_BYTES,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_TEXT_UNITS,
  MAX_TITLE_UNITS,
  MAX_VIDEO_BYTES,
  MIN_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import { escapeLittleText } from "./little-text.ts";
import type { LinkedInSettings } from "./settings.ts";
import { withoutMarks } from "./styling.ts";
import { isOrganization } from "./urn.ts";

type LinkedInPost = Post<LinkedInSettings>;

/** The text of the post as it was written; empty where it is blank. */
export const bodyOf = ({ description }: Pick<Post, "description">): string =>
  description?.trim() ? description : "";

/** A file behind a URL is an image by its field alone; it may still turn out to be something else. */
const isSurely = (kind: MediaKind, item: PostMedia): boolean =>
  item.kind === kind && (item.mime !== null || kind !== "image");

function checkTexts({ title, description, media }: LinkedInPost): FieldError[] {
  const errors: FieldError[] = [];
  const titleUnits = title?.length ?? 0;
  if (titleUnits > MAX_TITLE_UNITS) {
    errors.push({
      field: "title",
      message: `Shorten the title: it takes ${formatCount(MAX_TITLE_UNITS)} characters, it has ${formatCount(titleUnits)}.`,
    });
  }
  const body = bodyOf({ description });
  if (body === "") {
    if (media.length === 0) {
      errors.push({ field: "description", message: "Write a description: it is the post's text." });
    } else if (media.some((item) => isSurely("document", item))) {
      const message = "Write a description: a document is posted with a text.";
      errors.push({ field: "description", message });
    }
  }
  const tooLong = describeTooLong(withoutMarks(body));
  return tooLong ? [...errors, { field: "description", message: tooLong }] : errors;
}

/** Why LinkedIn has no room for a text, or null. It is sent with a backslash before some characters. */
function describeTooLong(text: string): string | null {
  const taken = `Shorten the description: LinkedIn takes ${formatCount(MAX_TEXT_UNITS)} characters`;
  // First, because a text that is far too long takes a while to be escaped.
  if (text.length > MAX_TEXT_UNITS) {
    return `${taken}, it has ${formatCount(text.length)} without the asterisks of bold and italic.`;
  }
  const sent = escapeLittleText(text).length;
  if (sent <= MAX_TEXT_UNITS) return null;
  return `${taken}, it has ${formatCount(sent)} with the backslashes that LinkedIn wants before \\ | { } @ [ ] ( ) < > # * _ ~.`;
}

function checkCounts({ media }: LinkedInPost): FieldError[] {
  const errors: FieldError[] = [];
  const count = (kind: MediaKind) => media.filter((item) => item.kind === kind).length;
  const [images, videos, documents] = [count("image"), count("video"), count("document")];
  if (images > MAX_IMAGES) {
    const message = `LinkedIn takes up to ${MAX_IMAGES} images; ${images} were sent.`;
    errors.push({ field: "photo", message });
  }
  if (videos > 1) {
    const message = `LinkedIn takes one video; ${videos} were sent.`;
    errors.push({ field: "video", message });
  }
  if (documents > 1) {
    const message = `LinkedIn takes one document; ${documents} were sent.`;
    errors.push({ field: "photo", message });
  }
  if ([images, videos, documents].filter((number) => number > 0).length > 1) {
    const message = `LinkedIn takes images, a video or a document, not several of these; send one video, one document, or up to ${MAX_IMAGES} images.`;
    errors.push({ field: videos > 0 ? "video" : "photo", message });
  }
  return errors;
}

interface FileRule {
  name: string;
  field: string;
  types: readonly string[];
  wanted: string;
  minBytes: number;
  maxBytes: number;
}

const FILE_RULES: Record<MediaKind, FileRule> = {
  image: {
    name: "Image",
    field: "photo",
    types: IMAGE_TYPES,
    wanted: "LinkedIn takes JPEG, PNG and GIF",
    minBytes: 1,
    maxBytes: MAX_IMAGE_BYTES,
  },
  video: {
    name: "Video",
    field: "video",
    types: VIDEO_TYPES,
    wanted: "LinkedIn takes MP4",
    minBytes: MIN_VIDEO_BYTES,
    maxBytes: MAX_VIDEO_BYTES,
  },
  document: {
    name: "Document",
    field: "photo",
    types: DOCUMENT_TYPES,
    wanted: "LinkedIn takes PDF, DOC, DOCX, PPT and PPTX",
    minBytes: 1,
    maxBytes: MAX_DOCUMENT_BYTES,
  },
};

function checkFile({ kind, mime, sizeBytes, width, height }: PostMedia, index: number) {
  const { name, field, types, wanted, minBytes, maxBytes } = FILE_RULES[kind];
  const errors: FieldError[] = [];
  const refuse = (problem: string) =>
    errors.push({ field, message: `${name} ${index + 1} ${problem}.` });
  // What a file behind a URL is, and so what it may be, shows when it is fetched.
  if (mime === null) return errors;
  if (!types.includes(mime)) refuse(`is ${mime}; ${wanted}`);
  if (sizeBytes !== null && sizeBytes > maxBytes) {
    refuse(`has ${formatCount(sizeBytes)} bytes; make it ${formatCount(maxBytes)} or less`);
  }
  if (sizeBytes !== null && sizeBytes < minBytes) {
    refuse(`has ${formatCount(sizeBytes)} bytes; LinkedIn takes ${formatCount(minBytes)} or more`);
  }
  if (kind === "image" && width !== null && height !== null && width * height >= IMAGE_PIXELS_END) {
    refuse(
      `is ${width} x ${height}, which is ${formatCount(width * height)} pixels; LinkedIn takes fewer than ${formatCount(IMAGE_PIXELS_END)}`,
    );
  }
  return errors;
}

function checkType({ media, settings }: LinkedInPost): FieldError[] {
  if (settings.media_type !== "DOCUMENT") return [];
  const refuse = (message: string) => [{ field: "media_type", message }];
  if (media.length === 0) return refuse("media_type DOCUMENT wants a document in photo.");
  if (media.some((item) => isSurely("image", item) || isSurely("video", item))) {
    return refuse("media_type DOCUMENT does not fit images and videos; leave it out.");
  }
  return [];
}

export const PAGE_IS_PUBLIC =
  "A LinkedIn page has no connections: its posts are PUBLIC. Leave visibility out.";

function checkVisibility({ settings }: LinkedInPost, plan: Plan | undefined): FieldError[] {
  if (settings.visibility !== "CONNECTIONS" || !plan) return [];
  if (!isOrganization(plan.platformAccountId)) return [];
  return [{ field: "visibility", message: PAGE_IS_PUBLIC }];
}

/** Everything LinkedIn would refuse. Source: spec, "Uploads: create", `linkedin`. */
export function check(post: LinkedInPost, plan?: Plan): FieldError[] {
  return [
    ...checkTexts(post),
    ...checkCounts(post),
    ...post.media.flatMap(checkFile),
    ...checkType(post),
    ...checkVisibility(post, plan),
  ];
}
