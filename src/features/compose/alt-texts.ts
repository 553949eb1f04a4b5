import { formatCount } from "../../core/counts.ts";
import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { isLongerThan } from "../../core/text.ts";
import { type RawField, readJsonList } from "../../platforms/kit/form-fields.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { MAX_ALT_TEXT_CHARACTERS } from "../content/bounds.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import type { CheckedMedia } from "./media.ts";
import type { RawSettings } from "./new-post.ts";
import type { UploadEdit } from "./schema.ts";

const FIELD = "alt_text";

/** A string describes every file; a list describes each file by its position. */
const readAltTexts = (raw: RawField): string | string[] =>
  typeof raw === "string" ? (readJsonList(raw) ?? raw) : (raw ?? []);

const isFilled = (text: unknown): text is string => typeof text === "string" && text.trim() !== "";

export function altTextErrors(raw: RawField, files: number, field = FIELD): FieldError[] {
  const texts = [readAltTexts(raw)].flat();
  const count = texts.findLastIndex(isFilled) + 1;
  const max = MAX_ALT_TEXT_CHARACTERS;
  const long = texts.findIndex((text) => isLongerThan(text, max));
  return [
    ...(count > files
      ? [fieldError(field, `send at most one for each file (${files} here); ${count} were sent.`)]
      : []),
    ...(long === -1
      ? []
      : [
          fieldError(
            field,
            `that of file ${long + 1} must have at most ${formatCount(max)} characters.`,
          ),
        ]),
  ];
}

const isFile = ({ role }: CheckedMedia): boolean => role !== "thumbnail";

export const countFiles = (media: readonly CheckedMedia[]): number => media.filter(isFile).length;

/** The platform's own setting replaces the common alternative text. */
function hasOwn(platform: Platform, settings: Record<string, unknown>): boolean {
  const { infos } = connectorOf(platform).settings;
  return [FIELD, `${platform}_${FIELD}`].some(
    (name) => name in infos && [settings[name]].flat().some(isFilled),
  );
}

const isMain = ({ role }: MediaRef): boolean => role === undefined;

export const sentAltTexts = ({ media = [] }: UploadEdit): string[] =>
  media.map(({ altText }) => altText ?? "");

export const editErrors = (edit: UploadEdit, media: readonly MediaRef[]): FieldError[] => {
  const files = media.filter(isMain).length;
  const sent = edit.media?.length ?? 0;
  if (sent <= files) return altTextErrors(sentAltTexts(edit), files, "media");
  return [fieldError("media", `the post has ${files} files; ${sent} were sent.`)];
};

/** An empty text hides that of the platform's own setting. */
export function describeAnew(
  { media, platform, settings }: Pick<UploadRow, "media" | "platform" | "settings">,
  { media: descriptions = [] }: UploadEdit,
): MediaRef[] {
  const isHiding = hasOwn(platform, settings);
  let index = 0;
  return media.map((item) => {
    const sent = isMain(item) ? descriptions[index++]?.altText : undefined;
    if (sent === undefined) return item;
    const { altText: _, ...file } = item;
    const altText = sent?.trim() ?? "";
    return altText || isHiding ? { ...file, altText } : file;
  });
}

/** Gives each file its alternative text. `texts`: the texts to check with the other fields. */
export function describeFiles(
  media: readonly CheckedMedia[],
  { alt_text: raw, ...others }: RawSettings,
  platform: Platform,
) {
  const texts = readAltTexts(raw);
  // Pinterest's own setting has the name of the common field.
  const isOwn = typeof texts === "string" && FIELD in connectorOf(platform).settings.infos;
  const settings: RawSettings = isOwn ? { ...others, [FIELD]: texts } : others;
  let index = 0;
  const describe = (item: CheckedMedia): CheckedMedia => {
    if (!isFile(item)) return item;
    const altText = (typeof texts === "string" ? texts : texts[index++])?.trim();
    if ("refusal" in item || !isFilled(altText)) return item;
    return { ...item, media: { ...item.media, altText }, ref: { ...item.ref, altText } };
  };
  return {
    settings,
    texts,
    errors: altTextErrors(raw, countFiles(media)),
    media: hasOwn(platform, settings) ? media : media.map(describe),
  };
}
