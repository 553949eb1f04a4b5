import { CLOCK_SKEW_MS } from "./sliding-window.ts";
import { HOUR } from "./time.ts";

/** Source: spec, "Authentication" 6. */
export const MAX_DISTINCT_TOKENS = 10;
export const TOKEN_WINDOW_MS = HOUR;

export interface TokenVerdict {
  allowed: boolean;
  /** For a refused call: hashes of the tokens that the address may still use. */
  knownHashes: string[];
  retryAfterSeconds: number;
}

/**
 * Allows ten tokens per address and hour, valid or not. `seen` maps a token's hash to the epoch ms
 * of its last use.
 */
export function presentToken(
  seen: ReadonlyMap<string, number>,
  hash: string,
  now: number,
): { verdict: TokenVerdict; seen: Map<string, number> } {
  const isLive = (at: number) => at > now - TOKEN_WINDOW_MS && at <= now + CLOCK_SKEW_MS;
  const live = new Map([...seen].filter(([, at]) => isLive(at)));
  const allowed = live.has(hash) || live.size < MAX_DISTINCT_TOKENS;
  const oldest = Math.min(...live.values());
  if (allowed) live.set(hash, now);
  return {
    seen: live,
    verdict: {
      allowed,
      knownHashes: allowed ? [] : [...live.keys()],
      retryAfterSeconds: allowed ? 0 : Math.ceil((oldest + TOKEN_WINDOW_MS - now) / 1_000),
    },
  };
}
