import { DAY, HOUR, MINUTE } from "../../core/time.ts";

/** The way from a wall time to an instant where the clocks were changed; null: it was there once. */
export type ZoneRule = "skipped_hour" | "repeated_hour";

/** The instant of a wall time. */
export interface WallInstant {
  /** Epoch ms. */
  at: number;
  rule: ZoneRule | null;
}

/** A local day, such as 2026-12-01: sorts as text does. */
export type LocalDay = string;

const formats = new Map<string, Intl.DateTimeFormat>();
/** There are about 600 names of zones. */
const MAX_FORMATS = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const fresh = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(zone, fresh);
  return fresh;
}

/** Returns how far the zone's clocks are ahead of UTC at an instant, in ms. */
function offsetAt(zone: string, at: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value;
  const { year, month, day, hour, minute, second } = parts;
  const wall = Date.UTC(
    ...[Number(year), Number(month) - 1, Number(day)],
    ...[Number(hour), Number(minute), Number(second)],
  );
  return wall - (at - (((at % 1_000) + 1_000) % 1_000));
}

/** Between two of these instants the clocks of a zone are changed once at most. */
const STEP = DAY;

/**
 * The clocks of one zone. Offsets are looked up once for each day that is asked about, and a change is searched
 * only where two of them differ.
 */
export class ZoneClock {
  readonly zone: string;
  private readonly offsets = new Map<number, number>();
  private readonly changes = new Map<number, number>();

  constructor(zone: string) {
    this.zone = zone;
  }

  private atStep(step: number): number {
    const known = this.offsets.get(step);
    if (known !== undefined) return known;
    const offset = offsetAt(this.zone, step * STEP);
    this.offsets.set(step, offset);
    return offset;
  }

  /** The first instant of the step at which its second offset holds. */
  private changeIn(step: number): number {
    const known = this.changes.get(step);
    if (known !== undefined) return known;
    const before = this.atStep(step);
    let [low, high] = [step * STEP, (step + 1) * STEP];
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (offsetAt(this.zone, middle) === before) low = middle;
      else high = middle;
    }
    this.changes.set(step, high);
    return high;
  }

  /** Ms by which the clocks are ahead of UTC at an instant. */
  offsetAt(at: number): number {
    const step = Math.floor(at / STEP);
    const [before, after] = [this.atStep(step), this.atStep(step + 1)];
    return before === after || at < this.changeIn(step) ? before : after;
  }

  dayAt(at: number): LocalDay {
    return toDay(at + this.offsetAt(at));
  }

  /** The wall time of an instant, as 2026-12-01T09:00. */
  wallTimeAt(at: number): string {
    return new Date(at + this.offsetAt(at)).toISOString().slice(0, "2026-12-01T09:00".length);
  }

  /**
   * The instant of a wall time: the first of two where an hour is repeated, and the first valid minute after a
   * skipped one.
   */
  instantOf(day: LocalDay, time: string): WallInstant {
    const wall = Date.parse(`${day}T${time}:00Z`);
    const offsets = [this.offsetAt(wall - DAY), this.offsetAt(wall + DAY)];
    const found = [...new Set(offsets)]
      .map((offset) => wall - offset)
      .filter((at) => at + this.offsetAt(at) === wall)
      .sort((a, b) => a - b);
    const [first] = found;
    if (first !== undefined) return { at: first, rule: found.length > 1 ? "repeated_hour" : null };
    return { at: this.endOfGap(wall - Math.max(...offsets)), rule: "skipped_hour" };
  }

  /** The first whole minute at or after the next change of the clocks from `from` on. */
  private endOfGap(from: number): number {
    const first = Math.floor(from / STEP);
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

/** An offset as ISO 8601 writes it, such as +05:45. */
export function formatOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(minutes / (HOUR / MINUTE));
  return `${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes % (HOUR / MINUTE))}`;
}
