import { secondsBetween } from "./time.ts";

/** Work that is this late, or cron that pauses this long, needs attention. */
export const LATE_SECONDS = 5 * 60;

interface Signs {
  lastTickAt: Date | null;
  steadySince: Date | null;
  oldestDueAt: Date | null;
  /** Start of the server. Null in production, where it is unknown. */
  startedAt: Date | null;
}

/**
 * Counts delays only from the last restart of the server or of cron, because late work has to catch up.
 *
 * `overdue`: due work waits too long. `quiet`: cron has stopped.
 */
export function judgeProgress(signs: Signs, now: Date): "ok" | "overdue" | "quiet" {
  const { oldestDueAt, startedAt, steadySince } = signs;
  const isTooLongAgo = (at: Date) => secondsBetween(at, now) > LATE_SECONDS;
  // A tick in the future is ignored, because the clock was set back after it.
  const lastTickAt = signs.lastTickAt && signs.lastTickAt <= now ? signs.lastTickAt : null;
  const watched = latest(startedAt, steadySince);
  if (oldestDueAt && isTooLongAgo(latest(oldestDueAt, watched) ?? oldestDueAt)) return "overdue";
  const heard = latest(lastTickAt, startedAt);
  return heard && isTooLongAgo(heard) ? "quiet" : "ok";
}

function latest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}
