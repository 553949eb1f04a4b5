import type { FieldError } from "../../core/errors.ts";
import { countGraphemes, countUtf8Bytes, formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  IMAGE_TYPES,
  MAX_ALT_GRAPHEMES,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_TEXT_BYTES,
  MAX_TEXT_GRAPHEMES,
  MAX_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { BlueskySettings } from "./settings.ts";

const isBlank = (text: string | null): boolean => text === null || text.trim() === "";

/** The text of the record: the description, or the title where that is blank; empty when both are. */
export function postText(post: Pick<Post, "title" | "description">): string {
  const text = isBlank(post.description) ? post.title : post.description;
  return text === null || isBlank(text) ? "" : text;
}

/** The alt text of the file at `index`, counted from 0; empty when none was given. */
export function altTextOf(settings: BlueskySettings, index: number): string {
  const given = settings.bluesky_alt_text;
  return typeof given === "string" ? given : (given[index] ?? "");
}

function checkText(post: Post<BlueskySettings>): FieldError[] {
  const text = postText(post);
  const field = isBlank(post.description) && !isBlank(post.title) ? "title" : "description";
  if (text === "") {
    if (post.media.length > 0) return [];
    return [{ field, message: "Write a description: a Bluesky post without media needs text." }];
  }
  const errors: FieldError[] = [];
  const length = countGraphemes(text);
  if (length > MAX_TEXT_GRAPHEMES) {
    errors.push({
      field,
      message: `Shorten the text: Bluesky takes ${MAX_TEXT_GRAPHEMES} characters, it has ${formatCount(length)}.`,
    });
  }
  const bytes = countUtf8Bytes(text);
  if (bytes > MAX_TEXT_BYTES) {
    errors.push({
      field,
      message: `Shorten the text: Bluesky takes ${formatCount(MAX_TEXT_BYTES)} bytes of UTF-8, it has ${formatCount(bytes)}.`,
    });
  }
  return errors;
}

function checkImages(images: PostMedia[]): FieldError[] {
  const errors: FieldError[] = [];
  if (images.length > MAX_IMAGES) {
    errors.push({
      field: "photo",
      message: `Bluesky takes up to ${MAX_IMAGES} images; ${images.length} were sent.`,
    });
  }
  images.forEach((image, index) => {
    if (image.mime !== null && !IMAGE_TYPES.includes(image.mime)) {
      errors.push({
        field: "photo",
        message: `Image ${index + 1} is ${image.mime}; send JPEG, PNG, WebP or GIF.`,
      });
    }
    if (image.sizeBytes !== null && image.sizeBytes > MAX_IMAGE_BYTES) {
      errors.push({
        field: "photo",
        message: `Image ${index + 1} has ${formatCount(image.sizeBytes)} bytes; make it ${formatCount(MAX_IMAGE_BYTES)} or less.`,
      });
    }
  });
  return errors;
}

function checkVideos(videos: PostMedia[]): FieldError[] {
  const errors: FieldError[] = [];
  if (videos.length > 1) {
    errors.push({
      field: "video",
      message: `Bluesky takes one video; ${videos.length} were sent.`,
    });
  }
  for (const { mime, sizeBytes } of videos) {
    if (mime !== null && !VIDEO_TYPES.includes(mime)) {
      errors.push({
        field: "video",
        message: `The video is ${mime}; send MP4, QuickTime or WebM.`,
      });
    }
    if (sizeBytes !== null && sizeBytes > MAX_VIDEO_BYTES) {
      errors.push({
        field: "video",
        message: `The video has ${formatCount(sizeBytes)} bytes; make it ${formatCount(MAX_VIDEO_BYTES)} or less.`,
      });
    }
  }
  return errors;
}

function checkMedia(media: PostMedia[]): FieldError[] {
  const images = media.filter((item) => item.kind === "image");
  const videos = media.filter((item) => item.kind === "video");
  const errors = [...checkImages(images), ...checkVideos(videos)];
  if (images.length > 0 && videos.length > 0) {
    errors.push({
      field: "video",
      message: `Bluesky shows a video alone; send it without images, or up to ${MAX_IMAGES} images without it.`,
    });
  }
  if (media.some((item) => item.kind === "document")) {
    errors.push({
      field: "photo",
      message: "Bluesky takes no documents; send up to 4 images or a video instead.",
    });
  }
  return errors;
}

function checkAltTexts(post: Post<BlueskySettings>): FieldError[] {
  const field = "bluesky_alt_text";
  const given = post.settings.bluesky_alt_text;
  const texts = typeof given === "string" ? [given] : given;
  const files = post.media.filter((item) => item.kind !== "document").length;
  if (typeof given !== "string" && given.length > files) {
    const message = `Send at most one alt text per image or video, ${files} here; ${given.length} were sent.`;
    return [{ field, message }];
  }
  const errors: FieldError[] = [];
  texts.forEach((text, index) => {
    const length = countGraphemes(text);
    if (length > MAX_ALT_GRAPHEMES) {
      errors.push({
        field,
        message: `Shorten alt text ${index + 1}: Bluesky takes ${formatCount(MAX_ALT_GRAPHEMES)} characters, it has ${formatCount(length)}.`,
      });
    }
  });
  return errors;
}

/** Everything Bluesky would refuse. Source: spec, "Content limits by platform". */
export function check(post: Post<BlueskySettings>): FieldError[] {
  return [...checkText(post), ...checkMedia(post.media), ...checkAltTexts(post)];
}
