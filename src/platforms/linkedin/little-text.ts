/** A # that begins a hashtag: not inside a word or an address, and with a letter after it. */
const HASHTAG_SIGN = String.raw`(?<![\p{L}\p{N}\p{M}_&#/])#(?=\p{N}*\p{L})`;
const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
const PARTS = new RegExp(String.raw`(https?:\/\/\S+)|(${HASHTAG_SIGN})|${RESERVED.source}`, "gu");

const escapeAll = (text: string): string => text.replace(RESERVED, "\\$&");

/**
 * Text for `commentary`: every reserved character behind a backslash, because LinkedIn cuts a text off
 * at one that is not. Hashtags stay hashtags.
 *
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format
 */
export const escapeLittleText = (text: string): string =>
  text.replace(PARTS, (found, _address?: string, hashtag?: string) => hashtag ?? escapeAll(found));

/** A hashtag or a mention in its long form, or an escaped character. */
const MARKUP = /\{hashtag\|\\?#\|((?:\\.|[^}\\])*)\}|@\[((?:\\.|[^\]\\])*)\]\([^)]*\)|\\([\s\S])/gu;

/** A commentary as its reader sees it. */
export const readLittleText = (commentary: string): string =>
  commentary.replace(
    MARKUP,
    (_, hashtag?: string, mention?: string, escaped?: string) =>
      escaped ??
      (hashtag === undefined ? readLittleText(mention ?? "") : `#${readLittleText(hashtag)}`),
  );
