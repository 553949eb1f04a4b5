export interface Quota {
  limit: number;
  windowSeconds: number;
}

export interface WindowVerdict {
  allowed: boolean;
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until a refused caller may call again, or until an allowed caller's whole quota is free. */
  resetSeconds: number;
}

/** Callers' clocks differ by less than this. A hit further in the future means that a clock was set back. */
export const CLOCK_SKEW_MS = 60_000;

/** `hits` are epoch ms of earlier calls, oldest first. A refused call is not counted. */
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
