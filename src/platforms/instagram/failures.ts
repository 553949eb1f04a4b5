import type { Refused } from "../connector.ts";
import {
  all,
  DISCONNECTED,
  FLAGGED,
  GONE,
  INVALID,
  LIMITED,
  type Rule,
  refusedBy,
  UNAVAILABLE,
  UNKNOWN,
  UNREACHABLE,
} from "../kit/refusals.ts";
import { capped } from "../kit/replies.ts";
import { graphJudge } from "../meta/failures.ts";

/** @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes */
const BY_SUBCODE: [number, Rule][] = [
  // 2207008: Meta briefly cannot find the container. 2207027: it is not ready.
  ...all([2207001, 2207008, 2207027, 2207032, 2207053, 2207082], UNAVAILABLE),
  ...all([2207003, 2207052, 2207076, 2207077], UNREACHABLE),
  ...all([2207004, 2207005, 2207009, 2207026, 2207028, 2207057], INVALID),
  ...all([2207006, 2207023, 2207035, 2207036, 2207037, 2207040, 2207081, 2207085], UNKNOWN),
  ...all([2207010, 2207051], FLAGGED),
  [2207020, GONE],
  [2207042, LIMITED],
  [2207050, DISCONNECTED],
];

const BY_CODE: [number, Rule][] = [
  [9, LIMITED],
  [25, DISCONNECTED],
  ...all([352, 36000, 36001, 36003], INVALID),
  [9004, UNREACHABLE],
  [9007, UNAVAILABLE],
  [36004, FLAGGED],
];

/** Codes that prove that the container was not published. */
const NOT_PUBLISHED = [2207008, 2207020, 2207027, 9007];

export const judge = graphJudge({
  bySubcode: BY_SUBCODE,
  byCode: BY_CODE,
  rateLimits: [80002],
  notPublished: NOT_PUBLISHED,
});

export const { isUndecided, toRefused } = judge;
const { ruleOfSubcode } = judge;

const ABOUT_THE_FILE =
  /format|duration|aspect|codec|resolution|frame rate|file size|too (?:large|big|long|short)/i;
const SUBCODE = /\b2207\d{3}\b/;

export function toContainerRefused(status: string | null | undefined): Refused {
  const wording = status?.trim() ?? "";
  const subcode = Number(SUBCODE.exec(wording)?.[0]);
  const rule = ruleOfSubcode(subcode) ?? (ABOUT_THE_FILE.test(wording) ? INVALID : UNKNOWN);
  const message = capped(wording || "Instagram could not process the media.");
  return refusedBy({ ...rule, restart: rule.transient }, message);
}
