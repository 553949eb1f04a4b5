import { expect, test } from "vitest";
import type { DayRow } from "../../../../src/features/analytics/rules/series.ts";
import {
  comparePeriods,
  compareWindows,
  followersByDay,
} from "../../../../src/features/analytics/rules/windows.ts";

const TODAY = 1_000;

const row = (daysAgo: number, views: number | null, followers: number | null = null): DayRow => ({
  day: TODAY - daysAgo,
  gains: views === null ? null : [views, 0, 0, 0],
  followers,
  followersAt: 0,
  readAt: [],
});

const compare = (days: DayRow[], published: number[] = []) =>
  compareWindows([{ days: days.sort((a, b) => a.day - b.day), published }], TODAY);

test("the windows are the 30 days up to yesterday and the 30 before them", () => {
  const days = [0, 1, 30, 31, 60, 61].map((ago) => row(ago, 10 ** ago % 97));
  const { views } = compare(days);
  const of = (ago: number) => 10 ** ago % 97;
  expect(views).toMatchObject({
    current: of(1) + of(30),
    previous: of(31) + of(60),
    measuredDays: { current: 2, previous: 2 },
  });
});

test.each([
  [7, [1, 7], [8, 14]],
  [30, [1, 30], [31, 60]],
  [90, [1, 90], [91, 180]],
  [365, [1, 365], [366, 730]],
])("a period of %i days is that long, and so is the one before", (length, now, then) => {
  const at = [0, ...now, ...then, 2 * length + 1];
  const days = at.map((ago) => ({
    ...row(ago, 2 ** (ago % 29), ago + 1),
    gains: [1, ago, 2, null],
  }));
  const accounts = [
    { days: days.sort((a, b) => a.day - b.day), published: at.map((ago) => TODAY - ago) },
  ];
  const { views, likes, shares, engagement, followers, postsPublished } = comparePeriods(
    accounts,
    TODAY,
    length,
  );
  const sum = ([a = 0, b = 0]: number[]) => a + b;
  expect(views).toMatchObject({ current: 2, previous: 2, change: 0, changePct: 0 });
  expect(likes).toMatchObject({ current: sum(now), previous: sum(then) });
  expect(shares).toMatchObject({ current: null, previous: null, change: null });
  expect(engagement).toMatchObject({ current: sum(now) + 4, previous: sum(then) + 4 });
  expect(followers).toMatchObject({ total: 1, previous: length + 1 });
  expect(postsPublished).toEqual({ current: 2, previous: 2, change: 0 });
});

test("what was not measured is null and never zero", () => {
  expect(compareWindows([], TODAY)).toEqual({
    windowDays: 30,
    views: {
      current: null,
      previous: null,
      change: null,
      changePct: null,
      measuredDays: { current: 0, previous: 0 },
    },
    followers: { total: null, previous: null, change: null, changePct: null },
    postsPublished: { current: null, previous: null, change: null },
  });
  const { views } = compare([row(1, 0), row(2, null)]);
  expect(views).toMatchObject({
    current: 0,
    previous: null,
    change: null,
    changePct: null,
    measuredDays: { current: 1, previous: 0 },
  });
});

test.each([
  [50, 40, 10, 25],
  [0, 3, -3, -100],
  [4, 0, 4, null],
  [2, 3, -1, -33.33],
])("%i views after %i are a change of %i, %s %%", (now, then, change, changePct) => {
  expect(compare([row(1, now), row(31, then)]).views).toMatchObject({ change, changePct });
});

test("followers change by the accounts that were measured 30 days earlier too", () => {
  const long = [row(30, null, 100), row(1, null, 120)];
  const young = [row(5, null, 900), row(1, null, 1_000)];
  const none = [row(1, 4)];
  const accounts = [long, young, none].map((days) => ({ days, published: [] }));
  expect(compareWindows(accounts, TODAY).followers).toEqual({
    total: 1_120,
    previous: 100,
    change: 20,
    changePct: 20,
  });
  expect(compareWindows(accounts.slice(1), TODAY).followers).toEqual({
    total: 1_000,
    previous: null,
    change: null,
    changePct: null,
  });
});

test("a number of followers stands for a missed week, and no longer", () => {
  const measured = (ago: number) => compare([row(ago, null, 50), row(0, null, 60)]).followers;
  expect([29, 30, 37, 38].map((ago) => measured(ago).change)).toEqual([null, 10, 10, null]);
});

test("posts are counted by the day on which they were published", () => {
  const { postsPublished } = compare(
    [row(1, 1)],
    [0, 1, 30, 31, 31, 60, 61].map((ago) => TODAY - ago),
  );
  expect(postsPublished).toEqual({ current: 2, previous: 3, change: -1 });
});

test("a day on which one account was missed does not look like a loss", () => {
  const history = followersByDay([
    [row(3, null, 10), row(2, null, 11), row(1, null, 12)],
    [row(3, null, 100), row(1, null, 90)],
  ]);
  expect(history).toEqual([
    { day: TODAY - 3, followers: 110 },
    { day: TODAY - 2, followers: 111 },
    { day: TODAY - 1, followers: 102 },
  ]);
});
