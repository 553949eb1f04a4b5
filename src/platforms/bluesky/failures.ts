import type { FailureCode } from "../../core/failures.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { XrpcRefusal } from "./api.ts";

/** The longest wait that is worth a back-off; beyond it the caller is told when to come back. */
const MAX_TRANSIENT_WAIT_SECONDS = 600;
/** The longest window of Bluesky's limits, so no wait can be longer. */
const MAX_WAIT_SECONDS = 86_400;

/** The access token is refused, whatever the reason: a fresh one may be accepted. */
const TOKEN_ERRORS = new Set([
  "ExpiredToken",
  "InvalidToken",
  "AuthMissing",
  "AuthenticationRequired",
  "MissingJwt",
  "invalid_grant",
]);

const ACCOUNT_ERRORS = new Set(["AccountTakedown", "AccountDeactivated", "ScopeMissingError"]);

/** A record refused for what a file in it weighs or is; a blob taken down by moderation. */
const MEDIA_WORDING = /blob too (big|large)|mimeType|has been takendown/;

/**
 * Whether a fresh token could help. An account that was taken down answers 401 as well.
 *
 * @see https://github.com/bluesky-social/atproto/blob/main/packages/pds/src/auth-verifier.ts
 */
export function isTokenRefusal({ status, name }: XrpcRefusal): boolean {
  if (status !== 400 && status !== 401) return false;
  if (name === null) return status === 401;
  if (ACCOUNT_ERRORS.has(name)) return false;
  return status === 401 || TOKEN_ERRORS.has(name) || name.startsWith("BadJwt");
}

/** Whether the account's server is not there for now: down, overloaded, or something else answers. */
export function isOutage({ status }: XrpcRefusal): boolean {
  return status < 400 || status === 404 || status === 408 || status >= 500;
}

/**
 * Whether the call may have had its effect all the same. InvalidSwap says that something already
 * stands at the key.
 */
export function isUndecided({ status, name }: XrpcRefusal): boolean {
  return (
    (status >= 200 && status < 300) || status === 408 || status >= 500 || name === "InvalidSwap"
  );
}

/** Seconds until the limit is lifted, by either header; null when neither says so. */
export function waitSeconds(refusal: XrpcRefusal, now: Date): number | null {
  const nowSeconds = now.getTime() / 1_000;
  const resetAt = Number(refusal.rateLimitReset ?? Number.NaN);
  const after = Number(refusal.retryAfter ?? Number.NaN);
  const afterDate = Date.parse(refusal.retryAfter ?? "") / 1_000 - nowSeconds;
  const wait = [resetAt - nowSeconds, after, afterDate].find((seconds) => seconds > 0);
  return wait === undefined ? null : Math.min(Math.ceil(wait), MAX_WAIT_SECONDS);
}

/** The server has dropped an uploaded file: it has to be uploaded again. */
const hasDroppedFile = ({ name, message }: XrpcRefusal): boolean =>
  name === "BlobNotFound" || message.startsWith("Could not find blob");

function classify({ status, name, message }: XrpcRefusal): FailureCode {
  if (status === 429 || name === "RateLimitExceeded") return "rate_limited";
  if (name !== null && ACCOUNT_ERRORS.has(name)) return "account_disconnected";
  if (status === 403 && message.startsWith("Missing required scope")) return "account_disconnected";
  if (status === 413 || name === "PayloadTooLarge") return "media_invalid";
  if (name === "InvalidRequest" && MEDIA_WORDING.test(message)) return "media_invalid";
  return "unknown";
}

/** A definite refusal in our terms. `now` turns the moment a rate limit ends into a wait. */
export function toRefused(refusal: XrpcRefusal, now: Date): Refused | TokenExpired {
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  const { message } = refusal;
  if (isOutage(refusal)) {
    return {
      kind: "failed",
      failure: { code: "platform_unavailable", message },
      transient: true,
    };
  }
  if (hasDroppedFile(refusal)) {
    return {
      kind: "failed",
      failure: { code: "platform_unavailable", message },
      transient: true,
      restart: true,
    };
  }
  const code = classify(refusal);
  if (code !== "rate_limited")
    return { kind: "failed", failure: { code, message }, transient: false };
  const wait = waitSeconds(refusal, now);
  return {
    kind: "failed",
    failure: wait === null ? { code, message } : { code, message, retryAfterSeconds: wait },
    transient: wait === null || wait <= MAX_TRANSIENT_WAIT_SECONDS,
  };
}
