import { hashtagsIn } from "../../../core/hashtags.ts";
import type { HashtagUse } from "./summary.ts";

export const REASONS = ["in_text", "best_performing", "own_posts", "words"] as const;

export interface SuggestedHashtag {
  /** With the #. */
  hashtag: string;
  reason: (typeof REASONS)[number];
  uses: number;
}

interface OwnPosts {
  texts: readonly string[];
  measured: readonly HashtagUse[];
}

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

interface OwnHashtag {
  tag: string;
  uses: number;
  views: number;
  engagement: number;
}

/** The extra post ranks steady hashtags above a hashtag of one lucky post. */
const perPost = (amount: number, posts: number): number => amount / (posts + 1);

function rankOwn({ texts, measured }: OwnPosts): OwnHashtag[] {
  const uses = countEach(texts.flatMap((text) => [...new Set(hashtagsIn(text).map(plain))]));
  const byTag = new Map<string, OwnHashtag>();
  for (const { tag, posts, views, engagement } of measured) {
    const own = { views: perPost(views, posts), engagement: perPost(engagement, posts) };
    byTag.set(tag, { tag, uses: Math.max(posts, uses.get(tag) ?? 0), ...own });
  }
  for (const [tag, count] of uses) {
    if (!byTag.has(tag)) byTag.set(tag, { tag, uses: count, views: 0, engagement: 0 });
  }
  return [...byTag.values()].sort(
    (a, b) => b.views - a.views || b.engagement - a.engagement || b.uses - a.uses,
  );
}

function tellingWords(words: readonly string[]): string[] {
  const counts = countEach(words);
  const isTelling = (word: string) =>
    word.length >= MIN_LETTERS && word.length <= MAX_LETTERS && !STOPWORDS.has(word);
  return [...counts.keys()]
    .filter(isTelling)
    .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || b.length - a.length);
}

/**
 * Suggests, in this order: hashtags in the text, the team's earlier hashtags that match it, words of the text, and the
 * team's best hashtags.
 *
 * @param banned in lower case, without the #
 */
export function suggestHashtags(
  text: string,
  own: OwnPosts,
  { banned, limit }: { banned: readonly string[]; limit: number },
): SuggestedHashtag[] {
  const ranked = rankOwn(own);
  const ownByTag = new Map(ranked.map((one) => [one.tag, one]));
  const refused = new Set(banned.map(plain));
  const chosen = new Map<string, SuggestedHashtag>();
  const choose = (tag: string, reason: SuggestedHashtag["reason"]) => {
    const key = plain(tag);
    if (refused.has(key) || chosen.has(key) || chosen.size === limit) return;
    chosen.set(key, { hashtag: `#${tag}`, reason, uses: ownByTag.get(key)?.uses ?? 0 });
  };
  const chooseOwn = ({ tag, views, engagement }: OwnHashtag) =>
    choose(tag, views + engagement > 0 ? "best_performing" : "own_posts");

  const words = wordsIn(text).map(plain);
  const all = new Set(words);
  const isAbout = ({ tag }: OwnHashtag) =>
    all.has(tag) || words.some((word) => word.length >= MIN_LETTERS && tag.includes(word));

  for (const tag of hashtagsIn(text)) choose(tag, "in_text");
  for (const one of ranked.filter(isAbout)) chooseOwn(one);
  for (const word of tellingWords(words)) choose(word, "words");
  for (const one of ranked) chooseOwn(one);
  return [...chosen.values()];
}
