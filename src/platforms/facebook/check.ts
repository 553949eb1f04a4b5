import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  IMAGE_TYPES,
  MAX_ALBUM,
  MAX_IMAGE_BYTES,
  MAX_TEXT,
  MAX_TITLE,
  MAX_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { FacebookSettings } from "./settings.ts";

type FacebookPost = Post<FacebookSettings>;

/** What the post becomes at Facebook. */
export type Shape = "text" | "photo" | "album" | "video" | "reel";

const presence = (text: string | null): string | null =>
  text === null || text.trim() === "" ? null : text;

/** What stands above photos and in a text post: the description, or the title where that is blank. */
export const messageOf = (post: Pick<Post, "title" | "description">): string =>
  presence(post.description) ?? presence(post.title) ?? "";

/** A file behind a URL is an image by its field alone; it may still turn out to be a video. */
const isSurelyImage = ({ kind, mime }: PostMedia): boolean => kind === "image" && mime !== null;

/** What a post becomes by its media and its media_type. */
export function shapeOf({ media, settings }: Pick<FacebookPost, "media" | "settings">): Shape {
  const [item] = media;
  if (!item) return "text";
  if (media.length > 1) return "album";
  const type = settings.media_type;
  if (item.kind === "video") return type === "REELS" ? "reel" : "video";
  if (type === null || isSurelyImage(item)) return "photo";
  return type === "REELS" ? "reel" : "video";
}

function checkTexts({ title, description }: FacebookPost, shape: Shape): FieldError[] {
  const errors: FieldError[] = [];
  if (shape === "text" && presence(description) === null) {
    errors.push({
      field: "description",
      message: "Add a description: it is the text of a Facebook post without media.",
    });
  }
  const texts: [field: string, text: string | null, max: number][] = [
    ["description", description, MAX_TEXT],
    ["title", title, MAX_TITLE],
  ];
  for (const [field, text, max] of texts) {
    if (text === null || text.length <= max) continue;
    errors.push({
      field,
      message: `Shorten the ${field}: Facebook takes ${formatCount(max)} characters, it has ${formatCount(text.length)}.`,
    });
  }
  return errors;
}

function checkCount({ media }: FacebookPost): FieldError[] {
  if (media.length <= MAX_ALBUM) return [];
  const message = `A Facebook album takes up to ${MAX_ALBUM} images; ${media.length} were sent.`;
  return [{ field: "photo", message }];
}

function checkFile(item: PostMedia, index: number, shape: Shape): FieldError[] {
  const { kind, mime, sizeBytes } = item;
  if (kind === "document") {
    const message = `File ${index + 1} is a document; Facebook takes images and videos.`;
    return [{ field: "photo", message }];
  }
  if (kind === "video" && shape === "album") {
    const message = `File ${index + 1} is a video; a Facebook album takes images only.`;
    return [{ field: "photo", message }];
  }
  const isVideo = kind === "video";
  const field = isVideo ? "video" : "photo";
  const name = isVideo ? "The video" : `Image ${index + 1}`;
  const errors: FieldError[] = [];
  if (mime !== null && !(isVideo ? VIDEO_TYPES : IMAGE_TYPES).includes(mime)) {
    const wanted = isVideo ? "send MP4 or QuickTime" : "send JPEG, PNG, GIF or WebP";
    errors.push({ field, message: `${name} is ${mime}; ${wanted}.` });
  }
  const max = isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES;
  if (sizeBytes !== null && mime !== null && sizeBytes > max) {
    errors.push({
      field,
      message: `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(max)} or less.`,
    });
  }
  return errors;
}

function checkType({ media, settings }: FacebookPost): FieldError[] {
  const type = settings.media_type;
  if (type === null || !media.some(isSurelyImage)) return [];
  const message = `media_type ${type} does not fit an image; leave it out.`;
  return [{ field: "media_type", message }];
}

/** Everything Facebook would refuse. Source: spec, "Uploads: create" and "Content limits by platform". */
export function check(post: FacebookPost): FieldError[] {
  const shape = shapeOf(post);
  return [
    ...checkTexts(post, shape),
    ...checkCount(post),
    ...post.media.flatMap((item, index) => checkFile(item, index, shape)),
    ...checkType(post),
  ];
}
