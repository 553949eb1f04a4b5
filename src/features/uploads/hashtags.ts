import { hashtagsIn } from "../../core/hashtags.ts";

export interface SuggestedHashtag {
  /** With the #. */
  hashtag: string;
  reason: "in_text" | "own_posts" | "words";
  /** How many of the looked at posts have it. */
  uses: number;
}

/** Words that say nothing about what a post is about, in the languages most posts are in. */
const STOPWORDS = new Set(
  `about after again also another because been before being below between both could does doing down during
  each even every from further have having here hers herself himself into itself just like made make many
  more most much must myself never only other ours over same should some such than that their them then there
  these they this those through today under until upon very want were what when where which while will with
  would your yours yourself aber auch oder eine einen einer dass nicht wird sind haben mehr nach noch über
  unter wenn dieser diese dieses avec cette dans elle mais nous pour plus sans sont tout vous comme como
  para pero este esta esto muy todo todos sobre desde hasta entre porque cuando donde`.split(/\s+/),
);
const MIN_LETTERS = 4;
const MAX_LETTERS = 30;

const plain = (word: string): string => word.normalize("NFC").toLowerCase();

const wordsIn = (text: string): string[] =>
  text
    .replace(/https?:\/\/\S+|[@#＃][\p{L}\p{M}\p{N}_.-]+/gu, " ")
    .match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * Suggests hashtags for a text, without a model: those it has, those of the account's own posts that fit its
 * words, its words themselves, then the account's most used. None that is hidden on the platform.
 *
 * @param posts texts of the account's posts, the newest first
 * @param banned in lower case, without the #
 */
export function suggestHashtags(
  text: string,
  posts: readonly string[],
  { banned, limit }: { banned: readonly string[]; limit: number },
): SuggestedHashtag[] {
  const uses = countEach(posts.flatMap((post) => [...new Set(hashtagsIn(post).map(plain))]));
  const refused = new Set(banned.map(plain));
  const chosen = new Map<string, SuggestedHashtag>();
  const choose = (tag: string, reason: SuggestedHashtag["reason"]) => {
    const key = plain(tag);
    if (refused.has(key) || chosen.has(key) || chosen.size === limit) return;
    chosen.set(key, { hashtag: `#${tag}`, reason, uses: uses.get(key) ?? 0 });
  };

  const words = wordsIn(text).map(plain);
  const known = new Set(words);
  const mostUsed = [...uses].sort(([, a], [, b]) => b - a).map(([tag]) => tag);
  const isAbout = (tag: string) =>
    known.has(tag) || words.some((word) => word.length >= MIN_LETTERS && tag.includes(word));
  const counts = countEach(words);
  const telling = [...counts.keys()].filter(
    (word) => word.length >= MIN_LETTERS && word.length <= MAX_LETTERS && !STOPWORDS.has(word),
  );
  const byWeight = (a: string, b: string) =>
    (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || b.length - a.length;

  for (const tag of hashtagsIn(text)) choose(tag, "in_text");
  for (const tag of mostUsed.filter(isAbout)) choose(tag, "own_posts");
  for (const word of telling.sort(byWeight)) choose(word, "words");
  for (const tag of mostUsed) choose(tag, "own_posts");
  return [...chosen.values()];
}
