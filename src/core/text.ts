/** Created on first use, because the segmenter costs more than the rest of `core`. */
let graphemes: Intl.Segmenter | null = null;
const utf8 = new TextEncoder();
/** Matches text in which each UTF-16 unit is one character. */
const ONE_EACH = /^[\n\x20-\x7e]*$/;

/** An emoji with its modifiers counts as one. */
export function countGraphemes(text: string): number {
  if (ONE_EACH.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let count = 0;
  for (const _ of graphemes.segment(text)) count++;
  return count;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

export const REPLACED_BYTES = "\uFFFD";

export const countUtf8Bytes = (text: string): number => utf8.encode(text).length;

/** An emoji may have several. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Counts code points, like JSON Schema. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) if (++count > max) return true;
  return false;
}

/** Neither platforms nor the database accept unpaired surrogates or NUL. */
export const isBrokenText = (text: string): boolean => !text.isWellFormed() || text.includes("\0");

export const BROKEN_TEXT = "has characters that are not valid Unicode";

/** Ends a text of others like a sentence. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Zero-width characters and other invisible ones are no text. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

export const nullIfBlank = (text: string | null): string | null =>
  text !== null && VISIBLE.test(text) ? text : null;

export const emptyIfBlank = (text: string | null): string => nullIfBlank(text) ?? "";
