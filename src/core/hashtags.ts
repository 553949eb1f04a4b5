/**
 * One hashtag, or several written together, such as `#one#two`. After a letter, an `&` or a `/` it is no
 * hashtag but part of a word, an entity or an address.
 */
const HASHTAGS = /(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_]+)+/gu;

/** Returns the hashtags of a text as they are written, without the #: each once per spelling, in their order. */
export const hashtagsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(HASHTAGS)].flatMap(([run]) => run.split(/[#＃]/).filter((tag) => tag !== "")),
  ),
];

const plain = (tag: string): string => tag.normalize("NFC").toLowerCase();

/** The hashtags of a text, in lower case and without the #: each once, in their order. */
export const hashtagsOf = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(HASHTAGS)].flatMap(([run]) => run.split(/[#＃]/).filter(Boolean).map(plain)),
  ),
];

/**
 * The hashtags of a text that a platform hides or refuses, in lower case and without the #: each once,
 * in their order.
 *
 * @param banned in lower case, without the #
 */
export function refusedHashtags(text: string, banned: readonly string[]): string[] {
  if (banned.length === 0) return [];
  const wanted = new Set(banned.map(plain));
  const found = new Set<string>();
  for (const [run] of text.matchAll(HASHTAGS)) {
    for (const tag of run.split(/[#＃]/)) {
      if (wanted.has(plain(tag))) found.add(plain(tag));
    }
  }
  return [...found];
}
