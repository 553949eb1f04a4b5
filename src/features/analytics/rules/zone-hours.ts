import { DAY, HOUR, MINUTE } from "../../../core/time.ts";

/** Zones are asked this often for their offset: none changes it twice within a week. */
const PROBED_EVERY_MS = 7 * DAY;

/** From `from` on, clocks show UTC plus this. */
interface Span {
  from: number;
  offsetMs: number;
}

/** Returns the offset of a zone from UTC at an instant, in ms. */
function offsetReader(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", era: "short" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (ms) => {
    const part = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const wall = Date.UTC(
      part.year as number,
      (part.month as number) - 1,
      part.day,
      part.hour,
      part.minute,
      part.second,
    );
    return wall - Math.floor(ms / 1_000) * 1_000;
  };
}

/** The offsets of a zone between two instants, found by asking for few of them: that takes long. */
function spansOf(zone: string, from: number, to: number): Span[] {
  const offsetAt = offsetReader(zone);
  const spans: Span[] = [{ from, offsetMs: offsetAt(from) }];
  for (let start = from; start < to; start += PROBED_EVERY_MS) {
    const end = Math.min(to, start + PROBED_EVERY_MS);
    const before = offsetAt(start);
    const after = offsetAt(end);
    if (before === after) continue;
    let [same, other] = [start, end];
    while (other - same > MINUTE) {
      const middle = Math.floor((same + other) / 2 / MINUTE) * MINUTE;
      // Neither end is a whole minute where the range begins or ends within one.
      if (middle <= same) break;
      if (offsetAt(middle) === before) same = middle;
      else other = middle;
    }
    spans.push({ from: Math.ceil(other / MINUTE) * MINUTE, offsetMs: after });
  }
  return spans;
}

/** The hour of a wall clock, and the day of the week: 0 is Sunday. */
export interface WallHour {
  weekday: number;
  hour: number;
}

/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 4;

/**
 * Reads instants on the wall clocks of a zone.
 *
 * @param minutes since 1970, rising
 * @param zone an IANA name
 */
export function* wallHours(minutes: readonly number[], zone: string): Generator<WallHour> {
  const first = minutes[0];
  if (first === undefined) return;
  const spans = spansOf(zone, first * MINUTE, (minutes.at(-1) as number) * MINUTE);
  let place = 0;
  for (const minute of minutes) {
    const ms = minute * MINUTE;
    while ((spans[place + 1]?.from ?? Number.POSITIVE_INFINITY) <= ms) place++;
    const wall = ms + (spans[place] as Span).offsetMs;
    const days = Math.floor(wall / DAY);
    yield {
      weekday: (((days + FIRST_WEEKDAY) % 7) + 7) % 7,
      hour: Math.floor((wall - days * DAY) / HOUR),
    };
  }
}
