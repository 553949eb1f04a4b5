import { HOUR, MINUTE } from "../core/time.ts";

/** A chore runs once in each round. */
export interface Rhythm {
  /** Names the round at `now`. Ticks work on a round until it is done, also after an instance slept. */
  roundAt(now: Date): string;
  pagesPerTick: number;
  /** False: the next round begins anew, even when this one is unfinished. */
  isContinued: boolean;
}

/** UTC. Source: spec, "Analytics". */
const NIGHT_BEGINS_MS = 3 * HOUR;

export const NIGHTLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - NIGHT_BEGINS_MS).toISOString().slice(0, "2026-11-20".length),
  pagesPerTick: 1,
  isContinued: false,
};

const NIGHT_LASTS_MS = 3 * HOUR;

/** For work by queue messages: the morning makes up for messages lost at night. */
export const NIGHT_AND_MORNING: Rhythm = {
  ...NIGHTLY,
  roundAt: (now) => {
    const night = NIGHTLY.roundAt(now);
    const isNight = NIGHTLY.roundAt(new Date(now.getTime() - NIGHT_LASTS_MS)) !== night;
    return isNight ? night : `${night} morning`;
  },
};

/** For chores whose pages are one short statement. */
export const NIGHTLY_SLICES: Rhythm = { ...NIGHTLY, pagesPerTick: 10 };

/** Hourly chores begin off the full hour, when most posts are due. */
const HOUR_BEGINS_MS = 17 * MINUTE;

export const HOURLY: Rhythm = {
  roundAt: (now) =>
    new Date(now.getTime() - HOUR_BEGINS_MS).toISOString().slice(0, "2026-11-20T14".length),
  pagesPerTick: 5,
  isContinued: true,
};

/** For chores whose page fills a tick. */
export const HOURLY_PAGE: Rhythm = { ...HOURLY, pagesPerTick: 1 };

/** Chores pause when most posts are due. */
export const rests = (now: Date): boolean => [59, 0, 1].includes(now.getUTCMinutes());

export const roundsAt = (now: Date): string =>
  [NIGHT_AND_MORNING, HOURLY].map((rhythm) => rhythm.roundAt(now)).join(" ");
