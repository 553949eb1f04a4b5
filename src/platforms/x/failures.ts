import type { FailureCode } from "../../core/failures.ts";
import { secondsBetween } from "../../core/time.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { XRefusal } from "./api.ts";
import type { Processing } from "./media-api.ts";

interface Rule {
  code: FailureCode;
  status?: number[];
  problem?: RegExp;
  wording?: RegExp;
  /** What was uploaded is of no use any more. */
  restart?: boolean;
}

const MEDIA_IDS = /media[ _]ids?\b/i;

/**
 * What X's refusals come down to, the first rule that fits; 401, 429 and what a server says that is not
 * well are dealt with below. X seldom gives codes, so its wording has to be read.
 *
 * @see https://docs.x.com/x-api/fundamentals/response-codes-and-errors
 */
const REFUSALS: Rule[] = [
  { status: [402], code: "platform_unavailable" },
  { status: [403], problem: /^usage-capped$/, code: "rate_limited" },
  { status: [403], wording: /duplicate content/i, code: "content_flagged" },
  {
    status: [400, 403],
    wording: /longer than 2 minutes|exceeds max duration/i,
    code: "media_invalid",
  },
  {
    status: [403],
    wording: /suspended|account (?:is |has been )?(?:temporarily )?locked/i,
    code: "account_disconnected",
  },
  { status: [403], problem: /^unsupported-authentication$/, code: "account_disconnected" },
  { status: [403], wording: /Unsupported Authentication/i, code: "account_disconnected" },
  { status: [400, 403], wording: /cashtag/i, code: "content_flagged" },
  {
    status: [400, 403],
    wording: /invalid URL|link.* blocked|spam|automated|malicious|harmful/i,
    code: "content_flagged",
  },
  { status: [400], wording: MEDIA_IDS, code: "platform_unavailable", restart: true },
];

/** X tells the wait until the end of a window; longer ones are left to the caller. */
const LONGEST_WAIT_SECONDS = 600;

const failed = (code: FailureCode, message: string, transient = false): Refused => ({
  kind: "failed",
  failure: { code, message },
  transient,
});

export const mediaInvalid = (message: string): Refused => failed("media_invalid", message);
export const contentFlagged = (message: string): Refused => failed("content_flagged", message);

export const mediaUnreachable = (message: string, transient: boolean): Refused =>
  failed("media_unreachable", message, transient);

/** The upload that was begun is of no use any more. */
export const sendAgain = (message: string): Refused => ({
  ...failed("platform_unavailable", message, true),
  restart: true,
});

export const isTokenRefusal = ({ status }: XRefusal): boolean => status === 401;

export const isDuplicate = ({ status, message }: XRefusal): boolean =>
  status === 403 && /duplicate content/i.test(message);

/** The files are not there any more, or stand in a post already. */
export const areMediaRefused = ({ status, message }: XRefusal): boolean =>
  status === 400 && MEDIA_IDS.test(message);

/** What the call led to is not known: X fell over, or what answered was something else. */
export const isUndecided = ({ status }: XRefusal): boolean =>
  status < 400 || status === 408 || status >= 500;

/** A question that may well be answered a little later. */
export const isAskedAgain = (refusal: XRefusal): boolean =>
  isUndecided(refusal) || refusal.status === 429;

/** The developer's app is out of credits, or may not use the API: no account can do anything about it. */
export const isAboutApp = ({ status, problem }: XRefusal): boolean =>
  status === 402 || (status === 403 && problem === "client-forbidden");

/** What was begun at X is not there any more. */
export const isGone = ({ status }: XRefusal): boolean => status === 404 || status === 410;

function toRateLimited({ message, resetsAt }: XRefusal, now: Date): Refused {
  if (!resetsAt) return failed("rate_limited", message);
  const seconds = Math.max(1, Math.ceil(secondsBetween(now, resetsAt)));
  return {
    kind: "failed",
    failure: { code: "rate_limited", message, retryAfterSeconds: seconds },
    transient: seconds <= LONGEST_WAIT_SECONDS,
  };
}

/** A part was too large for X's edge, which says so without a body; a later try meets another edge. */
const TOO_LARGE = 413;

/** A definite refusal in our terms. */
export function toRefused(refusal: XRefusal, now: Date): Refused | TokenExpired {
  const { status, problem, message } = refusal;
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  if (status === 429) return toRateLimited(refusal, now);
  if (isUndecided(refusal) || status === TOO_LARGE) {
    return failed("platform_unavailable", message, true);
  }
  if (isAboutApp(refusal) && status === 403) {
    return failed(
      "platform_unavailable",
      `X refuses this instance's app, not the account: ${message}`,
    );
  }
  const rule = REFUSALS.find(
    (one) =>
      (one.status?.includes(status) ?? true) &&
      (one.problem?.test(problem ?? "") ?? true) &&
      (one.wording?.test(message) ?? true),
  );
  if (rule?.restart) return sendAgain(message);
  return failed(rule?.code ?? "unknown", message);
}

/** Why X gave up on a file, by the names it gives. An unknown name is told as it came. */
export function toProcessingFailure({ error }: NonNullable<Processing>): Refused {
  const name = error?.name ?? "";
  const message = `X could not process the file: ${error?.message || name || "it gives no reason"}.`;
  if (/exceeds max duration/i.test(message)) {
    return mediaInvalid(`${message} Shorten the video, or subscribe the account to X Premium.`);
  }
  if (/^(?:InvalidMedia|UnsupportedMedia)/.test(name)) return mediaInvalid(message);
  if (/^InternalError/.test(name)) return sendAgain(message);
  return failed("unknown", message);
}
