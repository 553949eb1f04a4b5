export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const addSeconds = (at: Date, seconds: number): Date =>
  new Date(at.getTime() + seconds * SECOND);

export const secondsBetween = (from: Date, to: Date): number =>
  (to.getTime() - from.getTime()) / SECOND;

const ISO_WITH_OFFSET =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Spec is silent: a time without an offset is refused instead of guessed, and a date that does not
 * exist (31 April) instead of rolled over.
 */
export function parseInstant(text: string): Date | null {
  const match = ISO_WITH_OFFSET.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour, minute, second = "0"] = match;
  const wall = new Date(
    Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    ),
  );
  const isOnCalendar =
    wall.getUTCMonth() + 1 === Number(month) &&
    wall.getUTCDate() === Number(day) &&
    wall.getUTCHours() === Number(hour) &&
    wall.getUTCMinutes() === Number(minute) &&
    wall.getUTCSeconds() === Number(second);
  if (!isOnCalendar) return null;
  const instant = new Date(text.trim().replace(" ", "T"));
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** A shorter month uses its last day. */
export function addMonths(at: Date, months: number): Date {
  const target = new Date(at);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + months);
  const lastDay = new Date(
    Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0),
  ).getUTCDate();
  target.setUTCDate(Math.min(at.getUTCDate(), lastDay));
  return target;
}
