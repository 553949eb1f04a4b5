import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { emptyIfBlank } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { checksFor, nameTypes, ofKind, refuseIf } from "../kit/checks.ts";
import { capabilities } from "./capabilities.ts";
import type { TikTokSettings } from "./settings.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("TikTok", capabilities);

type Texts = Pick<Post, "title" | "description">;

/** A video's only text. */
export const videoCaption = ({ title, description }: Texts): string =>
  [title, description].map(emptyIfBlank).filter(Boolean).join("\n");

function cutTo(text: string, units: number): string {
  const cut = text.slice(0, units);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Cuts a long title and puts it whole into the description if there is room. */
export function photoTexts(post: Texts): { title: string; description: string } {
  const title = emptyIfBlank(post.title);
  const description = emptyIfBlank(post.description);
  if (title.length <= limits.titleCharacters) return { title, description };
  const whole = videoCaption(post);
  const hasRoom = description === "" || whole.length <= limits.photoPostCharacters;
  return {
    title: cutTo(title, limits.titleCharacters),
    description: hasRoom ? cutTo(whole, limits.photoPostCharacters) : description,
  };
}

function checkTexts(post: Post<TikTokSettings>, isPhotoPost: boolean): FieldError[] {
  const description = emptyIfBlank(post.description);
  return [
    ...refuseIf(emptyIfBlank(post.title) === "", "title", "Write a title: TikTok wants a caption."),
    ...(isPhotoPost
      ? checks.length("description", "the description", {
          count: description.length,
          max: limits.photoPostCharacters,
          unit: "characters with photos",
        })
      : checkCaption(videoCaption(post).length, description === "" ? "title" : "description")),
  ];
}

const checkCaption = (count: number, field: string): FieldError[] =>
  refuseIf(
    count > limits.postCharacters,
    field,
    `Shorten the text: TikTok takes ${formatCount(limits.postCharacters)} characters of title and description together, they have ${formatCount(count)}.`,
  );

const WANTED_PHOTOS = `, which TikTok does not take; send ${nameTypes(mediaSupport.imageTypes)}`;

function checkMedia(photos: PostMedia[], videos: PostMedia[], media: PostMedia[]): FieldError[] {
  const { maxCount } = mediaSupport;
  return [
    ...checks.count("photo", photos.length, maxCount, "photos"),
    ...photos.flatMap((photo, index) =>
      checks.file(photo, { field: "photo", name: `Photo ${index + 1}`, expected: WANTED_PHOTOS }),
    ),
    ...checks.count("video", videos.length, 1, "video"),
    ...videos.flatMap((video) => checks.file(video, { field: "video", name: "The video" })),
    ...refuseIf(
      photos.length > 0 && videos.length > 0,
      "video",
      `TikTok takes a video or photos, not both; send one video, or up to ${maxCount} photos.`,
    ),
    ...checks.noDocuments(media, "send a video or photos"),
    ...refuseIf(
      media.length === 0,
      "video",
      `Send a video, or 1 to ${maxCount} photos: TikTok has no posts of text alone.`,
    ),
  ];
}

function checkSettings(settings: TikTokSettings, photos: number): FieldError[] {
  const cover = settings.photo_cover_index;
  return [
    ...refuseIf(
      settings.brand_content_toggle && settings.privacy_level === "SELF_ONLY",
      "brand_content_toggle",
      "TikTok takes no branded content that only you can see; choose another privacy_level.",
    ),
    ...refuseIf(
      cover !== null && photos > 0 && cover > photos,
      "photo_cover_index",
      `photo_cover_index is ${cover}, but there ${photos === 1 ? "is 1 photo" : `are ${photos} photos`}; count from 1.`,
    ),
  ];
}

/** Source: spec, "Uploads: create", `tiktok`. */
export function check(post: Post<TikTokSettings>): FieldError[] {
  const photos = ofKind(post.media, "image");
  const videos = ofKind(post.media, "video");
  const isPhotoPost = photos.length > 0 && videos.length === 0;
  return [
    ...checkTexts(post, isPhotoPost),
    ...checkMedia(photos, videos, post.media),
    ...checkSettings(post.settings, photos.length),
  ];
}
