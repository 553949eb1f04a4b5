import { isLoopbackKey } from "../core/client-ip.ts";
import { AppError } from "../core/errors.ts";
import { type LimitGroup, quotaOf } from "../core/quotas.ts";
import type { Quota } from "../core/sliding-window.ts";
import type { Deps } from "../deps.ts";
import type { LimitAnswer, LimitRequest } from "../durable/rate-limiter.ts";
import { KnownAddresses } from "./known-addresses.ts";

const MINUTES = 60;

const addresses = new KnownAddresses();

/** Source: spec, "Errors": presign returns the seconds in its body too. */
const waitIn = (group: LimitGroup, seconds: number) =>
  group.startsWith("presign") ? { extras: { retryAfter: seconds } } : {};

const tooManyTokens = (retryAfterSeconds: number, group: LimitGroup) =>
  new AppError(
    "RATE_LIMIT",
    "Too many different API tokens from this address. Use a token that you have used in the last hour, or wait.",
    { headers: { "Retry-After": String(retryAfterSeconds) }, ...waitIn(group, retryAfterSeconds) },
  );

/** `key` is usually an IP address. */
interface RateLimited {
  key: string;
  tokenHash: string | null;
}

export interface Count {
  mustWait: boolean;
  /**
   * The rate-limit headers; empty while limits are off. Rejects with RATE_LIMIT for a full window, or for too many
   * tokens.
   */
  admission: Promise<Record<string, string>>;
}

/** A cached refusal is thrown synchronously, without calling the limiter. @throws AppError RATE_LIMIT */
export function count(deps: Deps, caller: RateLimited, group: LimitGroup): Count {
  const uncounted = { mustWait: false, admission: Promise.resolve({}) };
  if (deps.config.rateLimits === "off" || isOwnLook(deps, caller, group)) return uncounted;
  const now = deps.now().getTime();
  const { key, tokenHash } = caller;
  const closedSeconds = tokenHash && addresses.closedSeconds(key, tokenHash, now);
  if (closedSeconds) throw tooManyTokens(closedSeconds, group);
  const isNewToken = tokenHash !== null && !addresses.isFamiliar(key, tokenHash, now);
  // The limiter must count a new token even when the window is full.
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

/** True for the health checks of `npm start`, in development. */
const isOwnLook = ({ config }: Deps, { key }: RateLimited, group: LimitGroup): boolean =>
  config.isDevelopment && group === "read:health" && isLoopbackKey(key);

/** Null when the limiter fails: the call is allowed. */
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
