import type { Refused } from "../connector.ts";
import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  GONE,
  INVALID,
  isOutage,
  LIMITED,
  type Rule,
  refusalJudge,
  sendAgain,
  UNKNOWN,
  unavailable,
} from "../kit/refusals.ts";
import type { LinkedInRefusal } from "./api.ts";
import { isDuplicate } from "./posts-api.ts";

const OUTDATED: Rule = {
  code: "platform_unavailable",
  advice: "This instance uses a version of LinkedIn's API that has ended. Update Akimbo.",
};
const UNFINISHED: Rule = { code: "platform_processing_timeout", transient: true };

/**
 * @see https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api
 */
const BY_CODE = new Map<string, Rule>([
  ["EXPIRED_UPLOAD_URL", GONE],
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

const BY_STATUS = new Map<number, Rule>([
  [403, DISCONNECTED],
  [426, OUTDATED],
]);

const TOKEN_CODES = new Set([
  "EMPTY_ACCESS_TOKEN",
  "INVALID_ACCESS_TOKEN",
  "EXPIRED_ACCESS_TOKEN",
  "REVOKED_ACCESS_TOKEN",
]);

/** LinkedIn has refused repeated posts with these. */
const DUPLICATE_STATUSES = new Set([400, 409, 422]);
const STILL_PROCESSING = /\bstill\b.*\bprocess|\bnot (?:yet )?(?:ready|available)\b/i;

export const isDuplicatePost = ({ status, message }: LinkedInRefusal): boolean =>
  DUPLICATE_STATUSES.has(status) && isDuplicate(message);

const RATE_LIMIT = 429;

function ruleOf(refusal: LinkedInRefusal): Rule | undefined {
  const { status, code, message, retryAfterSeconds } = refusal;
  if (isOutage(refusal)) return undefined;
  if (isDuplicatePost(refusal)) return FLAGGED;
  // LinkedIn's limits are daily and end at midnight UTC.
  if (status === RATE_LIMIT) return retryAfterSeconds === null ? LIMITED : BUSY;
  const rule = BY_CODE.get(code ?? "") ?? BY_STATUS.get(status) ?? UNKNOWN;
  return rule === UNKNOWN && STILL_PROCESSING.test(message) ? UNFINISHED : rule;
}

export const { isTokenRefusal, isUndecided, isTemporary, toRefused, toUnknowable } =
  refusalJudge<LinkedInRefusal>({
    isTokenRefusal: ({ status, code }) => status === 401 || TOKEN_CODES.has(code ?? ""),
    ruleOf,
    waitSeconds: (rule, { retryAfterSeconds }) => (rule === BUSY ? retryAfterSeconds : null),
    isLongLimit: ({ status }) => status === RATE_LIMIT,
  });

/** Upload URLs need no login, so a 401 says nothing about the token. */
export function toUploadRefused(refusal: LinkedInRefusal): Refused {
  if (isOutage(refusal)) return unavailable(refusal.message);
  const refused = toRefused(refusal);
  const isLimit = refusal.status === RATE_LIMIT && refused.kind === "failed";
  return isLimit ? refused : sendAgain(refusal.message);
}
