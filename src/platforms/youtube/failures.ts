import type { FailureCode } from "../../core/failures.ts";
import type { Refused, TokenExpired } from "../connector.ts";
import type { VideoStatus, YouTubeRefusal } from "./api.ts";

/** Longer waits are told and left to the person. */
const MAX_SHORT_WAIT_SECONDS = 600;
/** Limits of calls are per minute. */
const CALL_LIMIT_SECONDS = 120;
const DAY_SECONDS = 86_400;

interface Rule {
  code: FailureCode;
  transient?: boolean;
  waitSeconds?(now: Date): number;
}

const DISCONNECTED: Rule = { code: "account_disconnected" };
/** The budget of the whole Google project. */
const QUOTA: Rule = { code: "rate_limited", waitSeconds: secondsToPacificMidnight };
const CALLS: Rule = {
  code: "rate_limited",
  transient: true,
  waitSeconds: () => CALL_LIMIT_SECONDS,
};
/** The channel's own cap on uploads. */
const UPLOADS: Rule = { code: "rate_limited", waitSeconds: () => DAY_SECONDS };
const UNKNOWN: Rule = { code: "unknown" };
const INVALID: Rule = { code: "media_invalid" };
const UNAVAILABLE: Rule = { code: "platform_unavailable", transient: true };

/**
 * What a reason comes down to.
 *
 * @see https://developers.google.com/youtube/v3/docs/errors
 */
const BY_REASON = new Map<string, Rule>([
  ["youtubeSignupRequired", DISCONNECTED],
  ["invalid_grant", DISCONNECTED],
  ["insufficientPermissions", DISCONNECTED],
  ["authenticatedUserAccountClosed", DISCONNECTED],
  ["authenticatedUserAccountSuspended", DISCONNECTED],
  ["channelClosed", DISCONNECTED],
  ["channelSuspended", DISCONNECTED],
  ["quotaExceeded", QUOTA],
  ["dailyLimitExceeded", QUOTA],
  ["rateLimitExceeded", CALLS],
  ["userRateLimitExceeded", CALLS],
  ["uploadRateLimitExceeded", CALLS],
  ["uploadLimitExceeded", UPLOADS],
  ["invalidTitle", UNKNOWN],
  ["invalidDescription", UNKNOWN],
  ["invalidTags", UNKNOWN],
  ["invalidCategoryId", UNKNOWN],
  ["invalidPublishAt", UNKNOWN],
  ["invalidRecordingDetails", UNKNOWN],
  ["invalidVideoMetadata", UNKNOWN],
  ["defaultLanguageNotSet", UNKNOWN],
  ["invalidFilename", UNKNOWN],
  ["forbiddenPrivacySetting", UNKNOWN],
  ["forbiddenLicenseSetting", UNKNOWN],
  ["forbidden", UNKNOWN],
  ["mediaBodyRequired", INVALID],
  ["invalidImage", INVALID],
  ["internalError", UNAVAILABLE],
  ["backendError", UNAVAILABLE],
]);

/** YouTube's word for a part that this channel may not send as well: it does not say which. */
const ANY_METADATA = "invalidVideoMetadata";

const isKnownReason = (reason: string | null): boolean => reason !== null && BY_REASON.has(reason);

/** Whether the refusal may be about what was optional in the request. */
export const isOfOptionalParts = ({ status, reason }: YouTubeRefusal): boolean =>
  status === 400 && (reason === ANY_METADATA || !isKnownReason(reason));

/** Why YouTube could not process a video. Source: YouTube Data API, "Videos", `failureReason`. */
const FAILURE_REASONS = new Map<string, FailureCode>([
  ["codec", "media_invalid"],
  ["conversion", "media_invalid"],
  ["emptyFile", "media_invalid"],
  ["invalidFile", "media_invalid"],
  ["tooSmall", "media_invalid"],
  ["uploadAborted", "platform_unavailable"],
]);

/** Why YouTube took a video off. Source: the same, `rejectionReason`. */
const REJECTION_REASONS = new Map<string, FailureCode>([
  ["claim", "content_flagged"],
  ["copyright", "content_flagged"],
  ["duplicate", "content_flagged"],
  ["inappropriate", "content_flagged"],
  ["legal", "content_flagged"],
  ["termsOfUse", "content_flagged"],
  ["trademark", "content_flagged"],
  ["length", "media_invalid"],
  ["uploaderAccountClosed", "account_disconnected"],
  ["uploaderAccountSuspended", "account_disconnected"],
]);

/** Quotas begin anew at midnight in California; an hour off on the days its clocks are changed. */
export function secondsToPacificMidnight(now: Date): number {
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/Los_Angeles",
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).format(now);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  return DAY_SECONDS - (hours * 3_600 + minutes * 60 + seconds);
}

export const failed = (code: FailureCode, message: string, transient = false): Refused => ({
  kind: "failed",
  failure: { code, message },
  transient,
});

export const mediaInvalid = (message: string): Refused => failed("media_invalid", message);

/** The step did not lead on, and may after a while. */
export const tryLater = (message: string): Refused => failed("platform_unavailable", message, true);

export const unavailable = (message: string): Refused => failed("platform_unavailable", message);

export const isTokenRefusal = ({ status, reason }: YouTubeRefusal): boolean =>
  status === 401 && !isKnownReason(reason);

/** The session that a video was sent to is no more. */
export const isGone = ({ status }: YouTubeRefusal): boolean => status === 404 || status === 410;

/** YouTube is not there for now: down, overloaded, or something else answers in its place. */
export const isOutage = ({ status }: YouTubeRefusal): boolean =>
  status >= 500 || status === 408 || status < 400;

function ruleOf(refusal: YouTubeRefusal): Rule {
  const { status, reason } = refusal;
  const rule = reason === null ? undefined : BY_REASON.get(reason);
  if (rule) return rule;
  if (isOutage(refusal)) return UNAVAILABLE;
  return status === 429 ? CALLS : UNKNOWN;
}

/** A question that may well be answered a little later. */
export const isAskedAgain = (refusal: YouTubeRefusal): boolean =>
  ruleOf(refusal).transient === true;

/** A definite refusal in our terms. */
export function toRefused(refusal: YouTubeRefusal, now: Date): Refused | TokenExpired {
  if (isTokenRefusal(refusal)) return { kind: "token_expired" };
  const { code, transient = false, waitSeconds } = ruleOf(refusal);
  const { message } = refusal;
  const wait = refusal.retryAfterSeconds ?? waitSeconds?.(now);
  if (wait === undefined) return failed(code, message, transient);
  return {
    kind: "failed",
    failure: { code, message, retryAfterSeconds: wait },
    transient: transient && wait <= MAX_SHORT_WAIT_SECONDS,
  };
}

/** Why a video that was taken in came to nothing; null as long as nothing speaks against it. */
export function toGivenUp(status: VideoStatus): Refused | null {
  const { uploadStatus, failureReason = "", rejectionReason = "" } = status;
  const because = (reason: string) => (reason ? `: ${reason}` : "");
  switch (uploadStatus) {
    case "failed":
      return failed(
        FAILURE_REASONS.get(failureReason) ?? "unknown",
        `YouTube could not process the video${because(failureReason)}.`,
      );
    case "rejected":
      return failed(
        REJECTION_REASONS.get(rejectionReason) ?? "unknown",
        `YouTube rejected the video${because(rejectionReason)}.`,
      );
    case "deleted":
      return failed("unknown", "The video was deleted at YouTube.");
    default:
      return null;
  }
}
