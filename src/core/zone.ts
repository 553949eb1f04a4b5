import { DAY, HOUR, MINUTE, SECOND } from "./time.ts";

/** How a wall time that does not exist or exists twice was resolved. */
export type ZoneRule = "skipped_hour" | "repeated_hour";

export interface WallInstant {
  /** Epoch ms. */
  at: number;
  rule: ZoneRule | null;
}

/** A local date such as 2026-12-01. */
export type LocalDay = string;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Caps the memory of an isolate; there are about 600 zones. */
const MAX_FORMATS = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat {
  const cached = formats.get(zone);
  if (cached) return cached;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** Returns a zone's offset from UTC in ms. Slow, because each call formats a date. */
function readOffset(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 0, day, hour, minute, second } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  return wall - Math.floor(at / SECOND) * SECOND;
}

/** No zone changes its offset twice within a week. */
const STEP_MS = 7 * DAY;

/**
 * Converts times of one zone. Reads the offset once per step, and searches for a change only in steps at whose ends the
 * offsets differ.
 */
export class ZoneClock {
  readonly zone: string;
  private readonly offsets = new Map<number, number>();
  private readonly changes = new Map<number, number>();

  constructor(zone: string) {
    this.zone = zone;
  }

  private atStep(step: number): number {
    const cached = this.offsets.get(step);
    if (cached !== undefined) return cached;
    const offset = readOffset(this.zone, step * STEP_MS);
    this.offsets.set(step, offset);
    return offset;
  }

  /** Returns the first instant within the step that has the next step's offset. */
  private changeIn(step: number): number {
    const cached = this.changes.get(step);
    if (cached !== undefined) return cached;
    const before = this.atStep(step);
    let [low, high] = [step * STEP_MS, (step + 1) * STEP_MS];
    while (high - low > SECOND) {
      const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
      if (readOffset(this.zone, middle) === before) low = middle;
      else high = middle;
    }
    this.changes.set(step, high);
    return high;
  }

  /** Returns the offset at an instant in ms, and an instant until which this offset applies. */
  spanAt(at: number): { offset: number; until: number } {
    const step = Math.floor(at / STEP_MS);
    const [before, after] = [this.atStep(step), this.atStep(step + 1)];
    const end = (step + 1) * STEP_MS;
    if (before === after) return { offset: before, until: end };
    const change = this.changeIn(step);
    return at < change ? { offset: before, until: change } : { offset: after, until: end };
  }

  offsetAt(at: number): number {
    return this.spanAt(at).offset;
  }

  dayAt(at: number): LocalDay {
    return toDay(at + this.offsetAt(at));
  }

  /** Such as 2026-12-01T09:00. */
  wallTimeAt(at: number): string {
    return new Date(at + this.offsetAt(at)).toISOString().slice(0, "2026-12-01T09:00".length);
  }

  /** In a repeated hour, returns the first instant; in a skipped hour, the first minute after it. */
  instantOf(day: LocalDay, time: string): WallInstant {
    const wall = Date.parse(`${day}T${time}:00Z`);
    const offsets = [this.offsetAt(wall - DAY), this.offsetAt(wall + DAY)];
    const instants = [...new Set(offsets)]
      .map((offset) => wall - offset)
      .filter((at) => at + this.offsetAt(at) === wall)
      .sort((a, b) => a - b);
    const [first] = instants;
    if (first !== undefined)
      return { at: first, rule: instants.length > 1 ? "repeated_hour" : null };
    return { at: this.endOfGap(wall - Math.max(...offsets)), rule: "skipped_hour" };
  }

  /** Returns the first whole minute after the next change of offset. */
  private endOfGap(from: number): number {
    const first = Math.floor(from / STEP_MS);
    for (let step = first; step <= first + 2; step++) {
      if (this.atStep(step) === this.atStep(step + 1)) continue;
      const change = this.changeIn(step);
      if (change >= from) return Math.ceil(change / MINUTE) * MINUTE;
    }
    return from;
  }
}

const toDay = (wall: number): LocalDay =>
  new Date(wall).toISOString().slice(0, "2026-12-01".length);

export const addDays = (day: LocalDay, days: number): LocalDay =>
  toDay(Date.parse(`${day}T00:00:00Z`) + days * DAY);

/** 0 is Sunday. */
export const weekdayOf = (day: LocalDay): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/** Formats an offset in ms like +05:45 (ISO 8601). */
export function formatOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(minutes / (HOUR / MINUTE));
  return `${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes % (HOUR / MINUTE))}`;
}
