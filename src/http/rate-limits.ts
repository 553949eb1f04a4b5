import { AppError } from "../core/errors.ts";
import { type LimitGroup, quotaOf } from "../core/quotas.ts";
import { sha256Hex } from "../core/signature.ts";
import type { Deps } from "../deps.ts";
import type { LimitAnswer } from "../durable/rate-limiter.ts";

const MINUTES = 60;

/** Addresses that presented too many tokens, so that a guesser costs neither a call nor a read. */
const refusedAddresses = new Map<string, { until: number; known: Set<string> }>();
const MAX_REMEMBERED = 10_000;

const tooManyTokens = (retryAfterSeconds: number) =>
  new AppError(
    "RATE_LIMIT",
    "Too many different API tokens from this address. Use one of those you used this hour, or wait.",
    { headers: { "Retry-After": String(retryAfterSeconds) } },
  );

export interface Admission {
  answer: LimitAnswer;
  /** The headers that tell a caller where it stands. */
  headers: Record<string, string>;
}

/**
 * Counts one call, and tells where the caller stands; null when limits are switched off.
 *
 * @throws AppError RATE_LIMIT for a token that this address may not present any more. A full window
 * is in the answer: see `refuseFullWindow`
 */
export async function admit(
  deps: Deps,
  caller: { key: string; token: string | null },
  group: LimitGroup,
): Promise<Admission | null> {
  if (deps.config.rateLimits === "off") return null;
  const now = deps.now().getTime();
  const tokenHash = caller.token ? await sha256Hex(caller.token) : null;
  refuseKnownGuesser(caller.key, tokenHash, now);

  const quota = quotaOf(group, deps.config.rateLimits);
  const limiter = deps.rateLimiter.getByName(caller.key);
  const answer = await limiter.take({ group, quota, tokenHash, now });
  if (answer.token && !answer.token.allowed) {
    const { known, retryAfterSeconds } = answer.token;
    if (refusedAddresses.size >= MAX_REMEMBERED) refusedAddresses.clear();
    refusedAddresses.set(caller.key, {
      until: now + retryAfterSeconds * 1_000,
      known: new Set(known),
    });
    throw tooManyTokens(retryAfterSeconds);
  }
  return { answer, headers: toHeaders(group, answer) };
}

function refuseKnownGuesser(key: string, tokenHash: string | null, now: number): void {
  const refused = refusedAddresses.get(key);
  if (!refused || !tokenHash || refused.known.has(tokenHash)) return;
  if (refused.until <= now) {
    refusedAddresses.delete(key);
    return;
  }
  throw tooManyTokens(Math.ceil((refused.until - now) / 1_000));
}

/** Source: IETF draft "RateLimit header fields for HTTP". */
function toHeaders(group: LimitGroup, { window }: LimitAnswer): Record<string, string> {
  return {
    RateLimit: `"${group}";r=${window.remaining};t=${window.resetSeconds}`,
    "RateLimit-Policy": `"${group}";q=${window.limit};w=${window.windowSeconds}`,
  };
}

/** @throws AppError RATE_LIMIT when the call found no place in its window */
export function refuseFullWindow(admission: Admission | null): void {
  if (!admission || admission.answer.window.allowed) return;
  const { limit, windowSeconds, resetSeconds } = admission.answer.window;
  throw new AppError(
    "RATE_LIMIT",
    `Limit of ${limit} calls in ${windowSeconds / MINUTES} minutes reached. Try again in ${resetSeconds} s.`,
    { headers: { "Retry-After": String(resetSeconds) } },
  );
}
