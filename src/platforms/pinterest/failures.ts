import type { FailureCode } from "../../core/failures.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { PinterestRefusal } from "./api.ts";

/** The longest wait that is worth a back-off; beyond it the caller is told when to come back. */
const MAX_TRANSIENT_WAIT_SECONDS = 600;

/** Too many calls, whatever status they come with. */
const RATE_LIMIT_CODE = 8;

const MISSING_SCOPE = /scope|(?:boards|pins|user_accounts):(?:read|write)/i;
/** The app is what lacks something; no login can change that. */
const APP_ACCESS = /\b(?:trial|standard) access\b/i;
const A_BOARD = /\bboard\b/i;
const SPAM = /\bspam|\bblocked\b|\bunsafe\b|malicious|community guidelines/i;
const NOT_REACHED =
  /(?:unable|not able|could not|couldn't|cannot|can't|can not|failed) (?:to )?(?:be )?(?:reach|download|fetch|load|access|retrieve)/i;
/** Said of a parameter that is not in its form, in the words of a JSON schema. */
const WRONG_FORM =
  /does not match '|constraint:|' is not one of |' is not of type |' is too (?:long|short)|is a required property/i;
const THE_FILE = /\b(?:images?|videos?|photos?|media|file|aspect ratio|dimensions?|resolution)\b/i;

/** The first row that fits counts. */
interface Row {
  statuses: readonly number[];
  says?: RegExp;
  code: FailureCode;
  transient?: true;
}

/**
 * What Pinterest's refusals come down to, beyond tokens, rate limits and outages. Its numbers say less
 * than the status and the wording.
 */
const ROWS: readonly Row[] = [
  // First, because it quotes what was sent, which may hold any word.
  { statuses: [400, 422], says: WRONG_FORM, code: "unknown" },
  { statuses: [400, 403], says: SPAM, code: "content_flagged" },
  { statuses: [403], says: APP_ACCESS, code: "unknown" },
  { statuses: [403], says: MISSING_SCOPE, code: "account_disconnected" },
  { statuses: [403], says: A_BOARD, code: "unknown" },
  { statuses: [403], code: "account_disconnected" },
  { statuses: [400, 422], says: NOT_REACHED, code: "media_unreachable" },
  { statuses: [400, 413, 415, 422], says: THE_FILE, code: "media_invalid" },
  { statuses: [413, 415], code: "media_invalid" },
  // Somebody else writes to the board in the same moment.
  { statuses: [409], code: "platform_unavailable", transient: true },
];

const failed = (code: FailureCode, message: string, transient = false): Refused => ({
  kind: "failed",
  failure: { code, message },
  transient,
});

export const mediaInvalid = (message: string): Refused => failed("media_invalid", message);

export const isTokenRefusal = ({ status }: PinterestRefusal): boolean => status === 401;

const isRateLimit = ({ status, code }: PinterestRefusal): boolean =>
  status === 429 || (code === RATE_LIMIT_CODE && status >= 400 && status < 500);

/** The answer says nothing of what was asked for: the call may have had its effect all the same. */
export const isUndecided = ({ status }: PinterestRefusal): boolean =>
  status < 400 || status === 408 || status >= 500;

/** A question that may well be answered a little later. */
export const isAskedAgain = (refusal: PinterestRefusal): boolean =>
  isUndecided(refusal) || isRateLimit(refusal);

/** Whether only a person can bring the login back. */
export const isLoginLost = (refusal: PinterestRefusal): boolean =>
  isTokenRefusal(refusal) ||
  (refusal.status === 403 && !isRateLimit(refusal) && !APP_ACCESS.test(refusal.message));

/** A definite refusal in our terms. */
export function toRefused(refusal: PinterestRefusal): Refused | TokenExpired {
  const { status, message, retryAfterSeconds } = refusal;
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  if (isRateLimit(refusal)) {
    const told = retryAfterSeconds === null ? {} : { retryAfterSeconds };
    return {
      kind: "failed",
      failure: { code: "rate_limited", message, ...told },
      transient: (retryAfterSeconds ?? 0) <= MAX_TRANSIENT_WAIT_SECONDS,
    };
  }
  if (isUndecided(refusal)) return failed("platform_unavailable", message, true);
  const row = ROWS.find(
    ({ statuses, says }) => statuses.includes(status) && (says?.test(message) ?? true),
  );
  return failed(row?.code ?? "unknown", message, row?.transient ?? false);
}

/** A video is larger than the address takes; every other refusal of it ends with a new address. */
const TOO_LARGE = "EntityTooLarge";

/** A refused transfer of a video; nothing of it is kept, so the next try begins with a new address. */
export const toUploadRefused = ({ code, message }: { code: string | null; message: string }) =>
  code === TOO_LARGE ? mediaInvalid(message) : failed("platform_unavailable", message, true);
