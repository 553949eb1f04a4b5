import type { LinkAddress } from "../../core/link-address.ts";
import type { Target } from "./target.ts";

/** An edit takes effect within a second. */
const MAX_AGE_MS = 1_000;

/** Two visits within this many ms make a link hot. */
const HOT_MS = 1_000;

/** A visit refreshes a cached link older than this. */
const FRESH_MS = 700;

/** A cached link older than this is refreshed along with another. */
const GATHER_MS = 300;

const MAX_TOGETHER = 200;

/** Maximum characters of cached rows; a larger cache is cleared. */
const MAX_CHARACTERS = 4_000_000;

const MAX_PLACES = 5_000;

interface Kept<T> {
  value: T;
  characters: number;
  readAt: number;
}

interface Entry<T> {
  address: LinkAddress;
  /** Epoch ms. */
  visitedAt: number;
  isHot: boolean;
  kept: Kept<T> | null;
  /** Epoch ms; after a second, the refresh counts as failed. */
  refreshedAt: number | null;
}

/** A development clock can be moved back. */
const isWithin = (ms: number, a: number, b: number): boolean => Math.abs(a - b) <= ms;

const isUnderWay = (startedAt: number | null, now: number): boolean =>
  startedAt !== null && isWithin(MAX_AGE_MS, now, startedAt);

/**
 * Caches links for at most a second. `forget` also discards running reads, so that this isolate's changes show at once.
 */
export class HotLinks<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private characters = 0;
  private generation = 0;

  /** With `mustRefresh`, the caller must refresh the links that `takeStale` returns. */
  find(key: string, address: LinkAddress, now: number): { value: T; mustRefresh: boolean } | null {
    const { kept, refreshedAt } = this.visit(key, address, now);
    if (kept === null || !isWithin(MAX_AGE_MS, now, kept.readAt)) return null;
    const mustRefresh = !isWithin(FRESH_MS, now, kept.readAt) && !isUnderWay(refreshedAt, now);
    return { value: kept.value, mustRefresh };
  }

  /** Returns stale links, to be read again in one query. Only one caller gets each. */
  takeStale(now: number): LinkAddress[] {
    const addresses: LinkAddress[] = [];
    for (const entry of this.entries.values()) {
      const { kept, visitedAt, refreshedAt, address } = entry;
      if (kept === null || visitedAt < kept.readAt || isUnderWay(refreshedAt, now)) continue;
      if (isWithin(GATHER_MS, now, kept.readAt)) continue;
      entry.refreshedAt = now;
      if (addresses.push(address) === MAX_TOGETHER) break;
    }
    return addresses;
  }

  beginRead(): number {
    return this.generation;
  }

  keep(key: string, { generation, ...kept }: Kept<T> & { generation: number }): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    entry.refreshedAt = null;
    if (generation !== this.generation) return;
    this.drop(entry);
    if (!entry.isHot) return;
    if (this.characters + kept.characters > MAX_CHARACTERS) this.clear();
    entry.kept = kept;
    this.characters += kept.characters;
    this.entries.set(key, entry);
  }

  forget(key: string): void {
    this.generation++;
    const entry = this.entries.get(key);
    if (entry) this.drop(entry);
  }

  forgetAll(): void {
    this.generation++;
    this.clear();
  }

  private visit(key: string, address: LinkAddress, now: number): Entry<T> {
    const existing = this.entries.get(key);
    if (existing) {
      existing.isHot = isWithin(HOT_MS, now, existing.visitedAt);
      existing.visitedAt = now;
      return existing;
    }
    if (this.entries.size >= MAX_PLACES) this.clear();
    const entry: Entry<T> = {
      address,
      visitedAt: now,
      isHot: false,
      kept: null,
      refreshedAt: null,
    };
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

export const keyOf = ({ host, slug }: LinkAddress): string => `${host ?? ""}/${slug}`;

export const hotLinks = new HotLinks<Target | null>();

export const forgetAddress = (address: LinkAddress): void => hotLinks.forget(keyOf(address));

export const forgetPlaces = (): void => hotLinks.forgetAll();
