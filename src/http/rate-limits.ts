import { isLoopbackKey } from "../core/client-ip.ts";
import { AppError } from "../core/errors.ts";
import { type LimitGroup, quotaOf } from "../core/quotas.ts";
import type { Quota } from "../core/sliding-window.ts";
import type { Deps } from "../deps.ts";
import type { LimitAnswer, LimitRequest } from "../durable/rate-limiter.ts";
import { KnownAddresses } from "./known-addresses.ts";

const MINUTES = 60;

const addresses = new KnownAddresses();

/** Source: spec, "Errors": presign gives the seconds in its body too. */
const waitIn = (group: LimitGroup, seconds: number) =>
  group.startsWith("presign") ? { extras: { retryAfter: seconds } } : {};

const tooManyTokens = (retryAfterSeconds: number, group: LimitGroup) =>
  new AppError(
    "RATE_LIMIT",
    "Too many different API tokens from this address. Use a token that you have used in the last hour, or wait.",
    { headers: { "Retry-After": String(retryAfterSeconds) }, ...waitIn(group, retryAfterSeconds) },
  );

/** Whom a limit counts: an address, and the hash of the token it presented. */
interface RateLimited {
  key: string;
  tokenHash: string | null;
}

export interface Count {
  /** True for a token that is new from its address: the limiter is heard before anything else is done. */
  mustWait: boolean;
  /**
   * The headers that tell a caller where it stands; none when limits are switched off. Rejects with
   * RATE_LIMIT for a full window, and for a token that this address may not present any more.
   */
  admission: Promise<Record<string, string>>;
}

/**
 * Counts one call. A caller who is known to be refused costs no call to the limiter.
 *
 * @throws AppError RATE_LIMIT at once for a window that is known to be full, and for another token of an
 * address that has presented too many
 */
export function count(deps: Deps, caller: RateLimited, group: LimitGroup): Count {
  const uncounted = { mustWait: false, admission: Promise.resolve({}) };
  if (deps.config.rateLimits === "off" || isOwnLook(deps, caller, group)) return uncounted;
  const now = deps.now().getTime();
  const { key, tokenHash } = caller;
  const closedSeconds = tokenHash && addresses.closedSeconds(key, tokenHash, now);
  if (closedSeconds) throw tooManyTokens(closedSeconds, group);
  const isNewToken = tokenHash !== null && !addresses.isFamiliar(key, tokenHash, now);
  // A new token is counted by the limiter even where its call finds no place.
  const full = isNewToken ? null : addresses.fullWindow(key, group, now);
  if (full) throw windowIsFull(group, full);
  return {
    mustWait: isNewToken,
    admission: admit(deps, caller, group, quotaOf(group, deps.config.rateLimits), now),
  };
}

async function admit(
  deps: Deps,
  { key, tokenHash }: RateLimited,
  group: LimitGroup,
  quota: Quota,
  now: number,
): Promise<Record<string, string>> {
  const answer = await takePlace(deps, key, { group, quota, tokenHash, now });
  if (!answer) return {};
  addresses.learn(key, group, tokenHash, answer, now);
  if (answer.token && !answer.token.allowed) {
    throw tooManyTokens(answer.token.retryAfterSeconds, group);
  }
  if (!answer.window.allowed) throw windowIsFull(group, answer);
  return toHeaders(group, answer);
}

/** In development this machine may ask for its own health as often as it likes: `npm start` polls it. */
const isOwnLook = ({ config }: Deps, { key }: RateLimited, group: LimitGroup): boolean =>
  config.isDevelopment && group === "read:health" && isLoopbackKey(key);

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

/** Source: IETF draft "RateLimit header fields for HTTP". */
function toHeaders(group: LimitGroup, { window }: LimitAnswer): Record<string, string> {
  return {
    RateLimit: `"${group}";r=${window.remaining};t=${window.resetSeconds}`,
    "RateLimit-Policy": `"${group}";q=${window.limit};w=${window.windowSeconds}`,
  };
}

function windowIsFull(group: LimitGroup, answer: LimitAnswer): AppError {
  const { limit, windowSeconds, resetSeconds } = answer.window;
  return new AppError(
    "RATE_LIMIT",
    `Limit of ${limit} calls in ${windowSeconds / MINUTES} minutes reached. Try again in ${resetSeconds} s.`,
    {
      headers: { ...toHeaders(group, answer), "Retry-After": String(resetSeconds) },
      ...waitIn(group, resetSeconds),
    },
  );
}
