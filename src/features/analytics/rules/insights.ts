import { MINUTE } from "../../../core/time.ts";
import { ZoneClock } from "../../../core/zone.ts";

/** With fewer posts, the result is chance. Spec is silent. */
export const MIN_SAMPLES = 3;
/** Spec is silent. */
const BEST_HOURS = 3;

/** Minute since 1970. */
export type Sample = readonly [minute: number, views: number];

export interface Bucket {
  posts: number;
  /** Two decimals; 0 without posts. */
  avgViews: number;
  ranked: boolean;
}

export function postingInsights(samples: readonly Sample[], timezone: string) {
  const grid = gridOf(samples, timezone);
  const byWeekday = grid.map((row, weekday) => ({ weekday, ...toBucket(joined(row)) }));
  const byHour = (grid[0] ?? []).map((_, hour) => ({
    hour,
    ...toBucket(joined(grid.flatMap((row) => row[hour] ?? []))),
  }));
  return {
    timezone,
    minSamples: MIN_SAMPLES,
    sampleSize: samples.length,
    byWeekday,
    byHour,
    bestDay: best(byWeekday)[0] ?? null,
    bestHours: best(byHour).slice(0, BEST_HOURS),
  };
}

/** By weekday, from Sunday, and hour. */
export const postingGrid = (samples: readonly Sample[], timezone: string): Bucket[][] =>
  gridOf(samples, timezone).map((row) => row.map(toBucket));

function gridOf(samples: readonly Sample[], timezone: string): Sum[][] {
  const sorted = [...samples].sort(([a], [b]) => a - b);
  const grid = Array.from({ length: 7 }, () => sums(24));
  const clock = new ZoneClock(timezone);
  let span = { offset: 0, until: Number.NEGATIVE_INFINITY };
  for (const [minute, views] of sorted) {
    const at = minute * MINUTE;
    if (at >= span.until) span = clock.spanAt(at);
    const wall = new Date(at + span.offset);
    count(grid[wall.getUTCDay()] ?? [], wall.getUTCHours(), views);
  }
  return grid;
}

interface Sum {
  posts: number;
  views: number;
}

const sums = (length: number): Sum[] => Array.from({ length }, () => ({ posts: 0, views: 0 }));

const joined = (all: readonly Sum[]): Sum => ({
  posts: all.reduce((sum, { posts }) => sum + posts, 0),
  views: all.reduce((sum, { views }) => sum + views, 0),
});

function count(into: Sum[], index: number, views: number): void {
  const sum = into[index];
  if (!sum) return;
  sum.posts++;
  sum.views += views;
}

const toBucket = ({ posts, views }: Sum): Bucket => ({
  posts,
  avgViews: posts === 0 ? 0 : Math.round((views / posts) * 100) / 100,
  ranked: posts >= MIN_SAMPLES,
});

const best = <B extends Bucket>(buckets: readonly B[]): B[] =>
  buckets
    .filter(({ ranked }) => ranked)
    .sort((a, b) => b.avgViews - a.avgViews || b.posts - a.posts);
