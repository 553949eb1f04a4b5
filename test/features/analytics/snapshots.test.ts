import { expect, test } from "vitest";
import { DAY } from "../../../src/core/time.ts";
import { dayOf } from "../../../src/features/analytics/rules/days.ts";
import {
  type AccountState,
  MAX_POSTS,
  NOTHING,
  type SyncReading,
  takeSync,
} from "../../../src/features/analytics/rules/series.ts";
import { packSeries, unpackSeries } from "../../../src/features/analytics/stored.ts";
import { ALL, atDay, belowBy, randomSyncs, reading, START } from "./readings.ts";

const NO_UPLOADS = new Map<string, number>();

const takeAll = (syncs: readonly SyncReading[], measures = ALL): AccountState =>
  syncs.reduce((state, sync) => takeSync(state, sync, NO_UPLOADS, measures), NOTHING);

const one = (day: number, views: number | null, hour = 3): SyncReading => ({
  at: atDay(day, hour),
  posts: [reading("a", atDay(day, hour), [views, 0, 0, 0])],
  followers: null,
});

/** A sync that read only followers. */
const unread = (day: number): SyncReading => ({ at: atDay(day), posts: null, followers: 7 });

const viewGains = ({ series }: AccountState) =>
  series.days.map(({ day, gains }) => [day - dayOf(START), gains?.[0] ?? null]);

test.each<[string, SyncReading[], unknown]>([
  ["the first day begins the count", [one(0, 100)], [[0, null]]],
  [
    "a day gains what the counter rose by",
    [one(0, 100), one(1, 130), one(2, 130)],
    [
      [0, null],
      [1, 30],
      [2, 0],
    ],
  ],
  [
    "of a day's readings the highest counts",
    [one(0, 100), one(1, 130, 9), one(1, 120, 3)],
    [
      [0, null],
      [1, 30],
    ],
  ],
  [
    "a counter that shrinks gains nothing, and what it regains is counted once",
    [one(0, 100), one(1, 0), one(2, 100), one(3, 110)],
    [
      [0, null],
      [1, 0],
      [2, 0],
      [3, 10],
    ],
  ],
  [
    "what days without a reading gained is the next reading's",
    [one(0, 100), one(5, 150)],
    [
      [0, null],
      [5, 50],
    ],
  ],
  [
    "what is not measured is null, and begins where it is",
    [one(0, null), one(1, null), one(2, 500), one(3, 510)],
    [
      [0, null],
      [1, null],
      [2, 0],
      [3, 10],
    ],
  ],
  [
    "what is gained between two readings of the first day counts, in any order",
    [one(0, 150, 20), one(0, 100, 3), one(1, 160)],
    [
      [0, 50],
      [1, 10],
    ],
  ],
  [
    "a day on which the posts could not be read is not measured, and its gains are the next reading's",
    [one(0, 100), unread(1), one(2, 130), unread(3)],
    [
      [0, null],
      [1, null],
      [2, 30],
      [3, null],
    ],
  ],
  [
    "a day on which no post's views could be read has none",
    [one(0, 100), one(1, null), one(2, 130)],
    [
      [0, null],
      [1, null],
      [2, 30],
    ],
  ],
  [
    "counting begins with the first day on which posts were read",
    [unread(0), one(1, 100), one(2, 130)],
    [
      [0, null],
      [1, null],
      [2, 30],
    ],
  ],
])("%s", (_, syncs, expected) => {
  expect(viewGains(takeAll(syncs))).toEqual(expected);
});

const ABSURD = 1e15;

test.each<[string, SyncReading[], (number | null)[], number]>([
  [
    "that the next reading does not show is forgotten",
    [one(0, 100), one(1, ABSURD), one(2, 130), one(3, 140)],
    [null, 0, 30, 10],
    140,
  ],
  [
    "is not shown before it is confirmed",
    [one(0, 100), one(1, 110), one(2, ABSURD)],
    [null, 10, 0],
    110,
  ],
  [
    "that the next reading confirms counts",
    [one(0, 100), one(1, 5_000_000), one(2, 6_000_000)],
    [null, 4_999_900, 1_000_000],
    6_000_000,
  ],
  [
    "counts as far as the next reading shows it",
    [one(0, 100), one(1, ABSURD), one(2, 5_000_000), one(3, 5_000_010)],
    [null, 4_999_900, 0, 10],
    5_000_010,
  ],
  [
    "at the very first reading is forgotten once the next does not show it",
    [one(0, ABSURD), one(1, 130), one(2, 140)],
    [null, 0, 10],
    140,
  ],
  [
    "of a million alone, or of a thousand times alone, counts at once",
    [one(0, 10), one(1, 900_000), one(2, 5_000_000)],
    [null, 899_990, 4_100_000],
    5_000_000,
  ],
])("an impossible rise %s", (_, syncs, expected, shown) => {
  for (const order of [syncs, [...syncs, ...syncs]]) {
    const state = takeAll(order);
    expect(viewGains(state).map(([, gain]) => gain)).toEqual(expected);
    expect(state.posts[0]?.counters[0]).toBe(shown);
  }
});

