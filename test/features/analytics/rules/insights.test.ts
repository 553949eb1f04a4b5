import { expect, test } from "vitest";
import { DAY, MINUTE } from "../../../../src/core/time.ts";
import {
  MIN_SAMPLES,
  postingInsights,
  type Sample,
} from "../../../../src/features/analytics/rules/insights.ts";
import { belowBy } from "../readings.ts";

/** Both hemispheres, half and quarter hours, with and without DST, Ramadan. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/Los_Angeles",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Australia/Sydney",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
  "Africa/Casablanca",
  "Africa/Cairo",
  "America/Asuncion",
  "Asia/Tehran",
  "Pacific/Apia",
  "Antarctica/Troll",
];

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function bruteForce(samples: readonly Sample[], timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    hourCycle: "h23",
  });
  const places = samples.map(([minute]) => {
    const parts = format.formatToParts(minute * MINUTE);
    const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
    return { weekday: WEEKDAYS.indexOf(part("weekday")), hour: Number(part("hour")) };
  });
  const bucket = (kind: "weekday" | "hour", value: number) => {
    const views = samples.flatMap(([, views], i) => (places[i]?.[kind] === value ? [views] : []));
    const sum = views.reduce((a, b) => a + b, 0);
    return {
      [kind]: value,
      posts: views.length,
      avgViews: views.length === 0 ? 0 : Math.round((sum / views.length) * 100) / 100,
      ranked: views.length >= MIN_SAMPLES,
    };
  };
  return {
    byWeekday: WEEKDAYS.map((_, i) => bucket("weekday", i)),
    byHour: Array.from({ length: 24 }, (_, i) => bucket("hour", i)),
  };
}

test.each(ZONES)("agree with the runtime's own clocks in %s, across DST", (zone) => {
  const below = belowBy(11);
  const from = Date.UTC(2024, 0, 1) / MINUTE;
  const samples = Array.from(
    { length: 600 },
    (): Sample => [from + below((3 * 366 * DAY) / MINUTE), below(10_000)],
  );
  const { byWeekday, byHour, bestDay, bestHours } = postingInsights(samples, zone);
  const expected = bruteForce(samples, zone);
  expect({ byWeekday, byHour }).toEqual(expected);
  const max = (buckets: object[]) =>
    Math.max(...(buckets as typeof byHour).map(({ avgViews, ranked }) => (ranked ? avgViews : 0)));
  expect(bestDay?.avgViews).toBe(max(expected.byWeekday));
  expect(bestHours[0]?.avgViews).toBe(max(expected.byHour));
});

test("a change of clocks is found to the minute", () => {
  // Berlin, 25 October 2026: 3:00 becomes 2:00 at 01:00 UTC.
  const change = Date.UTC(2026, 9, 25, 1) / MINUTE;
  const minutes = [-61, -60, -1, 0, 59, 60].map((after) => change + after);
  for (const minute of minutes) {
    const early = Date.UTC(2026, 5, 1) / MINUTE;
    const samples: Sample[] = [
      [minute, 8],
      [early, 1],
    ];
    const { byHour, byWeekday } = postingInsights(samples, "Europe/Berlin");
    expect({ byWeekday, byHour }).toEqual(bruteForce(samples, "Europe/Berlin"));
  }
});

const at = (day: number, hour: number): number => Date.UTC(2026, 10, day, hour) / MINUTE;

test("a bucket with fewer posts than the minimum keeps its average and is never the best", () => {
  const samples: Sample[] = [
    [at(2, 9), 10],
    [at(9, 9), 20],
    [at(16, 9), 31],
    [at(3, 12), 9_000],
    [at(10, 12), 9_000],
  ];
  const insights = postingInsights(samples, "UTC");
  expect(insights).toMatchObject({ timezone: "UTC", minSamples: 3, sampleSize: 5 });
  expect(insights.byWeekday[2]).toEqual({ weekday: 2, posts: 2, avgViews: 9_000, ranked: false });
  expect(insights.bestDay).toEqual({ weekday: 1, posts: 3, avgViews: 20.33, ranked: true });
  expect(insights.bestHours).toEqual([{ hour: 9, posts: 3, avgViews: 20.33, ranked: true }]);
});

test("without posts, and without a ranked bucket, nothing is the best", () => {
  const pair: Sample[] = [
    [at(2, 9), 5],
    [at(9, 9), 5],
  ];
  for (const samples of [[], pair]) {
    const { bestDay, bestHours, byWeekday, byHour } = postingInsights(samples, "Asia/Tokyo");
    expect([bestDay, bestHours]).toEqual([null, []]);
    expect([byWeekday.length, byHour.length]).toEqual([7, 24]);
  }
});

test("three hours are named at most, the best first", () => {
  const samples = Array.from({ length: 5 }, (_, hour) =>
    [1, 2, 3].map((day): Sample => [at(day, hour), hour]),
  ).flat();
  expect(postingInsights(samples, "UTC").bestHours.map(({ hour }) => hour)).toEqual([4, 3, 2]);
});
