import type { Refused } from "../connector.ts";
import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  INVALID,
  mediaInvalid,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
  UNKNOWN,
  UNREACHABLE,
  unavailable,
} from "../kit/refusals.ts";
import type { PinterestRefusal } from "./api.ts";

/** Too many calls, at any 4xx status. */
const RATE_LIMIT_CODE = 8;

const MISSING_SCOPE = /scope|(?:boards|pins|user_accounts):(?:read|write)/i;
/** The app lacks access, which no login can change. Code 29 has other meanings too. */
const APP_ACCESS = /\b(?:trial|standard) access\b/i;
/** @see https://developers.pinterest.com/docs/key-concepts/access-tiers/ */
const NO_STANDARD_ACCESS: Rule = {
  code: "unknown",
  advice:
    'The instance\'s owner upgrades the app to Standard access (Upgrade, under My apps on developers.pinterest.com), then the post can be retried. For the recording that the upgrade needs, an instance in development makes pins at Pinterest\'s sandbox: PLATFORM_ORIGINS={"https://api.pinterest.com":"https://api-sandbox.pinterest.com"}.',
};
const A_BOARD = /\bboard\b/i;
const SPAM = /\bspam|\bblocked\b|\bunsafe\b|malicious|community guidelines/i;
const NOT_REACHED =
  /(?:unable|not able|could not|couldn't|cannot|can't|can not|failed) (?:to )?(?:be )?(?:reach|download|fetch|load|access|retrieve)/i;
/** JSON-schema wording for a malformed parameter. */
const WRONG_FORM =
  /does not match '|constraint:|' is not one of |' is not of type |' is too (?:long|short)|is a required property/i;
const THE_FILE = /\b(?:images?|videos?|photos?|media|file|aspect ratio|dimensions?|resolution)\b/i;

interface Row {
  statuses: readonly number[];
  says?: RegExp;
  rule: Rule;
}

/** The wording decides, because it says more than Pinterest's codes. */
const ROWS: readonly Row[] = [
  // First, because the message quotes the request, which may contain any word.
  { statuses: [400, 422], says: WRONG_FORM, rule: UNKNOWN },
  { statuses: [400, 403], says: SPAM, rule: FLAGGED },
  { statuses: [403], says: APP_ACCESS, rule: NO_STANDARD_ACCESS },
  { statuses: [403], says: MISSING_SCOPE, rule: DISCONNECTED },
  { statuses: [403], says: A_BOARD, rule: UNKNOWN },
  { statuses: [403], rule: DISCONNECTED },
  { statuses: [400, 422], says: NOT_REACHED, rule: UNREACHABLE },
  { statuses: [400, 413, 415, 422], says: THE_FILE, rule: INVALID },
  { statuses: [413, 415], rule: INVALID },
  // Another call is writing to the board.
  { statuses: [409], rule: UNAVAILABLE },
];

const isRateLimit = ({ status, code }: PinterestRefusal): boolean =>
  status === 429 || (code === RATE_LIMIT_CODE && status >= 400 && status < 500);

export const { isTokenRefusal, isUndecided, isTemporary, toRefused, toUnknowable } =
  refusalJudge<PinterestRefusal>({
    isTokenRefusal: ({ status }) => status === 401,
    ruleOf: (refusal) => {
      if (isRateLimit(refusal)) return BUSY;
      const { status, message } = refusal;
      return ROWS.find(
        ({ statuses, says }) => statuses.includes(status) && (says?.test(message) ?? true),
      )?.rule;
    },
    waitSeconds: (rule, { retryAfterSeconds }) => (rule === BUSY ? retryAfterSeconds : null),
  });

export const isLoginLost = (refusal: PinterestRefusal): boolean =>
  isTokenRefusal(refusal) ||
  (refusal.status === 403 && !isRateLimit(refusal) && !APP_ACCESS.test(refusal.message));

const TOO_LARGE = "EntityTooLarge";

/** The storage keeps nothing of a refused upload, so the next attempt starts over. */
export const toUploadRefused = (refusal: { code: string | null; message: string }): Refused =>
  (refusal.code === TOO_LARGE ? mediaInvalid : unavailable)(refusal.message);
