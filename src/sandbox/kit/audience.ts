import { DAY, MINUTE } from "../../core/time.ts";

/** The reactions of people to a simulated post. */
export interface Reactions {
  views: number;
  likes: number;
  comments: number;
  shares: number;
}

const MULTIPLIER = 0x01000193;
const OFFSET = 0x811c9dc5;

/** A share of 1 that is always the same for the same text. Source: FNV-1a, mixed once more. */
function shareOf(text: string): number {
  let hash = OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** Time in which a post gets most of its views. */
const FRESH_MS = 2 * DAY;
const FEWEST_VIEWS = 150;
/** The best post of many at one hour has so many times the views of the worst. */
const SPREAD = 12;
/** Part of the first days' views that comes again in a year. */
const LATE_SHARE = 0.3;

/** An account read twice within one minute shows the same figures. */
const wholeMinutes = (ms: number): number => Math.floor(ms / MINUTE) * MINUTE;

/** How many people look at posts of a weekday, Sunday first, next to a usual day. */
const WEEKDAYS = [0.7, 0.9, 1.1, 1.3, 1.2, 0.9, 0.75];
/** UTC hours after which most people look, and how many more than at night. */
const BUSY_HOURS = [
  { hour: 11.5, more: 0.8 },
  { hour: 18, more: 1.4 },
];
/** Width of such a time, in hours. */
const BUSY_WIDTH = 2;
const QUIET = 0.4;

/** How many people look at a post that comes at this moment, next to a usual one. */
function attentionAt(ms: number): number {
  const at = new Date(ms);
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
  const busy = BUSY_HOURS.reduce((sum, { hour: top, more }) => {
    const away = Math.min(Math.abs(hour - top), 24 - Math.abs(hour - top));
    return sum + more * Math.exp(-((away / BUSY_WIDTH) ** 2));
  }, QUIET);
  return busy * (WEEKDAYS[at.getUTCDay()] ?? 1);
}

/**
 * Makes up the reactions to a post: they rise with its age, fast at first, and are the same whoever asks, so
 * that counters never shrink.
 *
 * @param key the platform, the account's id and the text: the same post again is met the same way
 * @param createdAt in ms, as `at`; how many ever see it depends on its weekday and hour
 */
export function reactionsTo(key: string, createdAt: number, at: number): Reactions {
  const age = Math.max(0, wholeMinutes(at) - wholeMinutes(createdAt));
  const size = FEWEST_VIEWS * SPREAD ** shareOf(`size ${key}`) * attentionAt(createdAt);
  const grown = 1 - Math.exp(-age / FRESH_MS) + (LATE_SHARE * age) / (365 * DAY);
  const views = Math.floor(size * grown);
  const of = (name: string, least: number, most: number) =>
    Math.floor(views * (least + (most - least) * shareOf(`${name} ${key}`)));
  return {
    views,
    likes: of("likes", 0.02, 0.1),
    comments: of("comments", 0.001, 0.02),
    shares: of("shares", 0.001, 0.03),
  };
}

/** A day before any simulated account was made. */
const BEGINNING = Date.UTC(2025, 0, 1);

/** Good and bad weeks: days of one after the other, and how far they are ahead or behind. */
const WAVE = { days: 45, reach: 5 };

/**
 * Makes up how many follow an account: more every few hours, in some weeks faster than in others.
 *
 * @param key the platform and the account's id
 */
export function followersOf(key: string, at: number): number {
  const start = Math.floor(50 * 100 ** shareOf(`followers ${key}`));
  const perDay = 1 + 20 * shareOf(`growth ${key}`);
  const days = Math.max(0, wholeMinutes(at) - BEGINNING) / DAY;
  const turn = 2 * Math.PI * (days / WAVE.days + shareOf(`wave ${key}`));
  const ahead = WAVE.reach * (Math.sin(turn) + 1);
  return start + Math.floor((days + ahead) * perDay);
}
