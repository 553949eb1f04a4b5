import {
  BUSY,
  DISCONNECTED,
  GONE,
  INVALID,
  isOutage,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
} from "../kit/refusals.ts";
import { toWait } from "../kit/replies.ts";
import type { XrpcRefusal } from "./api.ts";

const TOKEN_ERRORS = new Set([
  "ExpiredToken",
  "InvalidToken",
  "AuthMissing",
  "AuthenticationRequired",
  "MissingJwt",
  "invalid_grant",
]);

const ACCOUNT_ERRORS = new Set(["AccountTakedown", "AccountDeactivated", "ScopeMissingError"]);

/** A file's size or type is refused, or moderation took it down. */
const MEDIA_WORDING = /blob too (big|large)|mimeType|has been takendown/;

/**
 * Servers also answer 401 for an account that was taken down.
 * @see https://github.com/bluesky-social/atproto/blob/main/packages/pds/src/auth-verifier.ts
 */
export function isTokenRefusal({ status, name }: XrpcRefusal): boolean {
  if (status !== 400 && status !== 401) return false;
  if (name === null) return status === 401;
  if (ACCOUNT_ERRORS.has(name)) return false;
  return status === 401 || TOKEN_ERRORS.has(name) || name.startsWith("BadJwt");
}

/** A proxy answers 404 while the account's server is down. */
const isServerAway = (refusal: XrpcRefusal): boolean => isOutage(refusal) || refusal.status === 404;

export function waitSeconds(refusal: XrpcRefusal, now: Date): number | null {
  const nowSeconds = now.getTime() / 1_000;
  const resetAt = Number(refusal.rateLimitReset ?? Number.NaN);
  const after = Number(refusal.retryAfter ?? Number.NaN);
  const afterDate = Date.parse(refusal.retryAfter ?? "") / 1_000 - nowSeconds;
  const wait = [resetAt - nowSeconds, after, afterDate].find((seconds) => seconds > 0);
  return wait === undefined ? null : toWait(wait);
}

const hasDroppedFile = ({ name, message }: XrpcRefusal): boolean =>
  name === "BlobNotFound" || message.startsWith("Could not find blob");

function ruleOf(refusal: XrpcRefusal): Rule | undefined {
  if (isServerAway(refusal)) return UNAVAILABLE;
  if (hasDroppedFile(refusal)) return GONE;
  const { status, name, message } = refusal;
  if (status === 429 || name === "RateLimitExceeded") return BUSY;
  if (name !== null && ACCOUNT_ERRORS.has(name)) return DISCONNECTED;
  if (status === 403 && message.startsWith("Missing required scope")) return DISCONNECTED;
  if (status === 413 || name === "PayloadTooLarge") return INVALID;
  return name === "InvalidRequest" && MEDIA_WORDING.test(message) ? INVALID : undefined;
}

export const { isUndecided, isTemporary, toRefused, toUnknowable } = refusalJudge<XrpcRefusal>({
  isTokenRefusal,
  ruleOf,
  waitSeconds: (rule, refusal, now) => (rule === BUSY ? waitSeconds(refusal, now) : null),
  // InvalidSwap means that the key already holds a record.
  isUndecided: ({ status, name }) =>
    (status >= 200 && status < 300) || status === 408 || status >= 500 || name === "InvalidSwap",
});
