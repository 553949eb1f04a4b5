import { HOUR, MINUTE } from "../core/time.ts";

/** How often a chore is done: once in each of its rounds. */
export interface Rhythm {
  /**
   * Name of the round that began last, by `now`. Until it is done each tick works for it: what a sleeping
   * instance has missed is made up for when it wakes.
   */
  roundAt(now: Date): string;
  pagesPerTick: number;
  /** Returns true for a round that ran out of time to be finished by the next; else that begins anew. */
  isContinued: boolean;
}

/** Hour of the day, UTC, at which the work of the night begins. Source: spec, "Analytics". */
const NIGHT_BEGINS_MS = 3 * HOUR;

export const NIGHTLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - NIGHT_BEGINS_MS).toISOString().slice(0, "2026-11-20".length),
  pagesPerTick: 1,
  isContinued: false,
};

/** Time in which the work of a night that goes by messages is done. */
const NIGHT_LASTS_MS = 3 * HOUR;

/** For work that goes by messages: in the morning those are made up for that were lost. */
export const NIGHT_AND_MORNING: Rhythm = {
  ...NIGHTLY,
  roundAt: (now) => {
    const night = NIGHTLY.roundAt(now);
    const isNight = NIGHTLY.roundAt(new Date(now.getTime() - NIGHT_LASTS_MS)) !== night;
    return isNight ? night : `${night} morning`;
  },
};

/** For chores whose pages are one short statement each. */
export const NIGHTLY_SLICES: Rhythm = { ...NIGHTLY, pagesPerTick: 10 };

/** Minute of the hour at which its work begins: off the full hour, when most posts are due. */
const HOUR_BEGINS_MS = 17 * MINUTE;

export const HOURLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - HOUR_BEGINS_MS).toISOString().slice(0, "2026-11-20T14".length),
  pagesPerTick: 5,
  isContinued: true,
};

/** For chores whose page is as much as one tick can spare. */
export const HOURLY_PAGE: Rhythm = { ...HOURLY, pagesPerTick: 1 };

/** Around the full hour a round that has begun rests, or a long one would meet the posts of each. */
export const rests = (now: Date): boolean => [59, 0, 1].includes(now.getUTCMinutes());

/** The rounds of all rhythms that began last, as one text. */
export const roundsAt = (now: Date): string =>
  [NIGHT_AND_MORNING, HOURLY].map((rhythm) => rhythm.roundAt(now)).join(" ");
