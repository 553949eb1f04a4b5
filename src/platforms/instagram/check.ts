import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { captionField, captionOf } from "../meta/post.ts";
import {
  IMAGE_TYPES,
  MAX_CAPTION,
  MAX_CAROUSEL,
  MAX_COLLABORATORS,
  MAX_HASHTAGS,
  MAX_IMAGE_BYTES,
  MAX_MENTIONS,
  MAX_STORY_VIDEO_BYTES,
  MAX_USER_TAGS,
  MAX_VIDEO_BYTES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { InstagramSettings } from "./settings.ts";

type InstagramPost = Post<InstagramSettings>;

/** What the post becomes at Instagram. */
export type Shape = "image" | "reel" | "story" | "carousel";

/** A file behind a URL is an image by its field alone; it may still turn out to be a video. */
const isSurely = (kind: PostMedia["kind"], item: PostMedia): boolean =>
  item.kind === kind && (item.mime !== null || kind === "video");

/** What a post becomes by its media and its media_type. */
export function shapeOf({ media, settings }: Pick<InstagramPost, "media" | "settings">): Shape {
  const type = settings.media_type;
  if (type === "STORIES") return "story";
  const [item] = media;
  if (media.length !== 1 || !item) return "carousel";
  if (item.kind === "video") return "reel";
  const wantsVideo = type === "REELS" || type === "VIDEO";
  return wantsVideo && !isSurely("image", item) ? "reel" : "image";
}

/** A run of hashtags, which may stand without space between them; not a part of a word or a URL. */
const HASHTAGS = /(?<![\p{L}\p{N}_&/])(?:#[\p{L}\p{N}\p{M}_]+)+/gu;
/** Not a part of an email address. */
const MENTION = /(?<![\p{L}\p{N}_.@/])@[A-Za-z0-9_][A-Za-z0-9_.]*/gu;

/** Hashtags of a caption, repeated ones counted again. */
export const countHashtags = (caption: string): number =>
  [...caption.matchAll(HASHTAGS)].reduce((total, [run]) => total + run.split("#").length - 1, 0);

/** Mentions in a caption, repeated ones counted again. */
export const countMentions = (caption: string): number => [...caption.matchAll(MENTION)].length;

function checkCaption(post: InstagramPost): FieldError[] {
  const caption = captionOf(post);
  const field = captionField(post);
  const errors: FieldError[] = [];
  const counts: [what: string, count: number, max: number][] = [
    ["characters", caption.length, MAX_CAPTION],
    ["hashtags", countHashtags(caption), MAX_HASHTAGS],
    ["mentions", countMentions(caption), MAX_MENTIONS],
  ];
  for (const [what, count, max] of counts) {
    if (count <= max) continue;
    errors.push({
      field,
      message: `Shorten the caption: Instagram takes ${formatCount(max)} ${what}, it has ${formatCount(count)}.`,
    });
  }
  return errors;
}

function checkCount({ media }: InstagramPost, shape: Shape): FieldError[] {
  const field = "photo";
  if (shape === "story") {
    if (media.length === 1) return [];
    const message = `A story is exactly one image or video; ${media.length} were sent.`;
    return [{ field, message }];
  }
  if (media.length === 0) {
    return [{ field, message: "Add a photo or a video: Instagram takes no post without media." }];
  }
  if (media.length <= MAX_CAROUSEL) return [];
  const message = `An Instagram carousel takes up to ${MAX_CAROUSEL} images and videos; ${media.length} were sent.`;
  return [{ field, message }];
}

function checkFile(item: PostMedia, index: number, shape: Shape): FieldError[] {
  const { kind, mime, sizeBytes } = item;
  if (kind === "document") {
    const message = `File ${index + 1} is a document; Instagram takes images and videos.`;
    return [{ field: "photo", message }];
  }
  const isVideo = kind === "video";
  const field = isVideo && shape !== "carousel" ? "video" : "photo";
  const name = `${isVideo ? "Video" : "Image"} ${index + 1}`;
  const errors: FieldError[] = [];
  const imageTypes = shape === "story" ? ["image/jpeg"] : IMAGE_TYPES;
  if (mime !== null && !(isVideo ? VIDEO_TYPES : imageTypes).includes(mime)) {
    const wanted = isVideo
      ? "send MP4 or QuickTime"
      : shape === "story"
        ? "a story takes JPEG alone"
        : "send JPEG, PNG, WebP or GIF";
    errors.push({ field, message: `${name} is ${mime}; ${wanted}.` });
  }
  const maxVideo = shape === "story" ? MAX_STORY_VIDEO_BYTES : MAX_VIDEO_BYTES;
  const max = isVideo ? maxVideo : MAX_IMAGE_BYTES;
  if (sizeBytes !== null && mime !== null && sizeBytes > max) {
    errors.push({
      field,
      message: `${name} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(max)} or less.`,
    });
  }
  return errors;
}

function checkType({ media, settings }: InstagramPost, shape: Shape): FieldError[] {
  const type = settings.media_type;
  if (type === null || shape === "story" || media.length === 0) return [];
  const refuse = (message: string) => [{ field: "media_type", message }];
  if (type === "REELS" && media.length > 1) {
    return refuse("media_type REELS takes a single video; leave it out for a carousel.");
  }
  if (type === "IMAGE" && media.some((item) => isSurely("video", item))) {
    return refuse("media_type IMAGE does not fit a video; use REELS, or leave it out.");
  }
  if (type !== "IMAGE" && media.some((item) => isSurely("image", item))) {
    return refuse(`media_type ${type} does not fit an image; use IMAGE, or leave it out.`);
  }
  return [];
}

function checkFields({ settings }: InstagramPost, shape: Shape): FieldError[] {
  const errors: FieldError[] = [];
  const { collaborators, user_tags: tags } = settings;
  if (shape === "story" && collaborators.length > 0) {
    errors.push({ field: "collaborators", message: "A story has no collaborators; leave it out." });
  } else if (collaborators.length > MAX_COLLABORATORS) {
    errors.push({
      field: "collaborators",
      message: `Instagram takes up to ${MAX_COLLABORATORS} collaborators; ${collaborators.length} were sent.`,
    });
  }
  if (tags.length > MAX_USER_TAGS) {
    errors.push({
      field: "user_tags",
      message: `Instagram takes up to ${MAX_USER_TAGS} tagged accounts; ${tags.length} were sent.`,
    });
  }
  if (shape === "story" && settings.location_id !== null) {
    errors.push({ field: "location_id", message: "A story has no location; leave it out." });
  }
  if (shape !== "reel" && settings.trial_reel !== null) {
    errors.push({
      field: "trial_reel",
      message: "Only a single video posted as a Reel can be a trial reel.",
    });
  }
  if (shape !== "reel" && settings.audio_name !== null) {
    errors.push({ field: "audio_name", message: "Only the audio of a Reel can be named." });
  }
  return errors;
}

/** Everything Instagram would refuse. Source: spec, "Content limits by platform" and Story. */
export function check(post: InstagramPost): FieldError[] {
  const shape = shapeOf(post);
  return [
    // A story is sent without its caption.
    ...(shape === "story" ? [] : checkCaption(post)),
    ...checkCount(post, shape),
    ...post.media.flatMap((item, index) => checkFile(item, index, shape)),
    ...checkType(post, shape),
    ...checkFields(post, shape),
  ];
}
