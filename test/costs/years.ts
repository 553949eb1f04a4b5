import { DAY, HOUR } from "../../src/core/time.ts";
import { NOTHING, takeSync } from "../../src/features/analytics/rules/series.ts";
import { summarize } from "../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../src/features/analytics/stored.ts";
import { ALL, reading } from "../features/analytics/readings.ts";

export const DAYS = 365;
export const POSTS = 1_000;

/** Figures without a pattern, because figures with one would compress better than real ones. */
const spread = (day: number): number[] =>
  [20_000, 900, 90, 30].map((most, metric) => ((day + 7) ** 3 * (7_919 + 13 * metric)) % most);

/** Makes up what is stored of an account that has been read every night of a year. */
export function yearOf(): { series: string; summary: string; posts: string } {
  const today = Date.parse("2026-12-01T03:00:00Z");
  const posts = Array.from({ length: POSTS }, (_, i) =>
    reading(`post-${i}-with-an-id`, today, [i, 1, 2, 3], today - i * 9 * HOUR),
  );
  const state = takeSync(
    NOTHING,
    { at: today, posts, followers: 1 },
    new Map([["post-3", 1]]),
    ALL,
  );
  const days = Array.from({ length: DAYS }, (_, i) => ({
    ...{ day: Math.floor(today / DAY) - DAYS + 1 + i, gains: spread(i) },
    ...{
      followers: 10_000 + i * 9 + (spread(i)[2] ?? 0),
      followersAt: 0,
      readAt: Array(4).fill(today - i * DAY),
    },
  }));
  return {
    series: JSON.stringify(packSeries({ firstAt: 0, days, months: [] })),
    summary: JSON.stringify(summarize(state.posts)),
    posts: JSON.stringify(state.posts),
  };
}
