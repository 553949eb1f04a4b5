import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  GIF,
  IMAGE_TYPES,
  MAX_ALT_CHARACTERS,
  MAX_GIF_BYTES,
  MAX_GIF_SIZE,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_PREMIUM_TEXT,
  MAX_TAGGED_USERS,
  MAX_TEXT,
  MAX_VIDEO_BYTES,
  POLL_OPTIONS,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { XSettings } from "./settings.ts";
import { textOf, weightedLength } from "./text.ts";

type XPost = Post<XSettings>;

function checkText(post: XPost): FieldError[] {
  const text = textOf(post);
  if (text === "") {
    if (post.media.length > 0) return [];
    return [{ field: "title", message: "Write a title, or add photos or a video." }];
  }
  const { x_premium } = post.settings;
  const most = x_premium ? MAX_PREMIUM_TEXT : MAX_TEXT;
  const length = weightedLength(text, MAX_PREMIUM_TEXT);
  if (length <= most) return [];
  const field = post.title?.trim() ? "title" : "description";
  const counted =
    length > MAX_PREMIUM_TEXT ? `more than ${formatCount(MAX_PREMIUM_TEXT)}` : formatCount(length);
  const more = x_premium ? "" : `; with x_premium up to ${formatCount(MAX_PREMIUM_TEXT)}`;
  return [
    {
      field,
      message: `Shorten the text: X takes ${formatCount(most)} characters (a link counts 23, emoji and CJK count 2), it has ${counted}${more}.`,
    },
  ];
}

/** @param name such as "Image 2" */
function checkSize(item: PostMedia, field: string, name: string, max: number): FieldError[] {
  if (item.sizeBytes === null || item.mime === null || item.sizeBytes <= max) return [];
  const message = `${name} has ${formatCount(item.sizeBytes)} bytes; make it ${formatCount(max)} or less.`;
  return [{ field, message }];
}

function checkImage(item: PostMedia, name: string): FieldError[] {
  if (item.mime !== null && !IMAGE_TYPES.includes(item.mime)) {
    const message = `${name} is ${item.mime}; send JPEG, PNG, WebP or GIF.`;
    return [{ field: "photo", message }];
  }
  if (item.mime !== GIF) return checkSize(item, "photo", name, MAX_IMAGE_BYTES);
  const errors = checkSize(item, "photo", name, MAX_GIF_BYTES);
  const { width, height } = item;
  const isTooWide = width !== null && width > MAX_GIF_SIZE.width;
  if (isTooWide || (height !== null && height > MAX_GIF_SIZE.height)) {
    errors.push({
      field: "photo",
      message: `The GIF is ${width} x ${height}; X takes up to ${MAX_GIF_SIZE.width} x ${MAX_GIF_SIZE.height} pixels.`,
    });
  }
  return errors;
}

function checkVideo(item: PostMedia): FieldError[] {
  if (item.mime !== null && !VIDEO_TYPES.includes(item.mime)) {
    return [{ field: "video", message: `The video is ${item.mime}; send MP4 or QuickTime.` }];
  }
  return checkSize(item, "video", "The video", MAX_VIDEO_BYTES);
}

function checkMedia({ media }: XPost): FieldError[] {
  const images = media.filter(({ kind }) => kind === "image");
  const videos = media.filter(({ kind }) => kind === "video");
  const errors = [
    ...images.flatMap((item, index) => checkImage(item, `Image ${index + 1}`)),
    ...videos.flatMap(checkVideo),
  ];
  const refuse = (field: string, message: string) => errors.push({ field, message });
  if (media.some(({ kind }) => kind === "document")) {
    refuse("photo", "X takes no documents; send photos or a video.");
  }
  if (images.length > MAX_IMAGES) {
    refuse("photo", `X takes up to ${MAX_IMAGES} photos; ${images.length} were sent.`);
  }
  if (videos.length > 1) refuse("video", `X takes one video; ${videos.length} were sent.`);
  if (images.length > 0 && videos.length > 0) {
    refuse(
      "video",
      `X takes a video or photos, not both; send one video or up to ${MAX_IMAGES} photos.`,
    );
  } else if (images.length > 1 && images.some(({ mime }) => mime === GIF)) {
    refuse("photo", "A GIF goes alone; send it without other photos.");
  }
  return errors;
}

function checkImageFields({ media, settings }: XPost): FieldError[] {
  const errors: FieldError[] = [];
  const hasImagesAlone = media.length > 0 && media.every(({ kind }) => kind === "image");
  const { x_alt_text: alt, x_tagged_users: tagged } = settings;
  if (alt !== null && !hasImagesAlone) {
    errors.push({ field: "x_alt_text", message: "x_alt_text is for images; leave it out." });
  }
  const altLength = [...(alt ?? "")].length;
  if (altLength > MAX_ALT_CHARACTERS) {
    errors.push({
      field: "x_alt_text",
      message: `Shorten x_alt_text: X takes ${formatCount(MAX_ALT_CHARACTERS)} characters, it has ${formatCount(altLength)}.`,
    });
  }
  if (tagged.length > 0 && !hasImagesAlone) {
    errors.push({
      field: "x_tagged_users",
      message: "Users can be tagged in images alone; leave x_tagged_users out.",
    });
  }
  if (tagged.length > MAX_TAGGED_USERS) {
    errors.push({
      field: "x_tagged_users",
      message: `X takes up to ${MAX_TAGGED_USERS} tagged users; ${tagged.length} were sent.`,
    });
  }
  return errors;
}

function checkSubtitles({ media, settings }: XPost): FieldError[] {
  const errors: FieldError[] = [];
  const { x_subtitles_url: url, x_subtitles_language: language } = settings;
  if (url !== null && !media.some(({ kind }) => kind === "video")) {
    errors.push({
      field: "x_subtitles_url",
      message: "Subtitles are for a video; leave x_subtitles_url out.",
    });
  }
  if (language !== null && url === null) {
    errors.push({
      field: "x_subtitles_language",
      message: "x_subtitles_language needs x_subtitles_url.",
    });
  }
  return errors;
}

function checkPoll(post: XPost): FieldError[] {
  const errors: FieldError[] = [];
  const { x_poll_options: options, x_poll_duration_minutes: minutes } = post.settings;
  const refuse = (message: string) => errors.push({ field: "x_poll_options", message });
  if (options.length === 0) {
    if (minutes === null) return [];
    return [
      {
        field: "x_poll_duration_minutes",
        message: "x_poll_duration_minutes needs x_poll_options.",
      },
    ];
  }
  if (post.media.length > 0) refuse("A poll goes with text alone; leave the media out.");
  const { least, most, characters } = POLL_OPTIONS;
  if (options.length < least || options.length > most) {
    refuse(`A poll has ${least} to ${most} choices, not ${options.length}.`);
  }
  options.forEach((option, index) => {
    const { length } = [...option];
    if (length <= characters) return;
    refuse(`Choice ${index + 1} has ${length} characters; X takes up to ${characters}.`);
  });
  return errors;
}

/** Everything X would refuse. Source: spec, "Uploads: create", `x`. */
export const check = (post: XPost): FieldError[] => [
  ...checkText(post),
  ...checkMedia(post),
  ...checkImageFields(post),
  ...checkSubtitles(post),
  ...checkPoll(post),
];
