import { splitAtMentions } from "../../core/mentions.ts";
import { isMentionable } from "./mentions.ts";

/** Not inside a word or URL, and before at least one letter. */
const HASHTAG_SIGN = String.raw`(?<![\p{L}\p{N}\p{M}_&#/])#(?=\p{N}*\p{L})`;
const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
const PARTS = new RegExp(String.raw`(https?:\/\/\S+)|(${HASHTAG_SIGN})|${RESERVED.source}`, "gu");

const escapeAll = (text: string): string => text.replace(RESERVED, "\\$&");

const escapeText = (text: string): string =>
  text.replace(PARTS, (part, _address?: string, hashtag?: string) => hashtag ?? escapeAll(part));

/**
 * LinkedIn cuts the text at an unescaped reserved character.
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format
 */
export const escapeLittleText = (text: string): string =>
  splitAtMentions(text)
    .map((part) => {
      if (typeof part === "string") return escapeText(part);
      const name = escapeAll(part.name);
      return isMentionable(part) ? `@[${name}](${part.urn})` : name;
    })
    .join("");

const MARKUP = /\{hashtag\|\\?#\|((?:\\.|[^}\\])*)\}|@\[((?:\\.|[^\]\\])*)\]\([^)]*\)|\\([\s\S])/gu;

export const readLittleText = (commentary: string): string =>
  commentary.replace(
    MARKUP,
    (_, hashtag?: string, mention?: string, escaped?: string) =>
      escaped ??
      (hashtag === undefined ? readLittleText(mention ?? "") : `#${readLittleText(hashtag)}`),
  );
