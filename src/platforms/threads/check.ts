import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { captionField, captionOf } from "../meta/post.ts";
import {
  IMAGE_TYPES,
  MAX_ALT_TEXT,
  MAX_CAROUSEL,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_RATIO,
  MAX_LINKS,
  MAX_TEXT,
  MAX_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { ThreadsSettings } from "./settings.ts";
import { countCharacters, countLinks } from "./text.ts";

type ThreadsPost = Post<ThreadsSettings>;

function checkText(post: ThreadsPost): FieldError[] {
  const text = captionOf(post);
  const field = captionField(post);
  if (text === "") {
    return [{ field, message: "Write a title: a post on Threads needs text." }];
  }
  const errors: FieldError[] = [];
  const count = countCharacters(text);
  if (count > MAX_TEXT) {
    const isOfEmoji = text.length <= MAX_TEXT ? ", which counts every emoji by its bytes" : "";
    errors.push({
      field,
      message: `Shorten the text: Threads takes ${MAX_TEXT} characters, it has ${formatCount(count)}${isOfEmoji}.`,
    });
  }
  const links = countLinks(text);
  if (links > MAX_LINKS) {
    errors.push({
      field,
      message: `Leave out links: Threads takes ${MAX_LINKS} different ones, the text has ${links}.`,
    });
  }
  return errors;
}

function checkCount({ media }: ThreadsPost): FieldError[] {
  if (media.length <= MAX_CAROUSEL) return [];
  const message = `A carousel on Threads takes up to ${MAX_CAROUSEL} images and videos; ${media.length} were sent.`;
  return [{ field: "photo", message }];
}

function checkFile(item: PostMedia, index: number, isAlone: boolean): FieldError[] {
  const { kind, mime, sizeBytes, width, height } = item;
  if (kind === "document") {
    const message = `File ${index + 1} is a document; Threads takes images and videos.`;
    return [{ field: "photo", message }];
  }
  const isVideo = kind === "video";
  const field = isVideo && isAlone ? "video" : "photo";
  const name = `${isVideo ? "Video" : "Image"} ${index + 1}`;
  const errors: FieldError[] = [];
  if (mime !== null && !(isVideo ? VIDEO_TYPES : IMAGE_TYPES).includes(mime)) {
    const wanted = isVideo ? "MP4 or QuickTime" : "JPEG, PNG, WebP or GIF";
    errors.push({ field, message: `${name} is ${mime}; send ${wanted}.` });
  }
  const max = isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES;
  // What is still behind a URL may be a video in the field of photos.
  if (mime !== null && sizeBytes !== null && sizeBytes > max) {
    errors.push({
      field,
      message: `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(max)} or less.`,
    });
  }
  if (!isVideo && width !== null && height !== null && width > MAX_IMAGE_RATIO * height) {
    errors.push({
      field,
      message: `${name} is ${width} x ${height}; Threads takes images up to ${MAX_IMAGE_RATIO} times as wide as high.`,
    });
  }
  return errors;
}

function checkAltText({ media, settings }: ThreadsPost): FieldError[] {
  const field = "threads_alt_text";
  const text = settings.threads_alt_text;
  if (text === null) return [];
  if (media.length === 0) {
    const message = "There is no image or video that the alt text could describe; leave it out.";
    return [{ field, message }];
  }
  if (text.length <= MAX_ALT_TEXT) return [];
  const message = `Shorten the alt text: Threads takes ${formatCount(MAX_ALT_TEXT)} characters, it has ${formatCount(text.length)}.`;
  return [{ field, message }];
}

/** Everything Threads would refuse. Source: spec, "Content limits by platform" and `threads`. */
export function check(post: ThreadsPost): FieldError[] {
  const isAlone = post.media.length === 1;
  return [
    ...checkText(post),
    ...checkCount(post),
    ...post.media.flatMap((item, index) => checkFile(item, index, isAlone)),
    ...checkAltText(post),
  ];
}
