import type { FailureCode } from "../../core/failures.ts";
import type { Refused } from "../connector.ts";
import {
  BUSY,
  DISCONNECTED,
  failed,
  INVALID,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
  UNKNOWN,
} from "../kit/refusals.ts";
import type { VideoStatus, YouTubeRefusal } from "./api.ts";

const CALL_LIMIT_SECONDS = 120;
const DAY_SECONDS = 86_400;

/** The API quota of the app's Google project. */
const QUOTA: Rule = { code: "rate_limited" };
/** The channel's own limit on uploads. */
const UPLOADS: Rule = { code: "rate_limited" };

/** @see https://developers.google.com/youtube/v3/docs/errors */
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
  ["rateLimitExceeded", BUSY],
  ["userRateLimitExceeded", BUSY],
  ["uploadRateLimitExceeded", BUSY],
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

/** Also given for metadata that the channel may not send. */
const ANY_METADATA = "invalidVideoMetadata";

const isKnownReason = (reason: string | null): boolean => reason !== null && BY_REASON.has(reason);

export const isOfOptionalParts = ({ status, reason }: YouTubeRefusal): boolean =>
  status === 400 && (reason === ANY_METADATA || !isKnownReason(reason));

/** Source: YouTube Data API, "Videos", `failureReason`. */
const FAILURE_REASONS = new Map<string, FailureCode>([
  ["codec", "media_invalid"],
  ["conversion", "media_invalid"],
  ["emptyFile", "media_invalid"],
  ["invalidFile", "media_invalid"],
  ["tooSmall", "media_invalid"],
  ["uploadAborted", "platform_unavailable"],
]);

/** Source: YouTube Data API, "Videos", `rejectionReason`. */
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

/** YouTube's quotas reset then. An hour off on days when clocks change. */
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

const WAITS = new Map<Rule, (now: Date) => number>([
  [QUOTA, secondsToPacificMidnight],
  [UPLOADS, () => DAY_SECONDS],
  [BUSY, () => CALL_LIMIT_SECONDS],
]);

export const { isTokenRefusal, isUndecided, isTemporary, toRefused, toUnknowable } =
  refusalJudge<YouTubeRefusal>({
    isTokenRefusal: ({ status, reason }) => status === 401 && !isKnownReason(reason),
    ruleOf: ({ status, reason }) =>
      BY_REASON.get(reason ?? "") ?? (status === 429 ? BUSY : undefined),
    waitSeconds: (rule, { retryAfterSeconds }, now) =>
      retryAfterSeconds ?? WAITS.get(rule)?.(now) ?? null,
  });

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
