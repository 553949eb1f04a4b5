import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { countUtf8Bytes } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import type { Post, PostMedia, Target } from "../connector.ts";
import { checksFor, ofKind, refuseIf } from "../kit/checks.ts";
import { capabilities, MAX_DESCRIPTION_BYTES, MAX_SCHEDULE_DAYS } from "./capabilities.ts";
import { descriptionOf, titleOf } from "./metadata.ts";
import type { YouTubeSettings } from "./settings.ts";

type YouTubePost = Post<YouTubeSettings>;

const { limits } = capabilities;
const checks = checksFor("YouTube", capabilities);

const checkBrackets = (field: string, what: string, text: string): FieldError[] =>
  refuseIf(
    /[<>]/.test(text),
    field,
    `Take < and > out of the ${what}: YouTube does not allow them.`,
  );

function checkTitle(post: YouTubePost): FieldError[] {
  const field = post.settings.youtube_title === null ? "title" : "youtube_title";
  const title = titleOf(post);
  return [
    ...refuseIf(title === "", field, "Write a title: YouTube takes no video without one."),
    ...checks.length(field, "the title", { count: title.length, max: limits.titleCharacters }),
    ...checkBrackets(field, "title", title),
  ];
}

function checkDescription(post: YouTubePost): FieldError[] {
  const field = post.settings.youtube_description === null ? "description" : "youtube_description";
  const description = descriptionOf(post);
  const count = description.length;
  const bytes = countUtf8Bytes(description);
  return [
    ...checks.length(field, "the description", { count, max: limits.postCharacters }),
    ...refuseIf(
      count <= limits.postCharacters && bytes > MAX_DESCRIPTION_BYTES,
      field,
      `Shorten the description: YouTube takes ${formatCount(MAX_DESCRIPTION_BYTES)} bytes, it has ${formatCount(bytes)}; letters beyond A to Z and emoji take several.`,
    ),
    ...checkBrackets(field, "description", description),
  ];
}

/** A file behind a URL counts as an image but may be a video. */
const mayBeVideo = ({ kind, mime }: PostMedia): boolean => kind === "video" || mime === null;

/** Images beside the video are ignored. Source: spec, "Uploads: create", `youtube`. */
function checkMedia({ media }: YouTubePost): FieldError[] {
  const field = "video";
  const videos = ofKind(media, "video");
  return [
    ...refuseIf(
      !media.some(mayBeVideo),
      field,
      media.length > 0
        ? "Add a video: YouTube takes videos alone, images are not used."
        : "Add a video: YouTube takes no post without one.",
    ),
    ...checks.count(field, videos.length, 1, "video"),
    ...videos.flatMap((video) => checks.file(video, { field, name: "The video" })),
    ...checks.noDocuments(media, "send one video", "file"),
  ];
}

const checkThumbnail = ({ thumbnail }: YouTubePost): FieldError[] =>
  thumbnail
    ? checks.file(thumbnail, {
        field: "thumbnail",
        name: "The thumbnail",
        types: capabilities.mediaSupport.thumbnail.types,
        maxBytes: capabilities.mediaSupport.thumbnail.maxBytes,
      })
    : [];

function checkSettings({ settings }: YouTubePost, { now, at = now }: Target): FieldError[] {
  const { scheduledDate, allowedCountries, blockedCountries } = settings;
  const errors: FieldError[] = [];
  if (scheduledDate !== null) {
    const date = Date.parse(scheduledDate);
    const ahead = date - now.getTime();
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

/** Source: spec, "Uploads: create", `youtube`. */
export const check = (post: YouTubePost, target: Target): FieldError[] => [
  ...checkTitle(post),
  ...checkDescription(post),
  ...checkMedia(post),
  ...checkThumbnail(post),
  ...checkSettings(post, target),
];
