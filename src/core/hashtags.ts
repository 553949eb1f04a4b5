/** Matches `#one#two` as one run. A # after a letter, `&` or `/` starts no hashtag. */
const HASHTAGS = /(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_]+)+/gu;

/** Hashtags in their original spelling, without #. */
export const hashtagsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(HASHTAGS)].flatMap(([run]) => run.split(/[#＃]/).filter((tag) => tag !== "")),
  ),
];

const plain = (tag: string): string => tag.normalize("NFC").toLowerCase();

/** Lowercase hashtags without #, each once. */
export const hashtagsOf = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(HASHTAGS)].flatMap(([run]) => run.split(/[#＃]/).filter(Boolean).map(plain)),
  ),
];

/** @param banned lowercase, without # */
export function refusedHashtags(text: string, banned: readonly string[]): string[] {
  if (banned.length === 0) return [];
  const bannedTags = new Set(banned.map(plain));
  const matches = new Set<string>();
  for (const [run] of text.matchAll(HASHTAGS)) {
    for (const tag of run.split(/[#＃]/)) {
      if (bannedTags.has(plain(tag))) matches.add(plain(tag));
    }
  }
  return [...matches];
}
