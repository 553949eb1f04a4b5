import type { Refused, Stopped } from "../connector.ts";
import {
  DISCONNECTED,
  FLAGGED,
  INVALID,
  LIMITED,
  type Rule,
  refusedBy,
  UNKNOWN,
  UNREACHABLE,
} from "../kit/refusals.ts";
import { capped } from "../kit/replies.ts";
import { type GraphJudge, graphJudge } from "../meta/failures.ts";
import type { GraphRefusal } from "../meta/graph.ts";

/** The container is not to be found: publishing may not know yet of one that is ready. */
export const CONTAINER_MISSING = 4279009;

/** Rules by error_subcode. Source: Threads API, "Troubleshooting", and public clients of it. */
const BY_SUBCODE: [number, Rule][] = [
  [CONTAINER_MISSING, { code: "unknown", transient: true }],
  // The profile is restricted.
  [4279013, DISCONNECTED],
  [2207051, FLAGGED],
  [2207052, UNREACHABLE],
];

/** Rules by code, where no subcode says more. */
const BY_CODE: [number, Rule][] = [[9004, UNREACHABLE]];

/** Limits of the calls of one business: all of 80xxx. Source: Meta, "Rate limits". */
const BUSINESS_LIMITS = Array.from({ length: 1_000 }, (_, index) => 80_000 + index);

/** Rules by words, where the numbers leave it open. Source: Threads API, "Changelog" and "Posts". */
const BY_WORDS: [RegExp, Rule][] = [
  [/THREADS_API__LINK_LIMIT_EXCEEDED/, FLAGGED],
  [/\btext\b.*(?:at most|too long|\b500\b|blank|empty|required)/i, FLAGGED],
  // Posts in 24 hours: the next one may be a day away.
  [/\b(?:limit|quota|maximum number)\b.*\b(?:posts?|publish\w*)\b/i, LIMITED],
  [/\b(?:posts?|publish\w*)\b.*\b(?:limit|quota)\b/i, LIMITED],
];

const byNumbers = graphJudge({
  bySubcode: BY_SUBCODE,
  byCode: BY_CODE,
  rateLimits: BUSINESS_LIMITS,
  // Said of a container that publishing does not know of: nothing went out.
  notPublished: [CONTAINER_MISSING],
});

/** Words count where the numbers say nothing, or leave open whether calls or posts were too many. */
function toRefused(refusal: GraphRefusal): Stopped {
  const refused = byNumbers.toRefused(refusal);
  if (refused.kind !== "failed") return refused;
  const { failure, transient } = refused;
  const isOfCalls = failure.code === "rate_limited";
  const isOpen = isOfCalls || (failure.code === "unknown" && !transient);
  const rule = BY_WORDS.find(([words]) => words.test(refusal.wording))?.[1];
  if (!isOpen || !rule || (isOfCalls && rule !== LIMITED)) return refused;
  return { ...refused, failure: { ...failure, code: rule.code }, transient: false };
}

export const judge: GraphJudge = { ...byNumbers, toRefused };

/** Nothing was wrong with the media: a repeat with new containers may do. */
const PASSING: Rule = { code: "unknown", transient: true, restart: true };

/** Rules by the error_message of a container. Source: Threads API, "Troubleshooting". */
const BY_REASON: [RegExp, Rule][] = [
  [/^FAILED_DOWNLOADING_\w+$/, UNREACHABLE],
  [/^FAILED_PROCESSING_(?:AUDIO|VIDEO)$/, INVALID],
  // With the spelling of INVALID_ASPEC_RATIO, which is theirs.
  [
    /^INVALID_(?:ASPECT?_RATIO|BIT_RATE|DURATION|FRAME_RATE|AUDIO_CHANNELS|AUDIO_CHANNEL_LAYOUT)$/,
    INVALID,
  ],
  [/^UNKNOWN$/, PASSING],
];

/** Returns why a container ended as ERROR. */
export function toContainerRefused(reason: string | null): Refused {
  const said = reason?.trim() ?? "";
  const rule = BY_REASON.find(([words]) => words.test(said))?.[1] ?? UNKNOWN;
  const message = said
    ? capped(`Threads could not prepare the post: ${said}`)
    : "Threads could not prepare the post.";
  return refusedBy(rule, message);
}
