/** Matches `#one#two` as one run. A # after a letter, `&` or `/` starts no hashtag. */
const HASHTAGS = /(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_]+)+/gu;

const allHashtags = (text: string): string[] =>
  [...text.matchAll(HASHTAGS)].flatMap(([run]) => run.split(/[#＃]/).filter(Boolean));

/** Hashtags in their original spelling, without #. */
export const hashtagsIn = (text: string): string[] => [...new Set(allHashtags(text))];

const plain = (tag: string): string => tag.normalize("NFC").toLowerCase();

/** Lowercase hashtags without #, each once. */
export const hashtagsOf = (text: string): string[] => [...new Set(allHashtags(text).map(plain))];

/** @param banned lowercase, without # */
export function refusedHashtags(text: string, banned: readonly string[]): string[] {
  if (banned.length === 0) return [];
  const bannedTags = new Set(banned.map(plain));
  return hashtagsOf(text).filter((tag) => bannedTags.has(tag));
}
