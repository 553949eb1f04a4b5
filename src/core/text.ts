/** Made at its first use: it costs more to start than all the rest of this folder. */
let graphemes: Intl.Segmenter | null = null;
const utf8 = new TextEncoder();

/** What a reader counts as characters: an emoji with its modifiers is one. */
export function countGraphemes(text: string): number {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let count = 0;
  for (const _ of graphemes.segment(text)) count++;
  return count;
}

export const countUtf8Bytes = (text: string): number => utf8.encode(text).length;

/** True when the text holds half of a surrogate pair, which no platform and no database accepts. */
export const hasLoneSurrogate = (text: string): boolean => !text.isWellFormed();

/** 2000000 as 2,000,000. */
export const formatCount = (count: number): string =>
  String(count).replace(/\B(?=(\d{3})+$)/g, ",");
