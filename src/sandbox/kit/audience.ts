import { now } from "../../core/clock.ts";
import { DAY, MINUTE } from "../../core/time.ts";

export interface Reactions {
  views: number;
  likes: number;
  comments: number;
  shares: number;
}

const MULTIPLIER = 0x01000193;
const OFFSET = 0x811c9dc5;

/** From 0 to 1, always the same for a text. Source: FNV-1a, mixed once more. */
function shareOf(text: string): number {
  let hash = OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const FRESH_MS = 2 * DAY;
const FEWEST_VIEWS = 150;
/** At one hour, the best post gets this many times the worst one's views. */
const SPREAD = 12;
/** Each later year adds this share of the first days' views. */
const LATE_SHARE = 0.3;

const wholeMinutes = (ms: number): number => Math.floor(ms / MINUTE) * MINUTE;

const WEEKDAYS = [0.7, 0.9, 1.1, 1.3, 1.2, 0.9, 0.75];
/** Posts around these UTC hours get the most views; `more` is added to `QUIET`. */
const BUSY_HOURS = [
  { hour: 11.5, more: 0.8 },
  { hour: 18, more: 1.4 },
];
const BUSY_WIDTH = 2;
const QUIET = 0.4;

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
 * Reactions rise fast at first and never shrink.
 *
 * @param createdAt epoch ms, like `at`
 */
export function reactionsTo(key: string, createdAt: number, at = now().getTime()): Reactions {
  const age = Math.max(0, wholeMinutes(at) - wholeMinutes(createdAt));
  const size = FEWEST_VIEWS * SPREAD ** shareOf(`size ${key}`) * attentionAt(createdAt);
  const grown = 1 - Math.exp(-age / FRESH_MS) + (LATE_SHARE * age) / (365 * DAY);
  const views = Math.floor(size * grown);
  const of = (name: string, least: number, max: number) =>
    Math.floor(views * (least + (max - least) * shareOf(`${name} ${key}`)));
  return {
    views,
    likes: of("likes", 0.02, 0.1),
    comments: of("comments", 0.001, 0.02),
    shares: of("shares", 0.001, 0.03),
  };
}

const BEGINNING = Date.UTC(2025, 0, 1);

/** Followers grow in waves of 45 days, up to 5 days' growth from the average. */
const WAVE = { days: 45, reach: 5 };

export function followersOf(key: string, at = now().getTime()): number {
  const start = Math.floor(50 * 100 ** shareOf(`followers ${key}`));
  const perDay = 1 + 20 * shareOf(`growth ${key}`);
  const days = Math.max(0, wholeMinutes(at) - BEGINNING) / DAY;
  const turn = 2 * Math.PI * (days / WAVE.days + shareOf(`wave ${key}`));
  const ahead = WAVE.reach * (Math.sin(turn) + 1);
  return start + Math.floor((days + ahead) * perDay);
}
