import type { FailureCode } from "../../core/failures.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { LinkedInRefusal } from "./api.ts";
import { isDuplicate } from "./posts-api.ts";

interface Rule {
  code: FailureCode;
  transient?: boolean;
  /** Of an address that was given out earlier: the upload has to begin again. */
  restart?: boolean;
}

const DISCONNECTED: Rule = { code: "account_disconnected" };
const INVALID: Rule = { code: "media_invalid" };
const UNKNOWN: Rule = { code: "unknown" };
const LIMITED: Rule = { code: "rate_limited" };
const UNAVAILABLE: Rule = { code: "platform_unavailable", transient: true };
/** The same for every account until somebody sets another version: waiting does not help. */
const OUTDATED: Rule = { code: "platform_unavailable" };
const WORN_OUT: Rule = { code: "platform_unavailable", transient: true, restart: true };
/** The file is not ready for the post yet. */
const UNFINISHED: Rule = { code: "platform_processing_timeout", transient: true };

/**
 * What LinkedIn's codes come down to; those of a token are dealt with below.
 *
 * @see https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api
 */
const BY_CODE = new Map<string, Rule>([
  ["EXPIRED_UPLOAD_URL", WORN_OUT],
  ["ACCESS_DENIED", DISCONNECTED],
  ["MEDIA_ASSET_WAITING_UPLOAD", UNFINISHED],
  ["MEDIA_ASSET_PROCESSING_FAILED", INVALID],
  ["PROCESSING_FAILED", INVALID],
  ["INVALID_IMAGE_ID", INVALID],
  ["INVALID_VIDEO_ID", INVALID],
  ["UPDATING_ASSET_FAILED", INVALID],
  ["FIELD_LENGTH_TOO_LONG", UNKNOWN],
  ["MISSING_FIELD", UNKNOWN],
  ["INVALID_VALUE_FOR_FIELD", UNKNOWN],
  ["INVALID_VALUE_BLANK_FIELD", UNKNOWN],
  ["INVALID_URN_TYPE", UNKNOWN],
  ["INVALID_URN_ID", UNKNOWN],
  ["INVALID_URL", UNKNOWN],
  ["CONFLICT", UNKNOWN],
  ["UNPROCESSABLE_ENTITY", UNKNOWN],
  ["NONEXISTENT_VERSION", OUTDATED],
  ["VERSION_MISSING", OUTDATED],
  ["TOO_MANY_REQUESTS", LIMITED],
]);

/** What a status means where no code says more. */
const BY_STATUS = new Map<number, Rule>([
  [403, DISCONNECTED],
  [426, OUTDATED],
  [429, LIMITED],
]);

const TOKEN_CODES = new Set([
  "EMPTY_ACCESS_TOKEN",
  "INVALID_ACCESS_TOKEN",
  "EXPIRED_ACCESS_TOKEN",
  "REVOKED_ACCESS_TOKEN",
]);

/** The statuses that LinkedIn has been seen to refuse a repeated post with. */
const DUPLICATE_STATUSES = new Set([400, 409, 422]);
const STILL_PROCESSING = /\bstill\b.*\bprocess|\bnot (?:yet )?(?:ready|available)\b/i;

/** A wait this short is worth waiting for. */
const SHORT_WAIT_SECONDS = 600;

export const failed = (code: FailureCode, message: string, transient = false): Refused => ({
  kind: "failed",
  failure: { code, message },
  transient,
});

export const mediaInvalid = (message: string): Refused => failed("media_invalid", message);

/** The upload that was begun is of no use any more. */
export const sendAgain = (message: string): Refused => ({
  ...failed("platform_unavailable", message, true),
  restart: true,
});

export const isTokenRefusal = ({ status, code }: LinkedInRefusal): boolean =>
  code === null ? status === 401 : TOKEN_CODES.has(code) || status === 401;

/** LinkedIn is not there for now: down, overloaded, or something else answers in its place. */
export const isOutage = ({ status }: LinkedInRefusal): boolean =>
  status < 400 || status === 408 || status >= 500;

/** A question that may well be answered a little later. */
export const isAskedAgain = (refusal: LinkedInRefusal): boolean =>
  isOutage(refusal) || refusal.status === 429;

/** LinkedIn has a post of this text already. */
export const isDuplicatePost = ({ status, message }: LinkedInRefusal): boolean =>
  DUPLICATE_STATUSES.has(status) && isDuplicate(message);

function ruleOf(refusal: LinkedInRefusal): Rule {
  const { status, code, message } = refusal;
  if (isOutage(refusal)) return UNAVAILABLE;
  if (isDuplicatePost(refusal)) return { code: "content_flagged" };
  const known = BY_CODE.get(code ?? "") ?? BY_STATUS.get(status) ?? UNKNOWN;
  return known === UNKNOWN && STILL_PROCESSING.test(message) ? UNFINISHED : known;
}

/** A definite refusal in our terms. */
export function toRefused(refusal: LinkedInRefusal): Refused | TokenExpired {
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  const rule = ruleOf(refusal);
  const { message, retryAfterSeconds } = refusal;
  if (rule === LIMITED) return toLimited(message, retryAfterSeconds);
  if (rule === OUTDATED) {
    const advice = "This service speaks a version of LinkedIn's API that has ended; update it.";
    return failed(rule.code, `${message} ${advice}`);
  }
  const refused = failed(rule.code, message, rule.transient ?? false);
  return rule.restart ? { ...refused, restart: true } : refused;
}

/** The limits are those of a day, which ends at midnight UTC. */
function toLimited(message: string, retryAfterSeconds: number | null): Refused {
  if (retryAfterSeconds === null) return failed("rate_limited", message);
  const transient = retryAfterSeconds <= SHORT_WAIT_SECONDS;
  return {
    kind: "failed",
    failure: { code: "rate_limited", message, retryAfterSeconds },
    transient,
  };
}

/** An upload address was refused. It knows no login, so a 401 of it says nothing about the token. */
export function toUploadRefused(refusal: LinkedInRefusal): Refused {
  if (refusal.status === 429) return toLimited(refusal.message, refusal.retryAfterSeconds);
  const { message } = refusal;
  return isOutage(refusal) ? failed("platform_unavailable", message, true) : sendAgain(message);
}
