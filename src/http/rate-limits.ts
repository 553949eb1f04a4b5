import { AppError } from "../core/errors.ts";
import { type LimitGroup, quotaOf } from "../core/quotas.ts";
import type { Deps } from "../deps.ts";
import type { LimitAnswer, LimitRequest } from "../durable/rate-limiter.ts";

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

/** Whom a limit counts: an address, and the hash of the token it presented. */
export interface RateLimited {
  key: string;
  tokenHash: string | null;
}

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
  caller: RateLimited,
  group: LimitGroup,
): Promise<Admission | null> {
  if (deps.config.rateLimits === "off") return null;
  const now = deps.now().getTime();
  const { tokenHash } = caller;
  const quota = quotaOf(group, deps.config.rateLimits);
  const answer = await takePlace(deps, caller.key, { group, quota, tokenHash, now });
  if (!answer) return null;
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

/** Null when the limiter itself is out of order: callers are not made to suffer for that. */
async function takePlace(
  deps: Deps,
  key: string,
  request: LimitRequest,
): Promise<LimitAnswer | null> {
  try {
    return await deps.rateLimiter.getByName(key).take(request);
  } catch (error) {
    deps.log({ event: "rate_limiter.failed", error: String(error) });
    return null;
  }
}

/**
 * Turns away an address that has presented too many tokens before anything is asked about it. Tokens it
 * had presented by then are let through.
 *
 * @throws AppError RATE_LIMIT
 */
export function refuseKnownGuesser(deps: Deps, { key, tokenHash }: RateLimited): void {
  const refused = refusedAddresses.get(key);
  if (!refused || !tokenHash || refused.known.has(tokenHash)) return;
  const now = deps.now().getTime();
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
