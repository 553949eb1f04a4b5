import { parseInstant } from "../../core/time.ts";
import type { ZoneClock } from "../../core/zone.ts";

export type DateOrder = "day_first" | "month_first";

/** `mixed`: some dates of the column can only be one, some only the other. */
export type ColumnOrder = DateOrder | "mixed" | null;

export type ReadDate = { at: Date; note: string | null } | { refusal: string };

/** 1.4.2026, 04/01/26 and the like. */
const SHORT_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?=[\sT,]|$)/;
const LONG_DATE = /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})(?=[\sT,]|$)/;
const TIME = /^[\sT,]+(\d{1,2})[:.-](\d{2})(?:[:.]\d{2}(?:\.\d+)?)?\s*(am|pm)?$/i;

const MAX_MONTH = 12;
const NOON = 12;
/** A year of two digits. */
const CENTURY = 2_000;

/** Looks at all dates of a column, because 4/5/2026 alone could be April or May. */
export function orderOf(dates: readonly string[], usual: DateOrder | null): ColumnOrder {
  const short = dates.flatMap((text) => SHORT_DATE.exec(text.trim()) ?? []);
  const groups = dates
    .map((text) => SHORT_DATE.exec(text.trim()))
    .filter((match) => match !== null);
  if (short.length === 0) return usual;
  const isMonth = (text: string | undefined) => Number(text) <= MAX_MONTH;
  const isDayFirst = groups.some(
    ([, first, mark, second]) => mark === "." || (!isMonth(first) && isMonth(second)),
  );
  const isMonthFirst = groups.some(
    ([, first, mark, second]) => mark !== "." && isMonth(first) && !isMonth(second),
  );
  if (isDayFirst && isMonthFirst) return "mixed";
  if (isDayFirst) return "day_first";
  return isMonthFirst ? "month_first" : usual;
}

const HOW = "Write it as 2026-12-01 18:00, or with an offset, as 2026-12-01T18:00:00+01:00.";

/** Without an offset, the date is in the zone of `clock`. */
export function readSheetDate(cell: string, clock: ZoneClock, order: ColumnOrder): ReadDate {
  const text = cell.trim();
  const instant = parseInstant(text);
  if (instant) return { at: instant, note: null };
  const day = readDay(text, order);
  if (typeof day === "object") return day;
  const rest = text.replace(SHORT_DATE, "").replace(LONG_DATE, "");
  if (rest.trim() === "") return { refusal: `"${text.slice(0, 40)}" has no time. ${HOW}` };
  const time = readTime(rest);
  if (!time) return { refusal: `"${text.slice(0, 40)}" is not a date that can be read. ${HOW}` };
  const { at, rule } = clock.instantOf(day, time);
  return { at: new Date(at), note: rule && clockNote(text, clock.zone, rule) };
}

function clockNote(text: string, zone: string, rule: "skipped_hour" | "repeated_hour"): string {
  return rule === "skipped_hour"
    ? `${text} does not exist in ${zone}, where the clocks go forward: the first minute after it is used.`
    : `${text} exists twice in ${zone}, where the clocks go back: the first is used.`;
}

function readDay(text: string, order: ColumnOrder): string | { refusal: string } {
  const long = LONG_DATE.exec(text);
  if (long) return toDay(text, Number(long[1]), Number(long[3]), Number(long[4]));
  const short = SHORT_DATE.exec(text);
  if (!short) return { refusal: `"${text.slice(0, 40)}" is not a date that can be read. ${HOW}` };
  const [, first, , second, yearText] = short;
  if (Number(first) > MAX_MONTH && Number(second) > MAX_MONTH) return doesNotExist(text);
  if (order === "mixed") {
    return {
      refusal: `"${text.slice(0, 40)}" could begin with the day or the month: the column has both. ${HOW}`,
    };
  }
  if (order === null) {
    return { refusal: `"${text.slice(0, 40)}" could begin with the day or the month. ${HOW}` };
  }
  const year = Number(yearText) + (yearText?.length === 2 ? CENTURY : 0);
  const [day, month] = order === "day_first" ? [first, second] : [second, first];
  return toDay(text, year, Number(month), Number(day));
}

function toDay(
  text: string,
  year: number,
  month: number,
  day: number,
): string | { refusal: string } {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, "2026-12-01".length) : doesNotExist(text);
}

const doesNotExist = (text: string): { refusal: string } => ({
  refusal: `"${text.slice(0, 40)}" does not exist. ${HOW}`,
});

/** HH:MM; null for what is not a time. */
function readTime(text: string): string | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [, hourText, minute, half] = match;
  const hour = Number(hourText);
  if (half && (hour < 1 || hour > NOON)) return null;
  const isAfternoon = half?.toLowerCase() === "pm";
  const hours = half ? (hour % NOON) + (isAfternoon ? NOON : 0) : hour;
  if (hours > 23 || Number(minute) > 59) return null;
  return `${String(hours).padStart(2, "0")}:${minute}`;
}
