import type { FieldError } from "../../core/errors.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, isSurely, refuseIf } from "../kit/checks.ts";
import { captionField, captionOf } from "../meta/post.ts";
import {
  capabilities,
  MAX_COLLABORATORS,
  MAX_HASHTAGS,
  MAX_MENTIONS,
  MAX_USER_TAGS,
  STORY_RULES,
} from "./capabilities.ts";
import type { InstagramSettings } from "./settings.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Instagram", capabilities);

type InstagramPost = Post<InstagramSettings>;

export type Shape = "image" | "reel" | "story" | "carousel";

export function shapeOf({ media, settings }: Pick<InstagramPost, "media" | "settings">): Shape {
  const type = settings.media_type;
  if (type === "STORIES") return "story";
  const [item] = media;
  if (media.length !== 1 || !item) return "carousel";
  if (item.kind === "video") return "reel";
  const wantsVideo = type === "REELS" || type === "VIDEO";
  return wantsVideo && !isSurely("image", item) ? "reel" : "image";
}

/** Source: Meta, "IG User Media", `alt_text`: not for reels and stories. */
export const altTexts = altTextsFor<InstagramSettings>({
  platform: "Instagram",
  capabilities,
  isTaken: (post, index) => post.media[index]?.kind === "image" && shapeOf(post) !== "story",
});

/** Matches hashtags, also adjacent ones, but no `#` inside a word or URL. */
const HASHTAGS = /(?<![\p{L}\p{N}_&/])(?:#[\p{L}\p{N}\p{M}_]+)+/gu;
const MENTION = /(?<![\p{L}\p{N}_.@/])@[A-Za-z0-9_][A-Za-z0-9_.]*/gu;

export const countHashtags = (caption: string): number =>
  [...caption.matchAll(HASHTAGS)].reduce((total, [run]) => total + run.split("#").length - 1, 0);

export const countMentions = (caption: string): number => [...caption.matchAll(MENTION)].length;

function checkCaption(post: InstagramPost): FieldError[] {
  const caption = captionOf(post);
  const tooLong = (unit: string, count: number, max: number) =>
    checks.length(captionField(post), "the caption", { count, max, unit });
  return [
    ...tooLong("characters", caption.length, limits.postCharacters),
    ...tooLong("hashtags", countHashtags(caption), MAX_HASHTAGS),
    ...tooLong("mentions", countMentions(caption), MAX_MENTIONS),
  ];
}

function checkCount({ media }: InstagramPost, shape: Shape): FieldError[] {
  const field = "photo";
  if (shape === "story") {
    const message = `A story is exactly one image or video; ${media.length} were sent.`;
    return refuseIf(media.length !== 1, field, message);
  }
  return [
    ...refuseIf(
      media.length === 0,
      field,
      "Add a photo or a video: Instagram takes no post without media.",
    ),
    ...checks.count(
      field,
      media.length,
      mediaSupport.maxCount,
      "images and videos",
      "An Instagram carousel",
    ),
  ];
}

const STORY_IMAGES = { types: ["image/jpeg"], expected: "; a story takes JPEG alone" };
const STORY_VIDEOS = { maxBytes: STORY_RULES.maxBytes };

function checkFile(item: PostMedia, index: number, shape: Shape): FieldError[] {
  if (item.kind === "document") return checks.document(index);
  const isVideo = item.kind === "video";
  return checks.file(item, {
    field: isVideo && shape !== "carousel" ? "video" : "photo",
    name: `${isVideo ? "Video" : "Image"} ${index + 1}`,
    ...(shape === "story" ? (isVideo ? STORY_VIDEOS : STORY_IMAGES) : {}),
  });
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
  const { collaborators, user_tags: tags } = settings;
  const isStory = shape === "story";
  return [
    ...(isStory
      ? refuseIf(
          collaborators.length > 0,
          "collaborators",
          "A story has no collaborators; leave collaborators out.",
        )
      : checks.count("collaborators", collaborators.length, MAX_COLLABORATORS, "collaborators")),
    ...checks.count("user_tags", tags.length, MAX_USER_TAGS, "tagged accounts"),
    ...refuseIf(
      isStory && settings.location_id !== null,
      "location_id",
      "A story has no location; leave location_id out.",
    ),
    ...refuseIf(
      shape !== "reel" && settings.trial_reel !== null,
      "trial_reel",
      "Only a single video posted as a Reel can be a trial reel; leave trial_reel out.",
    ),
    ...refuseIf(
      shape !== "reel" && settings.audio_name !== null,
      "audio_name",
      "Only the audio of a Reel can be named; leave audio_name out.",
    ),
  ];
}

/** Source: spec, "Content limits by platform" and Story. */
export function check(post: InstagramPost): FieldError[] {
  const shape = shapeOf(post);
  return [
    // Stories are sent without caption.
    ...(shape === "story" ? [] : checkCaption(post)),
    ...checkCount(post, shape),
    ...post.media.flatMap((item, index) => checkFile(item, index, shape)),
    ...checkType(post, shape),
    ...checkFields(post, shape),
    ...altTexts.check(post),
  ];
}
