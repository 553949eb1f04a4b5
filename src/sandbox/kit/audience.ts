import { DAY, HOUR } from "../../core/time.ts";

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
const FEWEST_VIEWS = 80;
/** The best post of many has so many times the views of the worst. */
const SPREAD = 100;
/** Part of the first days' views that comes again in a year. */
const LATE_SHARE = 0.3;

/**
 * Makes up the reactions to a post: they rise with its age, fast at first, and are the same whoever asks, so
 * that counters never shrink.
 *
 * @param key the platform and the post's id
 * @param createdAt in ms, as `at`
 */
export function reactionsTo(key: string, createdAt: number, at: number): Reactions {
  const age = Math.max(0, at - createdAt);
  const size = FEWEST_VIEWS * SPREAD ** shareOf(`size ${key}`);
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

/** Makes up how many follow an account: more every few hours. @param key the platform and its name */
export function followersOf(key: string, at: number): number {
  const start = Math.floor(50 * 100 ** shareOf(`followers ${key}`));
  const perDay = 1 + 20 * shareOf(`growth ${key}`);
  return start + Math.floor((Math.max(0, at - BEGINNING) / (24 * HOUR)) * perDay);
}
