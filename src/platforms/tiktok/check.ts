import type { FieldError } from "../../core/errors.ts";
import { formatCount } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import {
  MAX_CAPTION_UNITS,
  MAX_PHOTO_BYTES,
  MAX_PHOTO_DESCRIPTION_UNITS,
  MAX_PHOTO_TITLE_UNITS,
  MAX_PHOTOS,
  MAX_VIDEO_BYTES,
  PHOTO_TYPES,
  VIDEO_TYPES,
} from "./capabilities.ts";
import type { TikTokSettings } from "./settings.ts";

type Texts = Pick<Post, "title" | "description">;

const presence = (text: string | null): string => (text?.trim() ? text : "");

/** A video has one text: the title, and below it the description. */
export const videoCaption = ({ title, description }: Texts): string =>
  [title, description].map(presence).filter(Boolean).join("\n");

/** The beginning of a text with no half of a character at its end. */
function cutTo(text: string, units: number): string {
  const cut = text.slice(0, units);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The two texts of a photo post. A title that is too long is cut, as the spec says; what it was stands
 * whole in the description, where there is room for it.
 */
export function photoTexts(post: Texts): { title: string; description: string } {
  const title = presence(post.title);
  const description = presence(post.description);
  if (title.length <= MAX_PHOTO_TITLE_UNITS) return { title, description };
  const whole = videoCaption(post);
  const hasRoom = description === "" || whole.length <= MAX_PHOTO_DESCRIPTION_UNITS;
  return {
    title: cutTo(title, MAX_PHOTO_TITLE_UNITS),
    description: hasRoom ? cutTo(whole, MAX_PHOTO_DESCRIPTION_UNITS) : description,
  };
}

function checkTexts(post: Post<TikTokSettings>, isPhotoPost: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (presence(post.title) === "") {
    errors.push({ field: "title", message: "Write a title: TikTok wants a caption." });
  }
  const caption = videoCaption(post);
  if (!isPhotoPost && caption.length > MAX_CAPTION_UNITS) {
    const isTitleAlone = presence(post.description) === "";
    errors.push({
      field: isTitleAlone ? "title" : "description",
      message: `Shorten the text: TikTok takes ${formatCount(MAX_CAPTION_UNITS)} characters of title and description together, they have ${formatCount(caption.length)}.`,
    });
  }
  const { length } = presence(post.description);
  if (isPhotoPost && length > MAX_PHOTO_DESCRIPTION_UNITS) {
    errors.push({
      field: "description",
      message: `Shorten the description: TikTok takes ${formatCount(MAX_PHOTO_DESCRIPTION_UNITS)} characters with photos, it has ${formatCount(length)}.`,
    });
  }
  return errors;
}

function checkPhotos(photos: PostMedia[]): FieldError[] {
  const errors: FieldError[] = [];
  if (photos.length > MAX_PHOTOS) {
    errors.push({
      field: "photo",
      message: `TikTok takes up to ${MAX_PHOTOS} photos; ${photos.length} were sent.`,
    });
  }
  photos.forEach(({ mime, sizeBytes }, index) => {
    if (mime !== null && !PHOTO_TYPES.includes(mime)) {
      errors.push({
        field: "photo",
        message: `Photo ${index + 1} is ${mime}, which TikTok does not take; send JPEG or WebP.`,
      });
    }
    if (sizeBytes !== null && sizeBytes > MAX_PHOTO_BYTES) {
      errors.push({
        field: "photo",
        message: `Photo ${index + 1} has ${formatCount(sizeBytes)} bytes; make it ${formatCount(MAX_PHOTO_BYTES)} or less.`,
      });
    }
  });
  return errors;
}

function checkVideos(videos: PostMedia[]): FieldError[] {
  const errors: FieldError[] = [];
  if (videos.length > 1) {
    errors.push({ field: "video", message: `TikTok takes one video; ${videos.length} were sent.` });
  }
  for (const { mime, sizeBytes } of videos) {
    if (mime !== null && !VIDEO_TYPES.includes(mime)) {
      errors.push({
        field: "video",
        message: `The video is ${mime}; send MP4, WebM or QuickTime.`,
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

function checkMedia(photos: PostMedia[], videos: PostMedia[], media: PostMedia[]): FieldError[] {
  const errors = [...checkPhotos(photos), ...checkVideos(videos)];
  if (photos.length > 0 && videos.length > 0) {
    errors.push({
      field: "video",
      message: `TikTok takes a video or photos, not both; send one video, or up to ${MAX_PHOTOS} photos.`,
    });
  }
  if (media.some(({ kind }) => kind === "document")) {
    errors.push({ field: "photo", message: "TikTok takes no documents; send a video or photos." });
  }
  if (media.length === 0) {
    const message = `Send a video, or 1 to ${MAX_PHOTOS} photos: TikTok has no posts of text alone.`;
    errors.push({ field: "video", message });
  }
  return errors;
}

function checkSettings(settings: TikTokSettings, photos: number): FieldError[] {
  const errors: FieldError[] = [];
  if (settings.brand_content_toggle && settings.privacy_level === "SELF_ONLY") {
    errors.push({
      field: "brand_content_toggle",
      message:
        "TikTok takes no branded content that only you can see; choose another privacy_level.",
    });
  }
  const cover = settings.photo_cover_index;
  if (cover !== null && photos > 0 && cover > photos) {
    errors.push({
      field: "photo_cover_index",
      message: `photo_cover_index is ${cover}, but there ${photos === 1 ? "is 1 photo" : `are ${photos} photos`}; count from 1.`,
    });
  }
  return errors;
}

/** Everything TikTok would refuse. Source: spec, "Uploads: create", `tiktok`. */
export function check(post: Post<TikTokSettings>): FieldError[] {
  const photos = post.media.filter(({ kind }) => kind === "image");
  const videos = post.media.filter(({ kind }) => kind === "video");
  const isPhotoPost = photos.length > 0 && videos.length === 0;
  return [
    ...checkTexts(post, isPhotoPost),
    ...checkMedia(photos, videos, post.media),
    ...checkSettings(post.settings, photos.length),
  ];
}
