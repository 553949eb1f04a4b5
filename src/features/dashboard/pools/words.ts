import { formatOffset, type LocalDay } from "../../../core/zone.ts";
import { platformName } from "../../../platforms/registry.ts";
import type { AccountRow } from "../../accounts/table.ts";
import type { ClockChange, Outlook } from "../../pools/pages.ts";

/** Monday first. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;

export const DAY_NAMES = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

const shortDay = (day: number): string => (DAY_NAMES[day] ?? "").slice(0, 3);

/** "Mon–Fri, Sun" for [0, 1, 2, 3, 4, 5]. */
export function daysInWords(days: readonly number[]): string {
  if (days.length === WEEK.length) return "Every day";
  const runs: number[][] = [];
  WEEK.forEach((day, i) => {
    if (!days.includes(day)) return;
    const run = runs.at(-1);
    if (run && run.at(-1) === WEEK[i - 1]) run.push(day);
    else runs.push([day]);
  });
  return runs
    .map((run) => {
      const [first = 0, last = 0] = [run[0], run.at(-1)];
      if (run.length < 3) return run.map(shortDay).join(", ");
      return `${shortDay(first)}–${shortDay(last)}`;
    })
    .join(", ");
}

/** A local day such as "14 December", with the year when it is another. */
export function dayInWords(day: LocalDay, today: LocalDay): string {
  const isSameYear = day.slice(0, 4) === today.slice(0, 4);
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    ...(isSameYear ? {} : { year: "numeric" }),
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));
}

export const weekdayInWords = (day: LocalDay): string =>
  DAY_NAMES[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? "";

export function outlookInWords(outlook: Outlook, dayOf: (at: number) => string): string {
  switch (outlook.kind) {
    case "off":
      return "Switched off: nothing goes out.";
    case "no-slots":
      return "No slots: nothing goes out until you add one.";
    case "empty":
      return "Nothing is queued.";
    case "waits":
      return "The next slot finds nothing: every item waits until it may go again.";
    case "long":
      return "Lasts more than a year.";
    case "unknown":
      return "Open the pool to see how long it lasts.";
    case "until":
      return `Lasts until about ${dayOf(outlook.until)}.`;
  }
}

export function changeInWords({ day, from, to }: ClockChange, today: LocalDay): string {
  const way = to > from ? "forward" : "back";
  return `The clocks go ${way} on ${weekdayInWords(day)} ${dayInWords(day, today)}, from ${from} to ${to}. Slots keep their times of day.`;
}

/** What a slot does on a day when its time does not exist, or exists twice. */
export function ruleInWords(
  { rule, wallTime }: { rule: "skipped_hour" | "repeated_hour" | null; wallTime: string },
  time: string | null,
): string | null {
  if (rule === null) return null;
  const at = wallTime.slice(11);
  if (rule === "repeated_hour") {
    return `The clocks change: ${at} comes twice, and it goes the first time.`;
  }
  return `The clocks change: ${time ?? "its time"} does not exist, so it goes at ${at}.`;
}

export const accountLabel = ({ accountName, platform }: AccountRow): string =>
  `${accountName} on ${platformName(platform)}`;

export const shortAccountLabel = ({ accountName, platform }: AccountRow): string =>
  `${accountName} (${platformName(platform)})`;

export const zoneInWords = (zone: string, offset: number): string =>
  zone === "UTC" ? "UTC" : `${zone} (UTC${formatOffset(offset)})`;

export const itemCount = (count: number): string => (count === 1 ? "1 item" : `${count} items`);
