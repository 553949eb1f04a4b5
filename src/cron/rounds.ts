import { HOUR, MINUTE } from "../core/time.ts";

/** A chore runs once in each round. */
export interface Rhythm {
  /** Names the round at `now`. Cron ticks work on a round until it is done, also after an instance slept. */
  roundAt(now: Date): string;
  pagesPerTick: number;
  /** When false, the next round begins anew, even if this one is unfinished. */
  isContinued: boolean;
}

/** Time of day in UTC. Source: spec, "Analytics". */
const NIGHT_BEGINS_MS = 3 * HOUR;

export const NIGHTLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - NIGHT_BEGINS_MS).toISOString().slice(0, "2026-11-20".length),
  pagesPerTick: 1,
  isContinued: false,
};

const NIGHT_LASTS_MS = 3 * HOUR;

/** For a chore that may take longer than a day. */
export const NIGHTLY_CONTINUED: Rhythm = { ...NIGHTLY, isContinued: true };

/** For chores that send queue messages. The morning round makes up for messages lost at night. */
export const NIGHT_AND_MORNING: Rhythm = {
  ...NIGHTLY,
  roundAt: (now) => {
    const night = NIGHTLY.roundAt(now);
    const isNight = NIGHTLY.roundAt(new Date(now.getTime() - NIGHT_LASTS_MS)) !== night;
    return isNight ? night : `${night} morning`;
  },
};

/** For chores of which each page is one short SQL statement. */
export const NIGHTLY_SLICES: Rhythm = { ...NIGHTLY, pagesPerTick: 10 };

/** Hourly chores begin off the full hour, when most posts are due. */
const HOUR_BEGINS_MS = 17 * MINUTE;

export const HOURLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - HOUR_BEGINS_MS).toISOString().slice(0, "2026-11-20T14".length),
  pagesPerTick: 5,
  isContinued: true,
};

/** For chores of which one page takes a whole cron tick. */
export const HOURLY_PAGE: Rhythm = { ...HOURLY, pagesPerTick: 1 };

/** Chores pause when most posts are due. */
export const isHourTurning = (now: Date): boolean => [59, 0, 1].includes(now.getUTCMinutes());

export const roundsAt = (now: Date): string =>
  [NIGHT_AND_MORNING, HOURLY].map((rhythm) => rhythm.roundAt(now)).join(" ");
