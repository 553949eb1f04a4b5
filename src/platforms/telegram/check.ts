import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { ok, type Result } from "../../core/result.ts";
import { countCodePoints } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { checksFor, fileField, fileName, isSurely, ofKind, refuseIf } from "../kit/checks.ts";
import { postText, postTextField } from "../kit/post-text.ts";
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

export function formattedOf(post: TelegramPost): Result<Formatted, string> {
  const text = postText(post);
  return post.settings.telegram_format === "html" ? readHtml(text) : ok({ text, entities: [] });
}

const WITHOUT_FILES = formatCount(limits.postCharacters);

function checkText(post: TelegramPost): FieldError[] {
  const field = postTextField(post);
  const formatted = formattedOf(post);
  if (!formatted.ok) {
    const message = `Mend the HTML of the text, or set telegram_format to plain: ${formatted.error}.`;
    return [{ field, message }];
  }
  const { text } = formatted.value;
  const hasFiles = post.media.length > 0;
  const max = hasFiles ? limits.photoPostCharacters : limits.postCharacters;
  const unit = hasFiles ? `characters beside files and ${WITHOUT_FILES} without` : "characters";
  return [
    ...checks.textOrFile({ ...post, title: null, description: text }),
    ...checks.length(field, "the text", { count: countCodePoints(text), max, unit }),
  ];
}

export const isGif = ({ mime }: PostMedia): boolean => mime === GIF;

function checkFile(item: PostMedia, index: number): FieldError[] {
  const { kind, width, height } = item;
  const rule = { field: fileField(item), name: fileName(item, index) };
  if (isGif(item)) return checks.file(item, { ...rule, maxBytes: MAX_FILE_BYTES });
  const errors = checks.file(item, rule);
  if (kind !== "image" || width === null || height === null) return errors;
  const isTooLarge = width + height > MAX_SIDES;
  const isTooNarrow = Math.max(width, height) > MAX_RATIO * Math.min(width, height);
  const message = `${rule.name} is ${width} x ${height}; Telegram takes photos whose sides add up to ${formatCount(MAX_SIDES)} pixels at most, and one side at most ${MAX_RATIO} times the other.`;
  return [...errors, ...refuseIf(isTooLarge || isTooNarrow, rule.field, message)];
}

function checkAlbum({ media }: TelegramPost): FieldError[] {
  const [first] = media;
  if (!first || media.length === 1) return [];
  const field = fileField(first);
  return [
    ...checks.count(field, media.length, mediaSupport.maxCount, "files"),
    ...checks.total(field, media, MAX_ALBUM_BYTES),
    ...refuseIf(
      media.some((item) => item.kind === "document" || isGif(item)),
      "photo",
      "Telegram shows a document or a GIF alone; send it without other files.",
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
