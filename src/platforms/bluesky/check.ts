import type { FieldError } from "../../core/errors.ts";
import { countGraphemes, countUtf8Bytes } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  IMAGE_TYPES,
  MAX_ALT_GRAPHEMES,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_TEXT_BYTES,
  MAX_TEXT_GRAPHEMES,
} from "./capabilities.ts";
import type { BlueskySettings } from "./settings.ts";

const isBlank = (text: string | null): boolean => text === null || text.trim() === "";

/** The text of the record: the description, or the title where that is blank; empty when both are. */
export function postText(post: Pick<Post, "title" | "description">): string {
  const text = isBlank(post.description) ? post.title : post.description;
  return text === null || isBlank(text) ? "" : text;
}

/** The alt text of the image at `index`, counted from 0; empty when none was given. */
export function altTextOf(settings: BlueskySettings, index: number): string {
  const given = settings.bluesky_alt_text;
  return typeof given === "string" ? given : (given[index] ?? "");
}

const numbers = new Intl.NumberFormat("en");

function checkText(post: Post<BlueskySettings>): FieldError[] {
  const text = postText(post);
  const field = isBlank(post.description) && !isBlank(post.title) ? "title" : "description";
  if (text === "") {
    if (post.media.length > 0) return [];
    return [{ field, message: "Write a description: a Bluesky post without images needs text." }];
  }
  const errors: FieldError[] = [];
  const length = countGraphemes(text);
  if (length > MAX_TEXT_GRAPHEMES) {
    errors.push({
      field,
      message: `Shorten the text: Bluesky takes ${MAX_TEXT_GRAPHEMES} characters, it has ${numbers.format(length)}.`,
    });
  }
  const bytes = countUtf8Bytes(text);
  if (bytes > MAX_TEXT_BYTES) {
    errors.push({
      field,
      message: `Shorten the text: Bluesky takes ${numbers.format(MAX_TEXT_BYTES)} bytes of UTF-8, it has ${numbers.format(bytes)}.`,
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
        message: `Image ${index + 1} has ${numbers.format(image.sizeBytes)} bytes; make it ${numbers.format(MAX_IMAGE_BYTES)} or less.`,
      });
    }
  });
  return errors;
}

function checkMedia(media: PostMedia[]): FieldError[] {
  const errors = checkImages(media.filter((item) => item.kind === "image"));
  if (media.some((item) => item.kind === "video")) {
    errors.push({
      field: "video",
      message: "Bluesky video is not supported yet; send up to 4 images instead.",
    });
  }
  if (media.some((item) => item.kind === "document")) {
    errors.push({
      field: "photo",
      message: "Bluesky takes no documents; send up to 4 images instead.",
    });
  }
  return errors;
}

function checkAltTexts(post: Post<BlueskySettings>): FieldError[] {
  const field = "bluesky_alt_text";
  const given = post.settings.bluesky_alt_text;
  const texts = typeof given === "string" ? [given] : given;
  const errors: FieldError[] = [];
  const images = post.media.filter((item) => item.kind === "image").length;
  if (typeof given !== "string" && given.length > images) {
    errors.push({
      field,
      message: `Send at most one alt text per image, ${images} here; ${given.length} were sent.`,
    });
  }
  texts.forEach((text, index) => {
    const length = countGraphemes(text);
    if (length > MAX_ALT_GRAPHEMES) {
      errors.push({
        field,
        message: `Shorten alt text ${index + 1}: Bluesky takes ${numbers.format(MAX_ALT_GRAPHEMES)} characters, it has ${numbers.format(length)}.`,
      });
    }
  });
  return errors;
}

/** Everything Bluesky would refuse. Source: spec, "Content limits by platform". */
export function check(post: Post<BlueskySettings>): FieldError[] {
  return [...checkText(post), ...checkMedia(post.media), ...checkAltTexts(post)];
}
