import { DAY } from "./time.ts";
import { type LocalDay, ZoneClock } from "./zone.ts";

/** Times of day such as 22:00; `to` may be on the next day. */
export interface QuietHours {
  from: string;
  to: string;
  /** IANA zone. */
  timezone: string;
}

const nextDay = (day: LocalDay): LocalDay =>
  new Date(Date.parse(day) + DAY).toISOString().slice(0, day.length);

/** Returns the end of the quiet hours; null outside them. */
export function quietUntil({ from, to, timezone }: QuietHours, now: Date): Date | null {
  const clock = new ZoneClock(timezone);
  const at = now.getTime();
  const time = clock.wallTimeAt(at).slice("2026-12-01T".length);
  const isOvernight = from > to;
  const isQuiet = isOvernight ? time >= from || time < to : time >= from && time < to;
  if (!isQuiet) return null;
  const today = clock.dayAt(at);
  const end = clock.instantOf(isOvernight && time >= from ? nextDay(today) : today, to);
  // In an hour that the clocks repeat, the end has been already.
  return end.at > at ? new Date(end.at) : null;
}
