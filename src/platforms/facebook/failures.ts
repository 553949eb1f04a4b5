import type { FailureCode } from "../../core/failures.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import {
  DISCONNECTED,
  FLAGGED,
  GONE,
  type GraphRule,
  graphJudge,
  INVALID,
  LIMITED,
  UNAVAILABLE,
  UNKNOWN,
  UNREACHABLE,
} from "../meta/failures.ts";
import type { GraphRefusal } from "../meta/graph.ts";

/** Identical to a post that is out, and photos that are in one already. */
const DUPLICATE_POST = 506;
const DUPLICATE_PHOTOS = 1366051;
/**
 * An address that is none, and one that Facebook could not read.
 *
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const INVALID_ADDRESS = 1500;
const UNREADABLE_ADDRESS = 1609005;
/** A reel's parameter that is not taken, or something else that is not in order. */
const INVALID_PARAMETER = 100;
/** Not the part of the video that comes next. */
const WRONG_OFFSET = 1363037;

const all = (numbers: number[], rule: GraphRule): [number, GraphRule][] =>
  numbers.map((number) => [number, rule]);

/**
 * What Meta's longer numbers mean. Most come as error_subcode, some as code.
 *
 * @see https://developers.facebook.com/docs/video-api/guides/publishing
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const LONG_NUMBERS: [number, GraphRule][] = [
  // Posting too fast: a repeat soon after makes it worse.
  [1390008, LIMITED],
  ...all([1363019, 1363021, WRONG_OFFSET, 1363047, 1609010], UNAVAILABLE),
  // The upload's session has run out, or is lost.
  ...all([1363030, 1363033, 1363041, 1363045], GONE),
  ...all([INVALID_ADDRESS, UNREADABLE_ADDRESS], UNREACHABLE),
  ...all([1609008, 2061006], FLAGGED),
  // A broken, too small, too large, too short or too long file.
  ...all([1363020, 1363022, 1363023, 1363024, 1363025, 1363026, 1363031, 1363032], INVALID),
  // Ratio, resolution, duration and frame rate of a reel.
  ...all([1363040, 1363127, 1363128, 1363129], INVALID),
  ...all([1366046, 2069019], INVALID),
  [DUPLICATE_PHOTOS, UNKNOWN],
  ...all([1346003, 1404102, 1349125], FLAGGED),
  // A security check, an identity to be confirmed, a limited account, no right to upload.
  ...all([1404006, 4854002, 1404112, 1404078, 1363042], DISCONNECTED),
];

const CODES: [number, GraphRule][] = [
  [3, DISCONNECTED],
  [324, INVALID],
  [382, INVALID],
  [389, UNREACHABLE],
  [DUPLICATE_POST, FLAGGED],
  [6000, INVALID],
  [6001, INVALID],
];

/** 80000 to 80014; 80001 is that of Pages. Source: Meta, "Rate limits". */
const BUSINESS_LIMITS = Array.from({ length: 15 }, (_, n) => 80_000 + n);

const judge = graphJudge({
  bySubcode: LONG_NUMBERS,
  byCode: [...CODES, ...LONG_NUMBERS],
  rateLimits: [341, ...BUSINESS_LIMITS],
  notPublished: [
    368,
    DUPLICATE_POST,
    DUPLICATE_PHOTOS,
    1390008,
    INVALID_ADDRESS,
    UNREADABLE_ADDRESS,
  ],
});

export const { isTokenRefusal, isLoginLost, isPassing, isUndecided } = judge;

/** What Meta has only words for. */
const BY_WORDS: [RegExp, FailureCode][] = [
  [/no permission to publish the video/i, "account_disconnected"],
  [/\b(?:image|photo|picture|video|file)\b/i, "media_invalid"],
];

/** A definite refusal in our terms. */
export function toRefused(refusal: GraphRefusal): Refused | TokenExpired {
  const refused = judge.toRefused(refusal);
  const isVague = refusal.code === INVALID_PARAMETER || refusal.code === null;
  if (!isVague || refused.kind !== "failed" || refused.failure.code !== "unknown") return refused;
  if (refusal.subcode === DUPLICATE_PHOTOS) return refused;
  const code = BY_WORDS.find(([words]) => words.test(refusal.message))?.[1];
  return code ? { ...refused, failure: { ...refused.failure, code } } : refused;
}

const isNumbered = ({ code, subcode }: GraphRefusal, number: number): boolean =>
  code === number || subcode === number;

/** The same of a post with a link, where an address that is refused is the post's own text. */
export function toLinkRefused(refusal: GraphRefusal): Refused | TokenExpired {
  const isAboutLink =
    isNumbered(refusal, INVALID_ADDRESS) || isNumbered(refusal, UNREADABLE_ADDRESS);
  return isAboutLink ? failed("content_flagged", refusal.message) : toRefused(refusal);
}

/** Whether the same post is said to be out already. */
export const isDuplicate = (refusal: GraphRefusal): boolean =>
  isNumbered(refusal, DUPLICATE_POST) || isNumbered(refusal, DUPLICATE_PHOTOS);

export const isWrongOffset = (refusal: GraphRefusal): boolean => isNumbered(refusal, WRONG_OFFSET);

/** Whether a call was refused for one parameter of this name, so that nothing came of it. */
export const isRefusedParameter = (refusal: GraphRefusal, name: string): boolean =>
  refusal.code === INVALID_PARAMETER &&
  refusal.status >= 400 &&
  refusal.status < 500 &&
  refusal.message.includes(name);

/** What the server that takes the files of reels says of one. */
export interface PullRefusal extends GraphRefusal {
  /** Such as `ProcessingFailedError`; null where the answer was one of the Graph API's. */
  type: string | null;
  retriable: boolean;
}

/** Why the file of a reel could not be had. */
export function toPullRefused(refusal: PullRefusal): Refused | TokenExpired {
  const { type, retriable, message } = refusal;
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  if (type === null) return toRefused(refusal);
  if (type === "OffsetInvalidError") return sendAgain(message);
  if (retriable || type === "PartialRequestError" || refusal.status >= 500) {
    return { kind: "failed", failure: { code: "platform_unavailable", message }, transient: true };
  }
  return failed("media_unreachable", message);
}

export const failed = (code: FailureCode, message: string): Refused => ({
  kind: "failed",
  failure: { code, message },
  transient: false,
});

/** The upload is gone at Facebook, and nothing was published of it. */
export const sendAgain = (message: string): Refused => ({
  kind: "failed",
  failure: { code: "platform_unavailable", message },
  transient: true,
  restart: true,
});
