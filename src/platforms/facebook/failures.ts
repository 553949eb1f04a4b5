import type { FailureCode } from "../../core/failures.ts";
import type { Stopped } from "../connector.ts";
import {
  all,
  DISCONNECTED,
  FLAGGED,
  failed,
  GONE,
  INVALID,
  LIMITED,
  type Rule,
  sendAgain,
  UNAVAILABLE,
  UNKNOWN,
  UNREACHABLE,
  unavailable,
} from "../kit/refusals.ts";
import { TOKEN_EXPIRED } from "../kit/steps.ts";
import { graphJudge } from "../meta/failures.ts";
import type { GraphRefusal } from "../meta/graph.ts";

const DUPLICATE_POST = 506;
const DUPLICATE_PHOTOS = 1366051;
/**
 * For a malformed URL and for one that Facebook could not read.
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const INVALID_ADDRESS = 1500;
const UNREADABLE_ADDRESS = 1609005;
/** Meta sends this code for other mistakes too. */
export const INVALID_PARAMETER = 100;
const WRONG_OFFSET = 1363037;

/**
 * Meta sends most of these numbers as `error_subcode`, some as `code`.
 * @see https://developers.facebook.com/docs/video-api/guides/publishing
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const LONG_NUMBERS: [number, Rule][] = [
  [1390008, LIMITED],
  ...all([1363019, 1363021, WRONG_OFFSET, 1363047, 1609010], UNAVAILABLE),
  // The upload session expired or is lost.
  ...all([1363030, 1363033, 1363041, 1363045], GONE),
  ...all([INVALID_ADDRESS, UNREADABLE_ADDRESS], UNREACHABLE),
  ...all([1609008, 2061006], FLAGGED),
  ...all([1363020, 1363022, 1363023, 1363024, 1363025, 1363026, 1363031, 1363032], INVALID),
  // The reel has a wrong ratio, resolution, duration or frame rate.
  ...all([1363040, 1363127, 1363128, 1363129], INVALID),
  ...all([1366046, 2069019], INVALID),
  [DUPLICATE_PHOTOS, UNKNOWN],
  ...all([1346003, 1404102, 1349125], FLAGGED),
  // The account needs a security check, is limited, or may not upload.
  ...all([1404006, 4854002, 1404112, 1404078, 1363042], DISCONNECTED),
];

const CODES: [number, Rule][] = [
  [3, DISCONNECTED],
  ...all([324, 382, 6000, 6001], INVALID),
  [389, UNREACHABLE],
  [DUPLICATE_POST, FLAGGED],
];

/** Pages get 80001. Source: Meta, "Rate limits". */
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

export const { isTokenRefusal, isLoginLost, isTemporary, isUndecided, toUnknowable } = judge;

const BY_WORDS: [RegExp, FailureCode][] = [
  [/no permission to publish the video/i, "account_disconnected"],
  [/\b(?:image|photo|picture|video|file)\b/i, "media_invalid"],
];

export function toRefused(refusal: GraphRefusal): Stopped {
  const refused = judge.toRefused(refusal);
  const isVague = refusal.code === INVALID_PARAMETER || refusal.code === null;
  if (!isVague || refused.kind !== "failed" || refused.failure.code !== "unknown") return refused;
  if (refusal.subcode === DUPLICATE_PHOTOS) return refused;
  const code = BY_WORDS.find(([words]) => words.test(refusal.message))?.[1];
  return code ? { ...refused, failure: { ...refused.failure, code } } : refused;
}

const isNumbered = ({ code, subcode }: GraphRefusal, number: number): boolean =>
  code === number || subcode === number;

export function toLinkRefused(refusal: GraphRefusal): Stopped {
  const isAboutLink =
    isNumbered(refusal, INVALID_ADDRESS) || isNumbered(refusal, UNREADABLE_ADDRESS);
  return isAboutLink ? failed("content_flagged", refusal.message) : toRefused(refusal);
}

export const isDuplicate = (refusal: GraphRefusal): boolean =>
  isNumbered(refusal, DUPLICATE_POST) || isNumbered(refusal, DUPLICATE_PHOTOS);

export const isWrongOffset = (refusal: GraphRefusal): boolean => isNumbered(refusal, WRONG_OFFSET);

export const isRefusedParameter = (refusal: GraphRefusal, name: string): boolean =>
  refusal.code === INVALID_PARAMETER &&
  refusal.status >= 400 &&
  refusal.status < 500 &&
  refusal.message.includes(name);

export interface PullRefusal extends GraphRefusal {
  /** The upload server's error name, such as `ProcessingFailedError`. Null from the Graph API. */
  type: string | null;
  retriable: boolean;
}

export function toPullRefused(refusal: PullRefusal): Stopped {
  const { type, retriable, message } = refusal;
  if (isTokenRefusal(refusal)) return TOKEN_EXPIRED;
  if (type === null) return toRefused(refusal);
  if (type === "OffsetInvalidError") return sendAgain(message);
  if (retriable || type === "PartialRequestError" || refusal.status >= 500) {
    return unavailable(message);
  }
  return failed("media_unreachable", message);
}
