import { DAY } from "../core/time.ts";
import { ZoneClock } from "../core/zone.ts";

export interface Clock {
  /** Null for UTC. */
  zone: string | null;
  /** Such as `Tue, 1 Dec 2026, 10:00`. */
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

/** Creating a formatter is expensive. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

/** @throws RangeError for an unknown zone */
function formatIn(zone: string): Intl.DateTimeFormat {
  const existing = formats.get(zone);
  if (existing) return existing;
  const fresh = new Intl.DateTimeFormat("en-GB", { ...OPTIONS, timeZone: zone });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, fresh);
  return fresh;
}

/** Falls back to UTC for an unknown zone. */
export function clockOf(zone: string | null): Clock {
  try {
    const format = formatIn(zone ?? "UTC");
    const isUtc = zone === null || zone === "UTC";
    return { zone: isUtc ? null : zone, local: (at) => format.format(at) };
  } catch {
    return clockOf(null);
  }
}

const CALENDAR_DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Null for a date that does not exist. */
export function dayIn(day: string, clock: Clock): { first: Date; last: Date } | null {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (!CALENDAR_DAY.test(day) || Number.isNaN(midnight)) return null;
  if (new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  const startOf = (wall: number): number => {
    if (clock.zone === null) return wall;
    const zone = new ZoneClock(clock.zone);
    // The offset may change between midnight UTC and midnight in the zone.
    const guess = wall - zone.offsetAt(wall);
    return wall - zone.offsetAt(guess);
  };
  return { first: new Date(startOf(midnight)), last: new Date(startOf(midnight + DAY) - 1) };
}

/** The day in UTC. */
export const Day = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{at.toISOString().slice(0, "2026-11-20".length)}</time>
);

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
