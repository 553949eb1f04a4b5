import { DAY, HOUR } from "../../../core/time.ts";

/** Source: spec, "Collection schedule". */
const BEGINS_MS = 3 * HOUR;
/** Posts that are read of an account each night, and on Sundays. Source: the same. */
const RECENT_POSTS = 40;
const ALL_POSTS = 1_000;
const SUNDAY = 0;

/** The night that began last, by the date on which it did. */
export const nightOf = (now: Date): string =>
  new Date(now.getTime() - BEGINS_MS).toISOString().slice(0, "2026-11-23".length);

/** Begins the name of a collection that somebody asked for. */
const ASKED = "asked ";

export const askedAt = (now: Date): string => ASKED + now.toISOString();

const isAsked = (collection: string): boolean => collection.startsWith(ASKED);

/** Posts that a collection reads. */
export function postsOfCollection(collection: string): number {
  const isAll = isAsked(collection) || new Date(collection).getUTCDay() === SUNDAY;
  return isAll ? ALL_POSTS : RECENT_POSTS;
}

/** Posts of ours that may be among those: the newest ones, some more than are read. */
export const ownPostsOfCollection = (collection: string): number =>
  Math.min(ALL_POSTS, 3 * postsOfCollection(collection));

/** Returns true for a collection that a later one makes up for. */
export function isOver(collection: string, now: Date): boolean {
  if (!isAsked(collection)) return collection < nightOf(now);
  return Date.parse(collection.slice(ASKED.length)) < now.getTime() - DAY;
}
