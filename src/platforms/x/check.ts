import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, ofKind, refuseIf } from "../kit/checks.ts";
import {
  capabilities,
  GIF,
  MAX_GIF_BYTES,
  MAX_GIF_SIZE,
  MAX_PREMIUM_TEXT,
  MAX_TAGGED_USERS,
  POLL_OPTIONS,
} from "./capabilities.ts";
import { textOf } from "./post-text.ts";
import type { XSettings } from "./settings.ts";
import { weightedLength } from "./weighted-length.ts";

type XPost = Post<XSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("X", capabilities);

const countCharacters = (text: string): number => [...text].length;

export const altTexts = altTextsFor<XSettings>({
  platform: "X",
  capabilities,
  isTaken: ({ media }, index) => media[index]?.kind === "image",
  own: ({ x_alt_text }) => x_alt_text,
  countCharacters,
});

function checkText(post: XPost): FieldError[] {
  const text = textOf(post);
  if (text === "") {
    if (post.media.length > 0) return [];
    return [{ field: "title", message: "Write a title, or add photos or a video." }];
  }
  const { x_premium } = post.settings;
  const max = x_premium ? MAX_PREMIUM_TEXT : limits.postCharacters;
  const length = weightedLength(text, MAX_PREMIUM_TEXT);
  if (length <= max) return [];
  const field = nullIfBlank(post.title) ? "title" : "description";
  const counted =
    length > MAX_PREMIUM_TEXT ? `more than ${formatCount(MAX_PREMIUM_TEXT)}` : formatCount(length);
  const more = x_premium ? "" : `; with x_premium up to ${formatCount(MAX_PREMIUM_TEXT)}`;
  return [
    {
      field,
      message: `Shorten the text: X takes ${formatCount(max)} characters (a link counts 23, emoji and CJK count 2), it has ${counted}${more}.`,
    },
  ];
}

const checkFile = (item: PostMedia, field: string, name: string, maxBytes?: number): FieldError[] =>
  checks.file(item, { field, name, maxBytes }).slice(0, 1);

function checkImage(item: PostMedia, index: number): FieldError[] {
  const field = "photo";
  const name = `Image ${index + 1}`;
  if (item.mime !== GIF) return checkFile(item, field, name);
  const { width, height } = item;
  const max = MAX_GIF_SIZE;
  return [
    ...checkFile(item, field, name, MAX_GIF_BYTES),
    ...refuseIf(
      (width ?? 0) > max.width || (height ?? 0) > max.height,
      field,
      `The GIF is ${width} x ${height}; X takes up to ${max.width} x ${max.height} pixels.`,
    ),
  ];
}

function checkMedia({ media }: XPost): FieldError[] {
  const images = ofKind(media, "image");
  const videos = ofKind(media, "video");
  const { maxCount } = mediaSupport;
  const isMixed = images.length > 0 && videos.length > 0;
  return [
    ...images.flatMap(checkImage),
    ...videos.flatMap((video) => checkFile(video, "video", "The video")),
    ...checks.noDocuments(media, "send photos or a video"),
    ...checks.count("photo", images.length, maxCount, "photos"),
    ...checks.count("video", videos.length, 1, "video"),
    ...refuseIf(
      isMixed,
      "video",
      `X takes a video or photos, not both; send one video or up to ${maxCount} photos.`,
    ),
    ...refuseIf(
      !isMixed && images.length > 1 && images.some(({ mime }) => mime === GIF),
      "photo",
      "A GIF goes alone; send it without other photos.",
    ),
  ];
}

function checkImageFields({ media, settings }: XPost): FieldError[] {
  const hasImagesAlone = media.length > 0 && media.every(({ kind }) => kind === "image");
  const { x_alt_text: alt, x_tagged_users: tagged } = settings;
  return [
    ...refuseIf(
      alt !== null && !hasImagesAlone,
      "x_alt_text",
      "Only images have an alt text; leave x_alt_text out.",
    ),
    ...checks.length("x_alt_text", "x_alt_text", {
      count: countCharacters(alt ?? ""),
      max: limits.altTextCharacters,
    }),
    ...refuseIf(
      tagged.length > 0 && !hasImagesAlone,
      "x_tagged_users",
      "Users can be tagged only in images; leave x_tagged_users out.",
    ),
    ...checks.count("x_tagged_users", tagged.length, MAX_TAGGED_USERS, "tagged users"),
  ];
}

const checkSubtitles = ({ media, settings }: XPost): FieldError[] => [
  ...refuseIf(
    settings.x_subtitles_url !== null && !media.some(({ kind }) => kind === "video"),
    "x_subtitles_url",
    "Only a video has subtitles; leave x_subtitles_url out.",
  ),
  ...refuseIf(
    settings.x_subtitles_language !== null && settings.x_subtitles_url === null,
    "x_subtitles_language",
    "x_subtitles_language needs x_subtitles_url.",
  ),
];

function checkPoll({ media, settings }: XPost): FieldError[] {
  const field = "x_poll_options";
  const { x_poll_options: options, x_poll_duration_minutes: minutes } = settings;
  if (options.length === 0) {
    const message = "x_poll_duration_minutes needs x_poll_options.";
    return refuseIf(minutes !== null, "x_poll_duration_minutes", message);
  }
  const { least, max, characters } = POLL_OPTIONS;
  return [
    ...refuseIf(media.length > 0, field, "A poll goes with text alone; leave the media out."),
    ...refuseIf(
      options.length < least || options.length > max,
      field,
      `A poll has ${least} to ${max} choices, not ${options.length}.`,
    ),
    ...options.flatMap((option, index) => {
      const { length } = [...option];
      const message = `Choice ${index + 1} has ${length} characters; X takes up to ${characters}.`;
      return refuseIf(length > characters, field, message);
    }),
  ];
}

/** Source: spec, "Uploads: create", `x`. */
export const check = (post: XPost): FieldError[] => [
  ...checkText(post),
  ...checkMedia(post),
  ...checkImageFields(post),
  ...altTexts.check(post),
  ...checkSubtitles(post),
  ...checkPoll(post),
];
