import { DAY } from "../../core/time.ts";
import { type DayNumber, dayOf } from "../analytics/rules/days.ts";
import { readDay } from "../calendar/rules.ts";

/** Spec is silent. */
export const MAX_REPORTS = 50;
export const MAX_TITLE = 100;
export const MAX_OPEN_DAYS = 365;
export const DEFAULT_OPEN_DAYS = 30;
export const DEFAULT_DAYS = 30;

/** Older days are only kept by month. */
const MAX_AGE_DAYS = 2 * 365;

export function toDayNumber(text: string): DayNumber | null {
  const day = readDay(text);
  return day === null ? null : Date.parse(`${day}T00:00:00Z`) / DAY;
}

export function lastDayRefusal(day: DayNumber, now: Date): string | null {
  const today = dayOf(now.getTime());
  if (day >= today) return "must be a day that is over, by UTC";
  return day < today - MAX_AGE_DAYS ? "must be a day of the last two years" : null;
}
