import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import {
  altTextErrors,
  type CheckedMedia,
  countFiles,
  ALT_TEXT_FIELD as FIELD,
  isFile,
  isFilled,
  readAltTexts,
} from "./media.ts";
import type { RawSettings } from "./new-post.ts";
import type { UploadEdit } from "./schema.ts";

/** The platform's own setting replaces the common alternative text. */
function hasOwn(platform: Platform, settings: Record<string, unknown>): boolean {
  const { infos } = connectorOf(platform).settings;
  return [FIELD, `${platform}_${FIELD}`].some(
    (name) => name in infos && [settings[name]].flat().some(isFilled),
  );
}

const isOfPart = ({ role }: MediaRef): boolean => role === "part";

const isMain = (ref: MediaRef): boolean => ref.role === undefined || isOfPart(ref);

export const sentAltTexts = ({ media = [] }: UploadEdit): string[] =>
  media.map(({ altText }) => altText ?? "");

export const editErrors = (edit: UploadEdit, media: readonly MediaRef[]): FieldError[] => {
  const files = media.filter(isMain).length;
  const sent = edit.media?.length ?? 0;
  if (sent <= files) return altTextErrors(sentAltTexts(edit), files, "media");
  return [
    fieldError(
      "media",
      `the post has ${files === 1 ? "1 file" : `${files} files`}; ${sent} were sent.`,
    ),
  ];
};

/** An empty alternative text also removes the one of the platform's own setting. */
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
    return altText || (isHiding && !isOfPart(item)) ? { ...file, altText } : file;
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
  const isSetting = typeof texts === "string" && FIELD in connectorOf(platform).settings.infos;
  const settings: RawSettings = isSetting ? { ...others, [FIELD]: texts } : others;
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
    media: media.map(describe),
    isOwn: hasOwn(platform, settings),
  };
}

/** The platform's own setting is for the files of the first post alone. */
export const withoutCommon = (media: readonly CheckedMedia[]): CheckedMedia[] =>
  media.map((item) => {
    if ("refusal" in item || isOfPart(item.ref)) return item;
    const [{ altText: _, ...file }, { altText: __, ...ref }] = [item.media, item.ref];
    return { ...item, media: file, ref: ref as MediaRef };
  });
