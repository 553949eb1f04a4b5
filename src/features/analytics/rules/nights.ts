import { DAY, HOUR } from "../../../core/time.ts";

/** Source: spec, "Collection schedule". */
const BEGINS_MS = 3 * HOUR;
/** Posts read on all nights but Sundays. Source: spec, "Collection schedule". */
const RECENT_POSTS = 40;
const ALL_POSTS = 1_000;
const SUNDAY = 0;

export const nightOf = (now: Date): string =>
  new Date(now.getTime() - BEGINS_MS).toISOString().slice(0, "2026-11-23".length);

/** Marks a collection that a person requested. */
const ASKED = "asked ";

export const askedAt = (now: Date): string => ASKED + now.toISOString();

const isAsked = (collection: string): boolean => collection.startsWith(ASKED);

export function postsOfCollection(collection: string): number {
  const isAll = isAsked(collection) || new Date(collection).getUTCDay() === SUNDAY;
  return isAll ? ALL_POSTS : RECENT_POSTS;
}

/** Posts published here to match with the posts read: up to three times as many. */
export const ownPostsOfCollection = (collection: string): number =>
  Math.min(ALL_POSTS, 3 * postsOfCollection(collection));

export function isOver(collection: string, now: Date): boolean {
  if (!isAsked(collection)) return collection < nightOf(now);
  return Date.parse(collection.slice(ASKED.length)) < now.getTime() - DAY;
}
