import { DAY, MINUTE } from "../../core/time.ts";
import {
  addDays,
  type LocalDay,
  weekdayOf,
  type ZoneClock,
  type ZoneRule,
} from "../../core/zone.ts";

/** Spec is silent on maximums. */
export const MAX_POOLS = 100;
export const MAX_SLOTS = 50;
export const MAX_QUEUED = 1_000;

/** A later firing is recorded as missed: no burst of posts follows an outage. Spec is silent. */
export const CATCH_UP_MS = 15 * MINUTE;
/** Days of missed firings that one tick records for a slot. */
const MAX_MISSED_DAYS = 31;
export const FIRING_WAIT_MS = DAY;

export interface Recurrence {
  /** Local time, as HH:MM. */
  time: string;
  /** 0 is Sunday. */
  days: readonly number[];
}

export interface Firing {
  /** Epoch ms. */
  at: number;
  /** `at` is on the next day when a clock change skips the hour before midnight. */
  day: LocalDay;
  rule: ZoneRule | null;
}

/** Over a week: a zone may skip a day at the date line. */
const DAYS_LOOKED_AT = 16;

/** A slot fires once per local day, so the result is later than `lastDay`. */
export function nextFiring(
  clock: ZoneClock,
  { time, days }: Recurrence,
  { after, lastDay }: { after: number; lastDay: LocalDay | null },
): Firing | null {
  // A firing in a skipped hour before midnight belongs to the day before.
  const earliest = addDays(clock.dayAt(after), -1);
  const first = lastDay !== null && lastDay >= earliest ? addDays(lastDay, 1) : earliest;
  for (let i = 0; i < DAYS_LOOKED_AT; i++) {
    const day = addDays(first, i);
    if (!days.includes(weekdayOf(day))) continue;
    const { at, rule } = clock.instantOf(day, time);
    if (at > after) return { at, day, rule };
  }
  return null;
}

/** Oldest first; excludes `after`, includes `until`. */
export function firingsBetween(
  clock: ZoneClock,
  recurrence: Recurrence,
  { after, until, lastDay }: { after: number; until: number; lastDay: LocalDay | null },
): Firing[] {
  const firings: Firing[] = [];
  let next = nextFiring(clock, recurrence, { after, lastDay });
  while (next && next.at <= until) {
    firings.push(next);
    next = nextFiring(clock, recurrence, { after: next.at, lastDay: next.day });
  }
  return firings;
}

interface DueFirings {
  firings: (Pick<Firing, "at" | "day"> & { isMissed: boolean })[];
  next: Firing | null;
}

/** Firings older than CATCH_UP_MS are missed; at most one newer firing is due. */
export function dueFirings(
  clock: ZoneClock,
  recurrence: Recurrence,
  due: Pick<Firing, "at" | "day">,
  now: number,
): DueFirings {
  const isMissed = (at: number) => now - at > CATCH_UP_MS;
  const after = Math.max(due.at, now - MAX_MISSED_DAYS * DAY);
  const later = firingsBetween(clock, recurrence, { after, until: now, lastDay: due.day });
  const firings = [due, ...later].map(({ at, day }) => ({ at, day, isMissed: isMissed(at) }));
  const last = firings.at(-1) ?? due;
  const next = nextFiring(clock, recurrence, { after: now, lastDay: last.day });
  return { firings, next };
}

export interface SlotTimes {
  nextAt: Date | null;
  nextDay: LocalDay | null;
  lastAt: Date | null;
  lastDay: LocalDay | null;
}

/** When a changed slot fires next. A due firing is still carried out. */
export function rescheduled(
  clock: ZoneClock,
  recurrence: Recurrence,
  { nextAt, nextDay, lastAt, lastDay }: SlotTimes,
  { now, isNewZone }: { now: Date; isNewZone: boolean },
): SlotTimes {
  const last = isNewZone && lastAt ? clock.dayAt(lastAt.getTime()) : lastDay;
  if (nextAt && nextAt <= now) {
    const day = isNewZone ? clock.dayAt(nextAt.getTime()) : nextDay;
    return { nextAt, nextDay: day, lastAt, lastDay: last };
  }
  const next = nextFiring(clock, recurrence, { after: now.getTime(), lastDay: last });
  return {
    nextAt: next && new Date(next.at),
    nextDay: next?.day ?? null,
    lastAt,
    lastDay: last,
  };
}

export const toHundredths = (value: number): number => Math.round(value * 100) / 100;

export const slotsPerDay = (slots: readonly Pick<Recurrence, "days">[]): number =>
  slots.reduce((sum, { days }) => sum + days.length, 0) / 7;
