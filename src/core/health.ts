import { secondsBetween } from "./time.ts";

/** Work this late, or a cron this quiet, is a fault that somebody should look at. */
export const LATE_SECONDS = 5 * 60;

/** When cron last ran, and since when it has run without a gap. */
interface Pulse {
  lastTickAt: Date | null;
  steadySince: Date | null;
}

interface Signs extends Pulse {
  /** When the oldest job that nobody is working on became due. */
  oldestDueAt: Date | null;
  /** Start of this server; null when it is unknown, as in production. */
  startedAt: Date | null;
}

/**
 * Judges how work gets on. A server that has just started, and a cron that has just come back, are
 * catching up: they are judged from that moment on.
 *
 * `overdue`: due work waits for too long. `quiet`: cron has stopped.
 */
export function judgeProgress(signs: Signs, now: Date): "ok" | "overdue" | "quiet" {
  const { oldestDueAt, startedAt, steadySince } = signs;
  const isTooLongAgo = (at: Date) => secondsBetween(at, now) > LATE_SECONDS;
  // A tick that is still to come is one from before the clock was set back.
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
