import { DAY, MINUTE } from "./time.ts";

const DAYS = 30;
const MINUTES_PER_DAY = DAY / MINUTE;

/** Minutes in which cron ran. */
export interface Minutes {
  /** Number of the first minute since 1970. */
  first: number;
  /** Number of the last minute since 1970. */
  last: number;
  /** Days since 1970 and how many of their minutes had a run, oldest first. */
  days: { day: number; count: number }[];
}

/** Minutes that were counted before, because the clock was set back, are not counted again. */
export function countMinute(counted: Minutes | undefined, at: number): Minutes {
  const minute = Math.floor(at / MINUTE);
  const day = Math.floor(minute / MINUTES_PER_DAY);
  const { first, last, days } = counted ?? { first: minute, last: minute - 1, days: [] };
  if (minute <= last) return { first, last, days };
  const count = days.find((one) => one.day === day)?.count ?? 0;
  const others = days.filter((one) => one.day > day - DAYS && one.day !== day);
  return { first, last: minute, days: [...others, { day, count: count + 1 }] };
}

export interface Uptime {
  /** Share of the minutes in which cron ran, rounded down. */
  percent: number;
  /** Days that the share covers: at most 30. */
  days: number;
}

/** Null before the first run. */
export function uptimeAt({ first, days }: Minutes, at: number): Uptime | null {
  const now = Math.floor(at / MINUTE);
  const firstDay = Math.floor(now / MINUTES_PER_DAY) - DAYS + 1;
  const minutes = now - Math.max(first, firstDay * MINUTES_PER_DAY) + 1;
  if (minutes < 1) return null;
  const runs = days.reduce((sum, { day, count }) => (day >= firstDay ? sum + count : sum), 0);
  return {
    percent: Math.floor(Math.min(1, runs / minutes) * 10_000) / 100,
    days: Math.ceil(minutes / MINUTES_PER_DAY),
  };
}
