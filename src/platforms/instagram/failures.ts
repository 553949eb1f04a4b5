import type { Refused } from "../connector.ts";
import {
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
  [2207001, UNAVAILABLE],
  [2207003, UNREACHABLE],
  [2207004, INVALID],
  [2207005, INVALID],
  [2207006, UNKNOWN],
  // Meta briefly cannot find the container.
  [2207008, UNAVAILABLE],
  [2207009, INVALID],
  [2207010, FLAGGED],
  [2207020, GONE],
  [2207023, UNKNOWN],
  [2207026, INVALID],
  // The container is not ready for publishing.
  [2207027, UNAVAILABLE],
  [2207028, INVALID],
  [2207032, UNAVAILABLE],
  [2207035, UNKNOWN],
  [2207036, UNKNOWN],
  [2207037, UNKNOWN],
  [2207040, UNKNOWN],
  // The limit of posts in 24 hours.
  [2207042, LIMITED],
  [2207050, DISCONNECTED],
  [2207051, FLAGGED],
  [2207052, UNREACHABLE],
  [2207053, UNAVAILABLE],
  [2207057, INVALID],
  [2207076, UNREACHABLE],
  [2207077, UNREACHABLE],
  [2207081, UNKNOWN],
  [2207082, UNAVAILABLE],
  [2207085, UNKNOWN],
];

const BY_CODE: [number, Rule][] = [
  [9, LIMITED],
  [25, DISCONNECTED],
  [352, INVALID],
  [9004, UNREACHABLE],
  [9007, UNAVAILABLE],
  [36000, INVALID],
  [36001, INVALID],
  [36003, INVALID],
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
