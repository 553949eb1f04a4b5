import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { ok, type Result } from "../../core/result.ts";
import { countCodePoints, emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { MediaKind, Post, PostMedia } from "../connector.ts";
import { checksFor, isSurely, ofKind, refuseIf } from "../kit/checks.ts";
import {
  capabilities,
  GIF,
  MAX_ALBUM_BYTES,
  MAX_FILE_BYTES,
  MAX_RATIO,
  MAX_SIDES,
} from "./capabilities.ts";
import { type Formatted, readHtml } from "./formatting.ts";
import type { TelegramSettings } from "./settings.ts";

type TelegramPost = Post<TelegramSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Telegram", capabilities);

export const postText = ({ title, description }: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(description) || emptyIfBlank(title);

export function formattedOf(post: TelegramPost): Result<Formatted, string> {
  const text = postText(post);
  return post.settings.telegram_format === "html" ? readHtml(text) : ok({ text, entities: [] });
}

function checkText(post: TelegramPost): FieldError[] {
  const hasFiles = post.media.length > 0;
  const field =
    postText(post) !== "" && nullIfBlank(post.description) === null ? "title" : "description";
  const formatted = formattedOf(post);
  if (!formatted.ok) {
    const message = `Mend the HTML of the text, or set telegram_format to plain: ${formatted.error}.`;
    return [{ field, message }];
  }
  const { text } = formatted.value;
  if (emptyIfBlank(text) === "") {
    return refuseIf(
      !hasFiles,
      field,
      "Write a description: a message on Telegram without a file needs text.",
    );
  }
  const max = hasFiles ? limits.photoPostCharacters : limits.postCharacters;
  const count = countCodePoints(text);
  const advice = hasFiles
    ? " Under files Telegram takes no more; send a longer text without files, or the rest as a thread."
    : "";
  return refuseIf(
    count > max,
    field,
    `Shorten the text: Telegram takes ${formatCount(max)} characters${hasFiles ? " with files" : ""}, it has ${formatCount(count)}.${advice}`,
  );
}

const NAMES: Record<MediaKind, string> = { image: "Image", video: "Video", document: "Document" };

const fieldOf = ({ kind }: PostMedia): string => (kind === "video" ? "video" : "photo");

export const isGif = ({ mime }: PostMedia): boolean => mime === GIF;

function checkFile(item: PostMedia, index: number): FieldError[] {
  const { kind, width, height } = item;
  const field = fieldOf(item);
  const name = `${NAMES[kind]} ${index + 1}`;
  const errors = checks.file(item, {
    field,
    name,
    ...(isGif(item) ? { maxBytes: MAX_FILE_BYTES } : {}),
  });
  if (kind !== "image" || isGif(item) || width === null || height === null) return errors;
  const isTooLarge = width + height > MAX_SIDES;
  const isTooNarrow = Math.max(width, height) > MAX_RATIO * Math.min(width, height);
  return [
    ...errors,
    ...refuseIf(
      isTooLarge || isTooNarrow,
      field,
      `${name} is ${width} x ${height}; Telegram takes photos whose sides add up to ${formatCount(MAX_SIDES)} pixels at most, and one side at most ${MAX_RATIO} times the other.`,
    ),
  ];
}

function checkAlbum({ media }: TelegramPost): FieldError[] {
  const [first] = media;
  if (!first || media.length === 1) return [];
  const bytes = media.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  const field = fieldOf(first);
  return [
    ...checks.count(field, media.length, mediaSupport.maxCount, "files"),
    ...refuseIf(
      media.some((item) => item.kind === "document" || isGif(item)),
      "photo",
      "Telegram shows a document or a GIF alone; send it without other files.",
    ),
    ...refuseIf(
      bytes > MAX_ALBUM_BYTES,
      field,
      `The files have ${formatCount(bytes)} bytes together; make it ${formatCount(MAX_ALBUM_BYTES)} or less, because Telegram is sent an album in one call.`,
    ),
  ];
}

function checkLook({ media, settings }: TelegramPost): FieldError[] {
  const hasPictures =
    media.length > 0 && ofKind(media, "document").every((item) => !isSurely("document", item));
  return (["telegram_caption_above", "telegram_spoiler"] as const).flatMap((field) =>
    refuseIf(
      settings[field] && !hasPictures,
      field,
      `${field} is for photos and videos, which the post does not have; leave it out.`,
    ),
  );
}

export const check = (post: TelegramPost): FieldError[] => [
  ...checkText(post),
  ...post.media.flatMap(checkFile),
  ...checkAlbum(post),
  ...checkLook(post),
];
