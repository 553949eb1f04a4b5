import { wallHours } from "./zone-hours.ts";

/** Posts that a weekday or an hour needs to be compared. Spec is silent: fewer are chance. */
export const MIN_SAMPLES = 3;
/** Hours that are named as the best. Spec is silent. */
const BEST_HOURS = 3;

/** When a post was published, in minutes since 1970, and how often it was seen. */
export type Sample = readonly [minute: number, views: number];

interface Bucket {
  posts: number;
  /** Rounded to two places; 0 without posts. */
  avgViews: number;
  /** Had posts enough to be compared. */
  ranked: boolean;
}

export type WeekdayBucket = Bucket & { weekday: number };
export type HourBucket = Bucket & { hour: number };

export interface Insights {
  timezone: string;
  minSamples: number;
  sampleSize: number;
  byWeekday: WeekdayBucket[];
  byHour: HourBucket[];
  bestDay: WeekdayBucket | null;
  bestHours: HourBucket[];
}

/** Tells on which weekdays and at which hours of a zone posts were seen most. */
export function postingInsights(samples: readonly Sample[], timezone: string): Insights {
  const sorted = [...samples].sort(([a], [b]) => a - b);
  const weekdays = sums(7);
  const hours = sums(24);
  let i = 0;
  for (const { weekday, hour } of wallHours(
    sorted.map(([minute]) => minute),
    timezone,
  )) {
    const views = sorted[i++]?.[1] ?? 0;
    count(weekdays, weekday, views);
    count(hours, hour, views);
  }
  const byWeekday = weekdays.map((sum, weekday) => ({ weekday, ...toBucket(sum) }));
  const byHour = hours.map((sum, hour) => ({ hour, ...toBucket(sum) }));
  return {
    ...{ timezone, minSamples: MIN_SAMPLES, sampleSize: samples.length, byWeekday, byHour },
    bestDay: best(byWeekday)[0] ?? null,
    bestHours: best(byHour).slice(0, BEST_HOURS),
  };
}

interface Sum {
  posts: number;
  views: number;
}

const sums = (length: number): Sum[] => Array.from({ length }, () => ({ posts: 0, views: 0 }));

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

/** The ranked ones, the best first; of equals the one with more posts, then the earlier. */
const best = <B extends Bucket>(buckets: readonly B[]): B[] =>
  buckets
    .filter(({ ranked }) => ranked)
    .sort((a, b) => b.avgViews - a.avgViews || b.posts - a.posts);
