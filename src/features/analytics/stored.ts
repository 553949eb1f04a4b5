import { DAY } from "../../core/time.ts";
import { type Counters, METRICS } from "./rules/counters.ts";
import type { DayRow, MonthRow, Series } from "./rules/series.ts";

export type { StoredPost } from "./rules/snapshots.ts";

type Numbers = (number | null)[];

/** Arrays, because they are shorter than objects and an account has hundreds of days. */
export interface StoredSeries {
  firstAt: number | null;
  /** Day, gains, followers, when followers were read, when each metric was read (once if all are equal). */
  days: Numbers[];
  /** Month, gains, followers. */
  months: [string, ...Numbers][];
}

const toNumbers = (gains: Counters | null): Counters => gains ?? METRICS.map(() => null);

const toGains = (numbers: Numbers): Counters | null =>
  numbers.every((number) => number === null) ? null : numbers;

export const packSeries = ({ firstAt, days, months }: Series): StoredSeries => ({
  firstAt,
  days: days.map(({ day, gains, followers, followersAt, readAt }) => [
    day,
    ...toNumbers(gains),
    followers,
    followersAt,
    ...(new Set(readAt).size === 1 ? readAt.slice(0, 1) : readAt),
  ]),
  months: months.map(({ month, gains, followers }) => [month, ...toNumbers(gains), followers]),
});

const GAINS = METRICS.length;

/** Metrics of old rows, which lack reading times, count as read at the end of the day. */
function toReadAt(day: number, gains: Numbers, times: Numbers): Counters {
  if (times.length === GAINS) return times;
  if (times.length === 1) return METRICS.map(() => times[0] ?? null);
  const end = (day + 1) * DAY - 1;
  return gains.map((gain) => (gain === null ? null : end));
}

export const unpackSeries = ({ firstAt, days, months }: StoredSeries): Series => ({
  firstAt,
  days: days.map(
    ([day, ...rest]): DayRow => ({
      day: day as number,
      gains: toGains(rest.slice(0, GAINS)),
      followers: rest[GAINS] ?? null,
      followersAt: rest[GAINS + 1] ?? 0,
      readAt: toReadAt(day as number, rest.slice(0, GAINS), rest.slice(GAINS + 2)),
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
