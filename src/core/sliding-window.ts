/** At most `limit` calls in any `windowSeconds`. */
export interface Quota {
  limit: number;
  windowSeconds: number;
}

export interface WindowVerdict {
  allowed: boolean;
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until a refused caller gets a place again, and until an allowed one gets all back. */
  resetSeconds: number;
}

/** Callers' clocks differ by less. A later time comes from a clock that has been moved back since. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * An exact sliding window: `hits` are the epoch-ms times of earlier calls, oldest first. Returns the
 * verdict and the hits to keep. A refused call takes no place.
 */
export function takePlace(
  hits: readonly number[],
  quota: Quota,
  now: number,
): { verdict: WindowVerdict; hits: number[] } {
  const windowMs = quota.windowSeconds * 1_000;
  const live = hits.filter((hit) => hit > now - windowMs && hit <= now + CLOCK_SKEW_MS);
  const allowed = live.length < quota.limit;
  if (allowed) live.push(now);
  const blocking = allowed ? live[live.length - 1] : live[live.length - quota.limit];
  const resetMs = Math.max(0, (blocking ?? now) + windowMs - now);
  return {
    hits: live,
    verdict: {
      allowed,
      limit: quota.limit,
      windowSeconds: quota.windowSeconds,
      remaining: Math.max(0, quota.limit - live.length),
      resetSeconds: Math.ceil(resetMs / 1_000),
    },
  };
}