test("days that an older instance stored are read, and go on", () => {
  const { series, posts } = takeAll([one(0, 100), one(1, 130)]);
  const stored = packSeries(series);
  const older = { ...stored, days: stored.days.map((row) => row.slice(0, 7)) };
  const olderPosts = posts.map(({ first: _, ...post }) => post);
  const state = { series: unpackSeries(JSON.parse(JSON.stringify(older))), posts: olderPosts };
  const after = takeSync(state, one(2, 150), NO_UPLOADS, ALL);
  expect(viewGains(after)).toEqual([
    [0, null],
    [1, 30],
    [2, 20],
  ]);
});

test("a post that is published after the first sync gains from zero, an older one that turns up does not", () => {
  const posts = [
    reading("new", atDay(2), [40, 4, 0, 0], atDay(1)),
    reading("old", atDay(2), [9_000, 4, 0, 0], START - DAY),
  ];
  const state = takeAll([one(0, 100), { at: atDay(2), posts, followers: null }]);
  expect(state.series.days.at(-1)?.gains).toEqual([40, 4, 0, 0]);
});

test("a platform without a metric gains null of it, and an account without posts gains 0", () => {
  const empty = (day: number) => ({ at: atDay(day), posts: [], followers: 5 });
  const measures = { ...ALL, metrics: [false, true, true, true] };
  const state = takeAll([empty(0), empty(1)], measures);
  expect(state.series.days.map(({ gains }) => gains)).toEqual([null, [null, 0, 0, 0]]);
});

test("any order and repetition of syncs gives the same snapshots", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const below = belowBy(seed);
    const days = Array.from({ length: 12 }, () => below(12));
    const syncs = randomSyncs(
      below,
      days.sort((a, b) => a - b),
    );
    const expected = takeAll(syncs);
    const mixed = [...syncs, ...syncs.filter(() => below(2) === 0)]
      .map((sync) => ({ sync, place: below(1_000_000) }))
      .sort((a, b) => a.place - b.place)
      .map(({ sync }) => sync);
    expect(takeAll(mixed)).toEqual(expected);
  }
});

test("gains sum to the difference of the counters' highest and first, whatever days were missed, and are never negative", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const below = belowBy(seed);
    const days = Array.from({ length: 80 }, (_, day) => day).filter(() => below(3) > 0);
    const syncs = randomSyncs(below, days);
    const state = takeAll(syncs);
    const firstAt = state.series.firstAt ?? 0;
    for (const metric of [0, 1, 2, 3]) {
      const gains = state.series.days.map(({ gains }) => gains?.[metric] ?? 0);
      expect(Math.min(...gains)).toBeGreaterThanOrEqual(0);
      const difference = state.posts.reduce((sum, post) => {
        const read = syncs.flatMap(({ posts }) => (posts ?? []).filter(({ id }) => id === post.id));
        const counters = read.map((one) => one.counters[metric] ?? 0);
        const from = post.publishedAt >= firstAt ? 0 : (counters[0] ?? 0);
        return sum + Math.max(...counters) - from;
      }, 0);
      expect(gains.reduce((a, b) => a + b, 0)).toBe(difference);
    }
  }
});

test("followers of a day are those that were read last, and may fall", () => {
  const followers = (day: number, hour: number, count: number | null) => ({
    at: atDay(day, hour),
    posts: [],
    followers: count,
  });
  const syncs = [followers(0, 3, 10), followers(0, 9, 8), followers(0, 12, null)];
  for (const order of [syncs, [...syncs].reverse()]) {
    expect(takeAll(order).series.days[0]?.followers).toBe(8);
  }
});

test("days older than 25 months are put into months, and those of a platform that asks for it after its time", () => {
  const syncs = Array.from({ length: 40 }, (_, i) => one(i * 20, i * 10));
  const long = takeAll(syncs);
  expect(long.series.days.length + 1).toBeLessThanOrEqual(40);
  const sum = [...long.series.days, ...long.series.months].reduce(
    (all, { gains }) => all + (gains?.[0] ?? 0),
    0,
  );
  expect(sum).toBe(390);
  const short = takeAll(
    Array.from({ length: 90 }, (_, i) => one(i, i)),
    { ...ALL, keepDays: 30 },
  );
  expect(short.series.days).toHaveLength(31);
  expect(short.series.months.map(({ month, gains }) => [month, gains?.[0]])).toEqual([
    ["2026-11", 29],
    ["2026-12", 29],
  ]);
});

test("the newest 1,000 posts are kept once the days of older ones are settled", () => {
  const posts = Array.from({ length: MAX_POSTS + 20 }, (_, i) =>
    reading(`p${i}`, atDay(0), [i, 0, 0, 0], START - i * DAY),
  );
  const first: SyncReading = { at: atDay(0), posts, followers: null };
  const later = one(20, 3);
  expect(takeAll([first]).posts).toHaveLength(MAX_POSTS + 20);
  const kept = takeAll([first, later]).posts;
  expect(kept).toHaveLength(MAX_POSTS);
  expect(kept[0]?.id).toBe("p0");
});

test("a series is read as it was stored", () => {
  const below = belowBy(7);
  const { series } = takeAll(
    randomSyncs(
      below,
      Array.from({ length: 60 }, (_, day) => day),
    ),
    { ...ALL, keepDays: 30 },
  );
  expect(unpackSeries(JSON.parse(JSON.stringify(packSeries(series))))).toEqual(series);
});
