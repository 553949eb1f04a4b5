import type { Random } from "../../src/cli/random.ts";

export const START = Date.UTC(2026, 11, 1, 9);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

interface Entry {
  at: number;
  kind: string;
  go: () => void;
}

const STUCK_MS = 30_000;

/**
 * Moved time, and one thing at a time. Whatever runs is either between two turns, or waits for one;
 * which of those that can go on does so is drawn by chance.
 */
export class Timetable {
  now: number;
  private readonly random: Random;
  private entries: Entry[] = [];
  private active = 0;
  private onQuiet: () => void = () => {};

  constructor(start: number, random: Random) {
    this.now = start;
    this.random = random;
  }

  at(at: number, kind: string, go: () => void): void {
    this.entries.push({ at, kind, go });
  }

  count = (kind: string): number => this.entries.filter((entry) => entry.kind === kind).length;

  forget(kind: string): number {
    const before = this.entries.length;
    this.entries = this.entries.filter((entry) => entry.kind !== kind);
    return before - this.entries.length;
  }

  begin(strands = 1): void {
    this.active += strands;
  }

  end(): void {
    this.active--;
    if (this.active === 0) this.onQuiet();
  }

  /** Waits, while others go on, until `ms` have passed and it is this one's turn. */
  async sleep(ms = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.at(this.now + ms, "strand", () => {
      this.active++;
      resolve();
    });
    this.end();
    await promise;
  }

  /** Lets one thing happen, the clock moved on to it; false when there is nothing to come. */
  async advance(): Promise<boolean> {
    if (this.entries.length === 0) return false;
    const first = Math.min(...this.entries.map(({ at }) => at));
    this.now = Math.max(this.now, first);
    const due = this.entries.filter(({ at }) => at <= this.now);
    const chosen = due[this.random.between(0, due.length - 1)];
    if (!chosen) return false;
    this.entries.splice(this.entries.indexOf(chosen), 1);
    await this.untilQuiet(chosen.go);
    return true;
  }

  private async untilQuiet(go: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error("The harness is stuck.")), STUCK_MS);
    this.onQuiet = resolve;
    go();
    if (this.active === 0) resolve();
    await promise;
    clearTimeout(timer);
  }
}
