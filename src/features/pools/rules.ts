import { DAY, MINUTE } from "../../core/time.ts";
import {
  addDays,
  type LocalDay,
  weekdayOf,
  type ZoneClock,
  type ZoneRule,
} from "../../core/zone.ts";

/** Bounds of a team's pools. Spec is silent. */
export const MAX_POOLS = 100;
export const MAX_SLOTS = 50;
export const MAX_QUEUED = 1_000;

/** A firing that is later than this is recorded as missed. Spec is silent: an outage ends in no burst of posts. */
export const CATCH_UP_MS = 15 * MINUTE;
/** Missed firings of a slot that one tick records, the latest of them. */
const MAX_MISSED_DAYS = 31;
/** A firing whose posts could not be made for this long is given up. */
export const FIRING_WAIT_MS = DAY;

/** The times at which a slot fires. */
export interface Recurrence {
  /** HH:MM on the wall. */
  time: string;
  /** 0 is Sunday. */
  days: readonly number[];
}

export interface Firing {
  /** Epoch ms. */
  at: number;
  /** The local day that it is for. A skipped hour before midnight may put it on the next. */
  day: LocalDay;
  rule: ZoneRule | null;
}

/** A week holds each weekday; the rest is for a day that a zone left out when it crossed the date line. */
const DAYS_LOOKED_AT = 16;

/**
 * Returns the first firing after an instant, for a local day after `lastDay`: a slot never fires twice for one,
 * however it was changed in between.
 */
export function nextFiring(
  clock: ZoneClock,
  { time, days }: Recurrence,
  { after, lastDay }: { after: number; lastDay: LocalDay | null },
): Firing | null {
  // An hour that was skipped before midnight belongs to the day before.
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

/** Returns the firings after one instant up to and with another, oldest first. */
export function firingsBetween(
  clock: ZoneClock,
  recurrence: Recurrence,
  { after, until, lastDay }: { after: number; until: number; lastDay: LocalDay | null },
): Firing[] {
  const found: Firing[] = [];
  let next = nextFiring(clock, recurrence, { after, lastDay });
  while (next && next.at <= until) {
    found.push(next);
    next = nextFiring(clock, recurrence, { after: next.at, lastDay: next.day });
  }
  return found;
}

/** The firings of a slot that are due, and the next one. */
interface DueFirings {
  firings: (Pick<Firing, "at" | "day"> & { isMissed: boolean })[];
  next: Firing | null;
}

/**
 * Returns the firings of a slot that are due at `now`: those over the catch-up are missed, and of the others
 * there is one at most, since a slot fires once a day.
 */
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

/** A slot's last firing and its next, as they are stored. */
export interface SlotTimes {
  nextAt: Date | null;
  nextDay: LocalDay | null;
  lastAt: Date | null;
  lastDay: LocalDay | null;
}

/**
 * Returns when a slot that was changed at `now` fires next. A firing that is due already is still carried out;
 * the day of the last one is read by the clock of the new zone where that was changed.
 */
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

/** Rounds to two decimals, as figures of a pool are shown. */
export const toHundredths = (value: number): number => Math.round(value * 100) / 100;

/** Returns how many times a day the slots fire, on the average of a week. */
export const slotsPerDay = (slots: readonly Pick<Recurrence, "days">[]): number =>
  slots.reduce((sum, { days }) => sum + days.length, 0) / 7;
