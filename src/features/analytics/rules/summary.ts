import { MINUTE } from "../../../core/time.ts";
import { add, type Counters, countOf, engagementOf, METRICS } from "./counters.ts";
import type { StoredPost } from "./snapshots.ts";
import { joinThreads } from "./threads.ts";

export type ShownPost = Pick<
  StoredPost,
  "id" | "text" | "url" | "publishedAt" | "counters" | "uploadId"
>;

export interface HashtagUse {
  tag: string;
  posts: number;
  views: number;
  engagement: number;
}

export interface Summary {
  posts: number;
  totals: Counters;
  recent: { mut: ShownPost[]; external: ShownPost[] };
  mostViewed: ShownPost | null;
  mostEngaging: ShownPost | null;
  hashtags: HashtagUse[];
  /** Publication times, oldest first, in minutes: the first since 1970, the others since the previous post. */
  publishedAfter: number[];
  /** In the order of `publishedAfter`; null where unmeasured. */
  views: (number | null)[];
}

/** Per account. Spec is silent. */
export const RECENT_POSTS = 25;
const MAX_HASHTAGS = 50;

/** @param all newest first */
export function summarize(all: readonly StoredPost[]): Summary {
  const posts = joinThreads(all);
  const oldestFirst = [...posts].reverse();
  const minutes = oldestFirst.map(({ publishedAt }) => Math.floor(publishedAt / MINUTE));
  const recent = (isOurs: boolean) =>
    posts
      .filter(({ uploadId }) => (uploadId !== null) === isOurs)
      .slice(0, RECENT_POSTS)
      .map(toShown);
  return {
    posts: posts.length,
    totals: posts.reduce<Counters>(
      (sum, { counters }) => add(sum, counters),
      METRICS.map(() => 0),
    ),
    recent: { mut: recent(true), external: recent(false) },
    mostViewed: best(posts.map(toShown), viewsOf),
    mostEngaging: best(posts.map(toShown), ({ counters }) => engagementOf(counters)),
    hashtags: topHashtags(posts.flatMap(usesOf), MAX_HASHTAGS),
    publishedAfter: minutes.map((minute, i) => minute - (minutes[i - 1] ?? 0)),
    views: oldestFirst.map(({ counters }) => counters[METRICS.indexOf("views")] ?? null),
  };
}

const toShown = ({ id, text, url, publishedAt, counters, uploadId }: StoredPost): ShownPost => ({
  id,
  text,
  url,
  publishedAt,
  counters,
  uploadId,
});

const viewsOf = ({ counters }: Pick<ShownPost, "counters">): number => countOf(counters, "views");

/** Null when all amounts are 0. */
export function best<T>(all: readonly T[], amountOf: (one: T) => number): T | null {
  let leader: T | null = null;
  for (const one of all) {
    if (amountOf(one) > (leader === null ? 0 : amountOf(leader))) leader = one;
  }
  return leader;
}

const usesOf = (post: StoredPost): HashtagUse[] =>
  post.hashtags.map((tag) => ({
    tag,
    posts: 1,
    views: viewsOf(post),
    engagement: engagementOf(post.counters),
  }));

export function topHashtags(uses: readonly HashtagUse[], max: number): HashtagUse[] {
  const byTag = new Map<string, HashtagUse>();
  for (const { tag, posts, views, engagement } of uses) {
    const sum = byTag.get(tag) ?? { tag, posts: 0, views: 0, engagement: 0 };
    sum.posts += posts;
    sum.views += views;
    sum.engagement += engagement;
    byTag.set(tag, sum);
  }
  return [...byTag.values()]
    .sort(
      (a, b) =>
        b.views - a.views ||
        b.engagement - a.engagement ||
        b.posts - a.posts ||
        (a.tag < b.tag ? -1 : 1),
    )
    .slice(0, max);
}
