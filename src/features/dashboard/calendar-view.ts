import { isPlatform } from "../../core/platforms.ts";
import { isBrokenText } from "../../core/text.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { addDays, type LocalDay, weekdayOf } from "../../core/zone.ts";
import { type CalendarFilter, readDay } from "../calendar/rules.ts";

export type Period = "month" | "week" | "day";

export const FILTERS = ["account", "platform", "tag", "status"] as const;

/** Unset fields are empty. */
export type FilterFields = Record<(typeof FILTERS)[number], string>;

export interface CalendarView {
  period: Period;
  /** The day, the week's Monday, or the first of the month. */
  start: LocalDay;
  /** Begins and ends with a whole week, unless the period is a day. */
  from: LocalDay;
  /** Not included. */
  to: LocalDay;
  fields: FilterFields;
  /** False when the address names no period. */
  isChosen: boolean;
}

const mondayOf = (day: LocalDay): LocalDay => addDays(day, -((weekdayOf(day) + 6) % 7));

const monthOf = (day: LocalDay): LocalDay => `${day.slice(0, 7)}-01`;

const nextMonth = (first: LocalDay): LocalDay => monthOf(addDays(first, 31));

function spanOf(period: Period, day: LocalDay): Pick<CalendarView, "start" | "from" | "to"> {
  if (period === "day") return { start: day, from: day, to: addDays(day, 1) };
  const monday = mondayOf(day);
  if (period === "week") return { start: monday, from: monday, to: addDays(monday, 7) };
  const start = monthOf(day);
  const lastMonday = mondayOf(addDays(nextMonth(start), -1));
  return { start, from: mondayOf(start), to: addDays(lastMonday, 7) };
}

export const viewOf = (period: Period, day: LocalDay, fields: FilterFields): CalendarView => ({
  period,
  ...spanOf(period, day),
  fields,
  isChosen: true,
});

/** Years in which every day of a view has four digits of a year. */
const isInReach = (day: LocalDay): boolean => day >= "1970-02-01" && day < "9999-11-01";

const MAX_CHARACTERS = 100;

const isShort = (text: string): boolean => text.length <= MAX_CHARACTERS && !isBrokenText(text);

/** Reports and ignores invalid values. */
export function readView(
  query: Record<string, string>,
  today: LocalDay,
): { view: CalendarView; mistakes: string[] } {
  const mistakes: string[] = [];
  const field = (name: string) => (query[name] ?? "").trim();
  const take = (name: keyof FilterFields, isGood: (text: string) => boolean, mistake: string) => {
    const text = field(name);
    if (text === "" || isGood(text)) return text;
    mistakes.push(mistake);
    return "";
  };
  const fields: FilterFields = {
    account: take("account", isShort, "There is no such account."),
    platform: take("platform", isPlatform, "There is no such platform."),
    tag: take("tag", isShort, "There is no such tag."),
    status: take(
      "status",
      (text) => UPLOAD_STATUSES.some((one) => one === text),
      "There is no such state.",
    ),
  };
  const periods: [Period, example: string, day: (text: string) => string][] = [
    ["day", "2026-11-24", (text) => text],
    ["week", "2026-11-23", (text) => text],
    ["month", "2026-11", (text) => `${text}-01`],
  ];
  for (const [period, example, toText] of periods) {
    if (field(period) === "") continue;
    const day = readDay(toText(field(period)));
    if (day && isInReach(day)) return { view: viewOf(period, day, fields), mistakes };
    mistakes.push(`Write the ${period} as ${example}.`);
  }
  return { view: { ...viewOf("month", today, fields), isChosen: false }, mistakes };
}

/** `path` is below /app/calendar. */
export function addressOf({ period, start, fields }: CalendarView, path = ""): string {
  const params = new URLSearchParams({ [period]: period === "month" ? start.slice(0, 7) : start });
  for (const name of FILTERS) if (fields[name] !== "") params.set(name, fields[name]);
  return `/app/calendar${path}?${params}`;
}

export function neighbours({ period, start, fields }: CalendarView) {
  const beside = (day: LocalDay) => viewOf(period, day, fields);
  if (period === "month") {
    return { before: beside(addDays(start, -1)), after: beside(nextMonth(start)) };
  }
  const days = period === "week" ? 7 : 1;
  return { before: beside(addDays(start, -days)), after: beside(addDays(start, days)) };
}

export const filterOf = ({ from, to, fields }: CalendarView): CalendarFilter => ({
  from: { day: from },
  to: { day: to },
  accountId: fields.account || undefined,
  platform: isPlatform(fields.platform) ? fields.platform : undefined,
  tag: fields.tag || undefined,
  status: UPLOAD_STATUSES.find((one) => one === fields.status),
});

const dayNames = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day: LocalDay): string => format.format(new Date(`${day}T00:00:00Z`));
};

export const dayName = dayNames({ weekday: "short", day: "numeric", month: "short" });
const longDay = dayNames({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const monthName = dayNames({ month: "long", year: "numeric" });
const shortDay = dayNames({ day: "numeric", month: "short", year: "numeric" });

export function nameOf({ period, start }: CalendarView): string {
  if (period === "month") return monthName(start);
  if (period === "day") return longDay(start);
  return `${shortDay(start)} – ${shortDay(addDays(start, 6))}`;
}
