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

/** A publish call may also get this subcode for a new container. */
export const CONTAINER_MISSING = 4279009;

/** Source: Threads API, "Troubleshooting", and open-source clients. */
const BY_SUBCODE: [number, Rule][] = [
  [CONTAINER_MISSING, { code: "unknown", transient: true }],
  [4279013, DISCONNECTED],
  [2207051, FLAGGED],
  [2207052, UNREACHABLE],
];

const BY_CODE: [number, Rule][] = [[9004, UNREACHABLE]];

/** Codes of rate limits. Source: Meta, "Rate limits". */
const BUSINESS_LIMITS = Array.from({ length: 1_000 }, (_, index) => 80_000 + index);

/** For unclear codes. Source: Threads API, "Changelog" and "Posts". */
const BY_WORDS: [RegExp, Rule][] = [
  [/THREADS_API__LINK_LIMIT_EXCEEDED/, FLAGGED],
  [/\btext\b.*(?:at most|too long|\b500\b|blank|empty|required)/i, FLAGGED],
  [/\b(?:limit|quota|maximum number)\b.*\b(?:posts?|publish\w*)\b/i, LIMITED],
  [/\b(?:posts?|publish\w*)\b.*\b(?:limit|quota)\b/i, LIMITED],
];

const byNumbers = graphJudge({
  bySubcode: BY_SUBCODE,
  byCode: BY_CODE,
  rateLimits: BUSINESS_LIMITS,
  notPublished: [CONTAINER_MISSING],
});

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

/** The media were fine: new containers may succeed. */
const TEMPORARY: Rule = { code: "unknown", transient: true, restart: true };

/** Source: Threads API, "Troubleshooting". */
const BY_REASON: [RegExp, Rule][] = [
  [/^FAILED_DOWNLOADING_\w+$/, UNREACHABLE],
  [/^FAILED_PROCESSING_(?:AUDIO|VIDEO)$/, INVALID],
  // INVALID_ASPEC_RATIO is Threads' spelling.
  [
    /^INVALID_(?:ASPECT?_RATIO|BIT_RATE|DURATION|FRAME_RATE|AUDIO_CHANNELS|AUDIO_CHANNEL_LAYOUT)$/,
    INVALID,
  ],
  [/^UNKNOWN$/, TEMPORARY],
];

export function toContainerRefused(reason: string | null): Refused {
  const wording = reason?.trim() ?? "";
  const rule = BY_REASON.find(([words]) => words.test(wording))?.[1] ?? UNKNOWN;
  const message = wording
    ? capped(`Threads could not prepare the post: ${wording}`)
    : "Threads could not prepare the post.";
  return refusedBy(rule, message);
}
