import type { Refused, TokenExpired } from "../connector.ts";
import {
  DISCONNECTED,
  FLAGGED,
  type GraphJudge,
  type GraphRule,
  graphJudge,
  INVALID,
  LIMITED,
  UNKNOWN,
  UNREACHABLE,
} from "../meta/failures.ts";
import type { GraphRefusal } from "../meta/graph.ts";

/** The container is not to be found: publishing may not know yet of one that is ready. */
export const CONTAINER_MISSING = 4279009;

/** What an error_subcode means. Source: Threads API, "Troubleshooting", and public clients of it. */
const BY_SUBCODE: [number, GraphRule][] = [
  [CONTAINER_MISSING, { code: "unknown", transient: true }],
  // The profile is restricted.
  [4279013, DISCONNECTED],
  [2207051, FLAGGED],
  [2207052, UNREACHABLE],
];

/** What a code means where no subcode says more. */
const BY_CODE: [number, GraphRule][] = [[9004, UNREACHABLE]];

/** Limits of the calls of one business: all of 80xxx. Source: Meta, "Rate limits". */
const BUSINESS_LIMITS = Array.from({ length: 1_000 }, (_, index) => 80_000 + index);

/** What only the words say. Source: Threads API, "Changelog" and "Posts". */
const BY_WORDS: [RegExp, GraphRule][] = [
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
function toRefused(refusal: GraphRefusal): Refused | TokenExpired {
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
const PASSING: GraphRule = { code: "unknown", transient: true, restart: true };

/** What the error_message of a container means. Source: Threads API, "Troubleshooting". */
const BY_REASON: [RegExp, GraphRule][] = [
  [/^FAILED_DOWNLOADING_\w+$/, UNREACHABLE],
  [/^FAILED_PROCESSING_(?:AUDIO|VIDEO)$/, INVALID],
  // With the spelling of INVALID_ASPEC_RATIO, which is theirs.
  [
    /^INVALID_(?:ASPECT?_RATIO|BIT_RATE|DURATION|FRAME_RATE|AUDIO_CHANNELS|AUDIO_CHANNEL_LAYOUT)$/,
    INVALID,
  ],
  [/^UNKNOWN$/, PASSING],
];

/** Why a container ended as ERROR. */
export function toContainerRefused(reason: string | null): Refused {
  const said = reason?.trim() ?? "";
  const message = said
    ? `Threads could not prepare the post: ${said}`.slice(0, 500).toWellFormed()
    : "Threads could not prepare the post.";
  const {
    code,
    transient = false,
    restart,
  } = BY_REASON.find(([words]) => words.test(said))?.[1] ?? UNKNOWN;
  return {
    kind: "failed",
    failure: { code, message },
    transient,
    ...(restart ? { restart } : {}),
  };
}
