import { secondsBetween } from "../../core/time.ts";
import type { Refused, Stopped } from "../connector.ts";
import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  failed,
  GONE,
  INVALID,
  LIMITED,
  mediaInvalid,
  type Rule,
  refusalJudge,
  sendAgain,
  UNAVAILABLE,
} from "../kit/refusals.ts";
import type { XRefusal } from "./api.ts";
import type { Processing } from "./media-api.ts";

interface Row {
  status: number[];
  problem?: RegExp;
  wording?: RegExp;
  rule: Rule;
}

const MEDIA_IDS = /media[ _]ids?\b/i;

/**
 * X seldom sends error codes, so its wording decides.
 * @see https://docs.x.com/x-api/fundamentals/response-codes-and-errors
 */
const REFUSALS: Row[] = [
  { status: [402], rule: { code: "platform_unavailable" } },
  { status: [403], problem: /^usage-capped$/, rule: LIMITED },
  { status: [403], wording: /duplicate content/i, rule: FLAGGED },
  { status: [400, 403], wording: /longer than 2 minutes|exceeds max duration/i, rule: INVALID },
  // X may also say this of a parent that it made a moment ago.
  {
    status: [403],
    wording: /reply to a (?:tweet|post) that is deleted/i,
    rule: { code: "unknown", transient: true },
  },
  {
    status: [403],
    wording: /suspended|account (?:is |has been )?(?:temporarily )?locked/i,
    rule: DISCONNECTED,
  },
  { status: [403], problem: /^unsupported-authentication$/, rule: DISCONNECTED },
  { status: [403], wording: /Unsupported Authentication/i, rule: DISCONNECTED },
  { status: [400, 403], wording: /cashtag/i, rule: FLAGGED },
  {
    status: [400, 403],
    wording: /invalid URL|link.* blocked|spam|automated|malicious|harmful/i,
    rule: FLAGGED,
  },
  { status: [400], wording: MEDIA_IDS, rule: GONE },
  // One of X's edge servers refuses without a body; a retry may reach another.
  { status: [413], rule: UNAVAILABLE },
];

const RATE_LIMIT = 429;

const judge = refusalJudge<XRefusal>({
  isTokenRefusal: ({ status }) => status === 401,
  ruleOf: ({ status, problem, message, resetsAt }) => {
    if (status === RATE_LIMIT) return resetsAt ? BUSY : LIMITED;
    return REFUSALS.find(
      (row) =>
        row.status.includes(status) &&
        (row.problem?.test(problem ?? "") ?? true) &&
        (row.wording?.test(message) ?? true),
    )?.rule;
  },
  waitSeconds: (rule, { resetsAt }, now) =>
    rule === BUSY && resetsAt ? Math.max(1, Math.ceil(secondsBetween(now, resetsAt))) : null,
  isLongLimit: ({ status }) => status === RATE_LIMIT,
});

export const { isTokenRefusal, isUndecided, isTemporary, toUnknowable } = judge;

export const isDuplicate = ({ status, message }: XRefusal): boolean =>
  status === 403 && /duplicate content/i.test(message);

/** The files are gone or already belong to a post. */
export const areMediaRefused = ({ status, message }: XRefusal): boolean =>
  status === 400 && MEDIA_IDS.test(message);

/** The app is out of credits or barred; the account is not the cause. */
export const isAboutApp = ({ status, problem }: XRefusal): boolean =>
  status === 402 || (status === 403 && problem === "client-forbidden");

export const toRefused = (refusal: XRefusal, now: Date): Stopped =>
  isAboutApp(refusal) && refusal.status === 403
    ? failed(
        "platform_unavailable",
        `X refuses this instance's app, not the account: ${refusal.message}`,
      )
    : judge.toRefused(refusal, now);

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
