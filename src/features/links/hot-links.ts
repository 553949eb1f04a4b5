import type { Place } from "./repo/places.ts";

/** A link is kept once it is asked for this often within a second. Source: the owner's bar for edits. */
const HOT_READS = 3;
/** Longest time for which a stored reading sends visitors, ms. Source: the same. */
const KEPT_MS = 1_000;
/** Age at which one visit reads the link again while the others use the stored reading, ms. */
const FRESH_MS = 700;
/** Most characters of rows kept at a time; beyond it everything is forgotten. */
const MAX_CHARACTERS = 4_000_000;
/** Places that are counted or kept at a time. */
const MAX_PLACES = 5_000;

interface Entry<T> {
  /** Beginning of the second that is counted, ms, and the visits in it. */
  since: number;
  visits: number;
  kept: { value: T; characters: number; readAt: number } | null;
  isRefreshing: boolean;
}

/**
 * The links that are asked for again and again, kept in the isolate for less than a second. A change that this
 * isolate makes is seen at once: `forget` also keeps out what was being read before.
 */
export class HotLinks<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private characters = 0;
  private generation = 0;

  /** Returns what is kept of a place; `mustRefresh` asks this one visit to read it anew afterwards. */
  find(key: string, now: number): { value: T; mustRefresh: boolean } | null {
    const entry = this.visit(key, now);
    const { kept } = entry;
    // The clock of development can be moved back.
    if (kept === null || Math.abs(now - kept.readAt) > KEPT_MS) return null;
    const mustRefresh = !entry.isRefreshing && Math.abs(now - kept.readAt) > FRESH_MS;
    if (mustRefresh) entry.isRefreshing = true;
    return { value: kept.value, mustRefresh };
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
    entry.isRefreshing = false;
    if (begun !== this.generation) return;
    this.drop(entry);
    if (entry.visits < HOT_READS) return;
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

  private visit(key: string, now: number): Entry<T> {
    let entry = this.entries.get(key);
    if (!entry) {
      if (this.entries.size >= MAX_PLACES) this.clear();
      entry = { since: now, visits: 0, kept: null, isRefreshing: false };
      this.entries.set(key, entry);
    }
    if (Math.abs(now - entry.since) > KEPT_MS) {
      // A link that was hot in the second before counts as hot until this second shows otherwise.
      entry.visits =
        entry.visits >= HOT_READS && now - entry.since < 2 * KEPT_MS ? HOT_READS - 1 : 0;
      entry.since = now;
      entry.isRefreshing = false;
    }
    entry.visits++;
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
