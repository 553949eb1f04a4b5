import { createRandom } from "../../../src/cli/random.ts";
import { DAY, HOUR } from "../../../src/core/time.ts";
import type { Counters } from "../../../src/features/analytics/rules/counters.ts";
import type { Measures, SyncReading } from "../../../src/features/analytics/rules/series.ts";
import type { PostReading } from "../../../src/features/analytics/rules/snapshots.ts";

/** 2026-11-01. */
export const START = 20_758 * DAY;

export const ALL: Measures = {
  metrics: [true, true, true, true],
  keepDays: null,
  keepsMonths: true,
};

export const reading = (
  id: string,
  at: number,
  counters: Counters,
  publishedAt = START - 30 * DAY,
): PostReading => ({
  id,
  at,
  publishedAt,
  counters,
  text: `Post ${id}`,
  hashtags: ["all", id],
  url: `https://example.com/${id}`,
});

export const atDay = (day: number, hour = 3): number => START + day * DAY + hour * HOUR;

/** Random counters of posts. Most rise, some shrink, some are missing. */
export function randomSyncs(below: (max: number) => number, days: readonly number[]) {
  const marks = new Map<string, number[]>();
  return days.map((day): SyncReading => {
    const at = atDay(day, below(24));
    const posts = Array.from({ length: 6 }, (_, i) => i)
      // The last posts are published later.
      .filter((i) => i < 3 || day > i)
      .flatMap((i) => {
        const id = `p${i}`;
        const counters = (marks.get(id) ?? [0, 0, 0, 0]).map((value) =>
          below(6) === 0 ? Math.floor(value / 2) : value + below(100),
        );
        marks.set(id, counters);
        const publishedAt = i < 3 ? START - DAY : atDay(i, 23);
        return below(4) === 0 ? [] : [reading(id, at, counters, publishedAt)];
      });
    return { at, posts, followers: below(5) === 0 ? null : 1_000 + below(100) };
  });
}

/** Seeded random numbers. */
export function belowBy(seed: number): (max: number) => number {
  const random = createRandom(seed);
  return (max) => random.between(0, max - 1);
}
