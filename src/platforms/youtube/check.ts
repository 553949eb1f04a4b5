import { now } from "../../core/clock.ts";
import type { FieldError } from "../../core/errors.ts";
import { countUtf8Bytes, formatCount } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import type { Plan, Post, PostMedia } from "../connector.ts";
import {
  MAX_DESCRIPTION,
  MAX_DESCRIPTION_BYTES,
  MAX_SCHEDULE_DAYS,
  MAX_THUMBNAIL_BYTES,
  MAX_TITLE,
  MAX_VIDEO_BYTES,
  THUMBNAIL_TYPES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import { descriptionOf, titleOf } from "./metadata.ts";
import type { YouTubeSettings } from "./settings.ts";

type YouTubePost = Post<YouTubeSettings>;

const ANGLE_BRACKETS = /[<>]/;

function checkTitle(post: YouTubePost): FieldError[] {
  const field = post.settings.youtube_title === null ? "title" : "youtube_title";
  const title = titleOf(post);
  const errors: FieldError[] = [];
  if (title === "")
    errors.push({ field, message: "Write a title: YouTube takes no video without." });
  if (title.length > MAX_TITLE) {
    errors.push({
      field,
      message: `Shorten the title: YouTube takes ${MAX_TITLE} characters, it has ${formatCount(title.length)}.`,
    });
  }
  if (ANGLE_BRACKETS.test(title)) {
    errors.push({ field, message: "Take < and > out of the title: YouTube does not allow them." });
  }
  return errors;
}

function checkDescription(post: YouTubePost): FieldError[] {
  const field = post.settings.youtube_description === null ? "description" : "youtube_description";
  const description = descriptionOf(post);
  const bytes = countUtf8Bytes(description);
  const errors: FieldError[] = [];
  if (description.length > MAX_DESCRIPTION) {
    errors.push({
      field,
      message: `Shorten the description: YouTube takes ${formatCount(MAX_DESCRIPTION)} characters, it has ${formatCount(description.length)}.`,
    });
  } else if (bytes > MAX_DESCRIPTION_BYTES) {
    errors.push({
      field,
      message: `Shorten the description: YouTube takes ${formatCount(MAX_DESCRIPTION_BYTES)} bytes, it has ${formatCount(bytes)}; letters beyond A to Z and emoji take several.`,
    });
  }
  if (ANGLE_BRACKETS.test(description)) {
    const message = "Take < and > out of the description: YouTube does not allow them.";
    errors.push({ field, message });
  }
  return errors;
}

/** A file behind a URL is an image by its field alone; it may still turn out to be a video. */
const mayBeVideo = ({ kind, mime }: PostMedia): boolean => kind === "video" || mime === null;

/** Images beside the video are not used. Source: spec, "Uploads: create", `youtube`. */
function checkMedia({ media }: YouTubePost): FieldError[] {
  const field = "video";
  const videos = media.filter(({ kind }) => kind === "video");
  const errors: FieldError[] = [];
  if (!media.some(mayBeVideo)) {
    const message =
      media.length > 0
        ? "Add a video: YouTube takes videos alone, images are not used."
        : "Add a video: YouTube takes no post without one.";
    errors.push({ field, message });
  }
  if (videos.length > 1) {
    errors.push({ field, message: `YouTube takes one video; ${videos.length} were sent.` });
  }
  for (const { mime, sizeBytes } of videos) {
    if (mime !== null && !VIDEO_TYPES.includes(mime)) {
      errors.push({ field, message: `The video is ${mime}; send MP4, QuickTime or WebM.` });
    }
    if (sizeBytes !== null && sizeBytes > MAX_VIDEO_BYTES) {
      errors.push({
        field,
        message: `The video has ${formatCount(sizeBytes)} bytes; make it ${formatCount(MAX_VIDEO_BYTES)} or less.`,
      });
    }
  }
  if (media.some(({ kind }) => kind === "document")) {
    errors.push({ field: "file", message: "YouTube takes no documents; send one video." });
  }
  return errors;
}

function checkThumbnail({ thumbnail }: YouTubePost): FieldError[] {
  const field = "thumbnail";
  const errors: FieldError[] = [];
  if (!thumbnail) return errors;
  const { mime, sizeBytes } = thumbnail;
  if (mime !== null && !THUMBNAIL_TYPES.includes(mime)) {
    errors.push({ field, message: `The thumbnail is ${mime}; send JPEG or PNG.` });
  }
  if (sizeBytes !== null && sizeBytes > MAX_THUMBNAIL_BYTES) {
    errors.push({
      field,
      message: `The thumbnail has ${formatCount(sizeBytes)} bytes; make it ${formatCount(MAX_THUMBNAIL_BYTES)} or less.`,
    });
  }
  return errors;
}

function checkSettings({ settings }: YouTubePost, at: Date): FieldError[] {
  const { scheduledDate, allowedCountries, blockedCountries } = settings;
  const errors: FieldError[] = [];
  if (scheduledDate !== null) {
    const date = Date.parse(scheduledDate);
    const ahead = date - now().getTime();
    const isLate = date <= at.getTime();
    const message =
      ahead <= 0
        ? "scheduledDate must be in the future."
        : isLate
          ? "scheduledDate must be later than schedule_date, when the video is uploaded."
          : `scheduledDate must be within ${MAX_SCHEDULE_DAYS} days.`;
    if (ahead <= 0 || isLate || ahead > MAX_SCHEDULE_DAYS * DAY) {
      errors.push({ field: "scheduledDate", message });
    }
  }
  if (allowedCountries.length > 0 && blockedCountries.length > 0) {
    errors.push({
      field: "blockedCountries",
      message: "Give allowedCountries or blockedCountries, not both.",
    });
  }
  return errors;
}

/** Everything YouTube would refuse. Source: spec, "Uploads: create", `youtube`. */
export const check = (post: YouTubePost, plan?: Plan): FieldError[] => [
  ...checkTitle(post),
  ...checkDescription(post),
  ...checkMedia(post),
  ...checkThumbnail(post),
  ...checkSettings(post, plan?.at ?? now()),
];
