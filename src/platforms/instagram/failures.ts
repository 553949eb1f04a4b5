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

/**
 * Rules by error_subcode.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
 */
const BY_SUBCODE: [number, Rule][] = [
  [2207001, UNAVAILABLE],
  [2207003, UNREACHABLE],
  [2207004, INVALID],
  [2207005, INVALID],
  [2207006, UNKNOWN],
  // The container is not to be found for a moment.
  [2207008, UNAVAILABLE],
  [2207009, INVALID],
  [2207010, FLAGGED],
  [2207020, GONE],
  [2207023, UNKNOWN],
  [2207026, INVALID],
  // Not ready to be published.
  [2207027, UNAVAILABLE],
  [2207028, INVALID],
  [2207032, UNAVAILABLE],
  [2207035, UNKNOWN],
  [2207036, UNKNOWN],
  [2207037, UNKNOWN],
  [2207040, UNKNOWN],
  // Posts in 24 hours: the next one may be a day away.
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

/** Rules by code, where no subcode says more. */
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

/** Said of a container that cannot be published yet, or not for the moment: nothing went out. */
const NOT_PUBLISHED = [2207008, 2207020, 2207027, 9007];

export const judge = graphJudge({
  bySubcode: BY_SUBCODE,
  byCode: BY_CODE,
  rateLimits: [80002],
  notPublished: NOT_PUBLISHED,
});

export const { isUndecided, toRefused } = judge;
const { ruleOfSubcode } = judge;

/** A container whose status says nothing but a sentence about the file. */
const ABOUT_THE_FILE =
  /format|duration|aspect|codec|resolution|frame rate|file size|too (?:large|big|long|short)/i;
const SUBCODE = /\b2207\d{3}\b/;

/** Returns why a container ended as ERROR. A repeat has to begin with a new container. */
export function toContainerRefused(status: string | null | undefined): Refused {
  const said = status?.trim() ?? "";
  const subcode = Number(SUBCODE.exec(said)?.[0]);
  const rule = ruleOfSubcode(subcode) ?? (ABOUT_THE_FILE.test(said) ? INVALID : UNKNOWN);
  const message = capped(said || "Instagram could not process the media.");
  return refusedBy({ ...rule, restart: rule.transient }, message);
}
