import { type Counters, METRICS } from "./rules/counters.ts";
import type { DayRow, MonthRow, Series } from "./rules/series.ts";

type Numbers = (number | null)[];

/** A series as it is stored: lists of numbers, as there are hundreds of days of hundreds of accounts. */
export interface StoredSeries {
  firstAt: number | null;
  /** Day, gains, followers and when those were read. */
  days: Numbers[];
  /** Month, gains, followers. */
  months: [string, ...Numbers][];
}

const toNumbers = (gains: Counters | null): Counters => gains ?? METRICS.map(() => null);

const toGains = (numbers: Numbers): Counters | null =>
  numbers.every((number) => number === null) ? null : numbers;

export const packSeries = ({ firstAt, days, months }: Series): StoredSeries => ({
  firstAt,
  days: days.map(({ day, gains, followers, followersAt }) => [
    ...[day, ...toNumbers(gains), followers, followersAt],
  ]),
  months: months.map(({ month, gains, followers }) => [month, ...toNumbers(gains), followers]),
});

const GAINS = METRICS.length;

export const unpackSeries = ({ firstAt, days, months }: StoredSeries): Series => ({
  firstAt,
  days: days.map(
    ([day, ...rest]): DayRow => ({
      day: day as number,
      gains: toGains(rest.slice(0, GAINS)),
      followers: rest[GAINS] ?? null,
      followersAt: rest[GAINS + 1] ?? 0,
    }),
  ),
  months: months.map(
    ([month, ...rest]): MonthRow => ({
      month,
      gains: toGains(rest.slice(0, GAINS)),
      followers: rest[GAINS] ?? null,
    }),
  ),
});
