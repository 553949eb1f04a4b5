import { DAY } from "../core/time.ts";

/** Instants in the words of a team's zone. */
export interface Clock {
  /** Null for UTC. */
  zone: string | null;
  /** `Tue, 1 Dec 2026, 10:00`. */
  local(at: Date): string;
}

const OPTIONS: Intl.DateTimeFormatOptions = {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
};

/** A formatter costs much more than what it formats. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

/** @throws RangeError for what is no zone */
function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const fresh = new Intl.DateTimeFormat("en-GB", { ...OPTIONS, timeZone: zone });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, fresh);
  return fresh;
}

/** Returns the clock of a zone; that of UTC where there is none, or none that is known here. */
export function clockOf(zone: string | null): Clock {
  try {
    const format = formatIn(zone ?? "UTC");
    const isUtc = zone === null || zone === "UTC";
    return { zone: isUtc ? null : zone, local: (at) => format.format(at) };
  } catch {
    return clockOf(null);
  }
}

/** How far the zone's clock is ahead of UTC at an instant, in ms. */
function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    ...{ year: "numeric", month: "numeric", day: "numeric", timeZone: zone },
    ...{ hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" },
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const wall = Date.UTC(
    ...([part("year"), part("month") - 1, part("day")] as const),
    ...([part("hour"), part("minute"), part("second")] as const),
  );
  return wall - Math.floor(at / 1_000) * 1_000;
}

const CALENDAR_DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Returns the first and the last instant of a day such as `2026-12-01` in a zone; null for what is no day
 * of the calendar.
 */
export function dayIn(day: string, clock: Clock): { first: Date; last: Date } | null {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (!CALENDAR_DAY.test(day) || Number.isNaN(midnight)) return null;
  if (new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  const startOf = (wall: number): number => {
    if (clock.zone === null) return wall;
    // The offset at the guess may be another than that at midnight UTC.
    const guess = wall - offsetAt(wall, clock.zone);
    return wall - offsetAt(guess, clock.zone);
  };
  return { first: new Date(startOf(midnight)), last: new Date(startOf(midnight + DAY) - 1) };
}

/** An instant in the team's zone, and in UTC where that is another. */
export const Time = ({ at, clock }: { at: Date; clock: Clock }) => {
  const iso = at.toISOString();
  const local = clock.local(at);
  if (clock.zone === null) return <time datetime={iso}>{local} UTC</time>;
  const isSameDay = Number(iso.slice(8, 10)) === Number(/\d+/.exec(local)?.[0]);
  const utc = isSameDay ? iso.slice(11, 16) : iso.slice(0, 16).replace("T", " ");
  return (
    <time datetime={iso}>
      {local} ({utc} UTC)
    </time>
  );
};
