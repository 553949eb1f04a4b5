/** Made at its first use: it costs more to start than all the rest of this folder. */
let graphemes: Intl.Segmenter | null = null;
const utf8 = new TextEncoder();
/** Texts in which every unit is a character of its own, told without the segmenter. */
const ONE_EACH = /^[\n\x20-\x7e]*$/;

/** Counts characters as a reader does: an emoji with its modifiers is one. */
export function countGraphemes(text: string): number {
  if (ONE_EACH.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let count = 0;
  for (const _ of graphemes.segment(text)) count++;
  return count;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of these bytes; null for what is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** The character that takes the place of bytes that are not UTF-8. */
export const REPLACED_BYTES = "\uFFFD";

export const countUtf8Bytes = (text: string): number => utf8.encode(text).length;

/** True for more than `most` characters, where an emoji of two UTF-16 units is one, as JSON Schema counts. */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  if (text.length > 2 * most) return true;
  let count = 0;
  for (const _ of text) if (++count > most) return true;
  return false;
}

/** True for half of a surrogate pair and for NUL, which no platform and no database accepts. */
export const isBrokenText = (text: string): boolean => !text.isWellFormed() || text.includes("\0");

/** The error message for such a text. */
export const BROKEN_TEXT = "has characters that are not valid Unicode";

/** Blank text is no text. */
export const nullIfBlank = (text: string | null): string | null => (text?.trim() ? text : null);

export const emptyIfBlank = (text: string | null): string => nullIfBlank(text) ?? "";
