import type { Place } from "./repo/places.ts";

/** Longest time for which a stored reading sends visitors, ms. Source: the owner's bar for edits. */
const KEPT_MS = 1_000;
/** A link that is visited again within this time is kept, ms. */
const HOT_MS = 1_000;
/** Age at which one visit reads the link again while the others use the stored reading, ms. */
const FRESH_MS = 700;
/** Age from which hot links are read again together with one that has to be, ms. */
const GATHER_MS = 300;
/** Links of one such read. */
const MAX_TOGETHER = 200;
/** Most characters of rows kept at a time; beyond it everything is forgotten. */
const MAX_CHARACTERS = 4_000_000;
/** Places that are watched or kept at a time. */
const MAX_PLACES = 5_000;

interface Entry<T> {
  place: Place;
  /** The newest visit, ms, and whether it was soon after the one before. */
  visitedAt: number;
  isHot: boolean;
  kept: { value: T; characters: number; readAt: number } | null;
  /** When a visit began to read it anew, ms; a read that takes longer than a second is given up. */
  refreshedAt: number | null;
}

/** Returns true for two instants that are near each other: the clock of development can be moved back. */
const isWithin = (ms: number, a: number, b: number): boolean => Math.abs(a - b) <= ms;

const isUnderWay = (startedAt: number | null, now: number): boolean =>
  startedAt !== null && isWithin(KEPT_MS, now, startedAt);

/**
 * The links that are asked for again and again, kept in the isolate for a second at most. A change that this
 * isolate makes is seen at once: `forget` also keeps out what was being read before.
 */
export class HotLinks<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private characters = 0;
  private generation = 0;

  /** Returns what is kept of a place; `mustRefresh` asks this one visit to read anew what `takeStale` answers. */
  find(key: string, place: Place, now: number): { value: T; mustRefresh: boolean } | null {
    const { kept, refreshedAt } = this.visit(key, place, now);
    if (kept === null || !isWithin(KEPT_MS, now, kept.readAt)) return null;
    const mustRefresh = !isWithin(FRESH_MS, now, kept.readAt) && !isUnderWay(refreshedAt, now);
    return { value: kept.value, mustRefresh };
  }

  /** Returns the places of hot links that are to be read anew, one call for all: no other visit reads them. */
  takeStale(now: number): Place[] {
    const places: Place[] = [];
    for (const entry of this.entries.values()) {
      const { kept, visitedAt, refreshedAt, place } = entry;
      if (kept === null || visitedAt < kept.readAt || isUnderWay(refreshedAt, now)) continue;
      if (isWithin(GATHER_MS, now, kept.readAt)) continue;
      entry.refreshedAt = now;
      if (places.push(place) === MAX_TOGETHER) break;
    }
    return places;
  }

  /** Marks the beginning of a read: its result is kept only if nothing was forgotten in between. */
  beginRead(): number {
    return this.generation;
  }

  /** Keeps what was read, if the place is hot. */
  keep(
    key: string,
    {
      value,
      characters,
      readAt,
      begun,
    }: { value: T; characters: number; readAt: number; begun: number },
  ): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    entry.refreshedAt = null;
    if (begun !== this.generation) return;
    this.drop(entry);
    if (!entry.isHot) return;
    if (this.characters + characters > MAX_CHARACTERS) this.clear();
    entry.kept = { value, characters, readAt };
    this.characters += characters;
    this.entries.set(key, entry);
  }

  /** Forgets a place that was changed. */
  forget(key: string): void {
    this.generation++;
    const entry = this.entries.get(key);
    if (entry) this.drop(entry);
  }

  /** Forgets all. */
  forgetAll(): void {
    this.generation++;
    this.clear();
  }

  private visit(key: string, place: Place, now: number): Entry<T> {
    const known = this.entries.get(key);
    if (known) {
      known.isHot = isWithin(HOT_MS, now, known.visitedAt);
      known.visitedAt = now;
      return known;
    }
    if (this.entries.size >= MAX_PLACES) this.clear();
    const entry: Entry<T> = { place, visitedAt: now, isHot: false, kept: null, refreshedAt: null };
    this.entries.set(key, entry);
    return entry;
  }

  private drop(entry: Entry<T>): void {
    this.characters -= entry.kept?.characters ?? 0;
    entry.kept = null;
  }

  private clear(): void {
    this.entries.clear();
    this.characters = 0;
  }
}

export const keyOf = ({ host, slug }: Place): string => `${host ?? ""}/${slug}`;
