import type { FailureCode } from "../../core/failures.ts";
import type { Refused } from "../connector.ts";
import {
  failed,
  LIMITED,
  mediaInvalid,
  refusedBy,
  sendAgain,
  unavailable,
} from "../kit/refusals.ts";
import type { XrpcRefusal } from "./api.ts";
import { isTokenRefusal, toRefused, waitSeconds } from "./failures.ts";
import type { JobStatus, UploadLimits } from "./video-api.ts";

/** Source: lexicons app.bsky.video.startUpload, finishUpload. */
const MEDIA_ERRORS = new Set([
  "UnsupportedContentType",
  "VideoTooLarge",
  "VideoTooLong",
  "BadAspectRatio",
]);
/** Source: lexicon app.bsky.video.defs#jobStatus, `failureCode`. */
const MEDIA_FAILURES = new Set([
  "validation_failure",
  "encoding_failure",
  "pds_upload_unsupported_blob_size",
]);
/** Job errors without failure code. Source: Bluesky's own client. */
const MEDIA_JOB_ERRORS = new Set([
  "video_too_long",
  "bad_aspect_ratio",
  "unsupported_codec",
  "encoded_video_too_large",
]);
/** Source: lexicon app.bsky.video.uploadPart. */
const SESSION_OVER = new Set(["UploadNotFound", "UploadExpired", "UploadAborted", "UploadFailed"]);
/** Source: lexicon app.bsky.video.uploadPart. */
const PLAN_ERRORS = new Set(["InvalidPartNumber", "PartSizeMismatch"]);
/** Source: lexicon app.bsky.video.uploadPart, finishUpload. */
const UNCLEAR = new Set(["UploadNotReady", "UploadAlreadyCompleted", "MissingParts"]);

/** Only the account's owner can end these refusals. Source: Bluesky's own client. */
const FORBIDDEN_WORDING = /confirm your email|not allowed to upload|not old enough/i;
const LIMIT_WORDING = /exceeded daily|daily limit|reached the limit/i;
const SIZE_WORDING = /is larger than the maximum/i;

const JOB_MESSAGES: Record<string, string> = {
  validation_failure: "Bluesky does not take this video.",
  encoding_failure: "Bluesky could not convert this video.",
  pds_upload_unsupported_blob_size:
    "The account's server takes no video of this size; send a smaller one.",
  pds_upload_failure: "Bluesky could not write the video to the account's server.",
};

export const isUnclear = ({ name }: XrpcRefusal): boolean => UNCLEAR.has(name ?? "");

/** An open session counts toward the limits and should be aborted. */
export const isSessionOpen = ({ name }: XrpcRefusal): boolean => !SESSION_OVER.has(name ?? "");

const OF_EVERY_WAY: ReadonlySet<FailureCode> = new Set([
  "media_invalid",
  "rate_limited",
  "account_disconnected",
]);

/** Whether an upload in one piece would be refused too. Source: Bluesky's own client. */
export const isOfEveryWay = ({ failure }: Refused): boolean => OF_EVERY_WAY.has(failure.code);

export function toVideoRefused(refusal: XrpcRefusal, now: Date): Refused {
  const { message } = refusal;
  const name = refusal.name ?? "";
  if (MEDIA_ERRORS.has(name) || SIZE_WORDING.test(message)) return mediaInvalid(message);
  if (name === "UploadForbidden" || FORBIDDEN_WORDING.test(message)) {
    return failed("account_disconnected", message);
  }
  if (name === "DailyLimitExceeded" || LIMIT_WORDING.test(message)) {
    return refusedBy(LIMITED, message, waitSeconds(refusal, now));
  }
  if (name === "TooManyOpenUploads") return unavailable(message);
  if (SESSION_OVER.has(name) || PLAN_ERRORS.has(name)) return sendAgain(message);
  // The token was just issued, so the login is good.
  if (name === "ServiceOverloaded" || isTokenRefusal(refusal)) return unavailable(message);
  const refused = toRefused(refusal, now);
  return refused.kind === "failed" ? refused : unavailable(message);
}

export function toLimitRefused({ message, error }: UploadLimits): Refused {
  const wording = message || error || "The account has reached Bluesky's limit of videos for now.";
  return failed(FORBIDDEN_WORDING.test(wording) ? "account_disconnected" : "rate_limited", wording);
}

/** Another try needs another job. */
export function toJobRefused({ failureCode, error, message }: JobStatus): Refused {
  const code = failureCode ?? "";
  const wording =
    message || JOB_MESSAGES[code] || error || "Bluesky's video service failed with this video.";
  const isMedia = MEDIA_FAILURES.has(code) || (!code && MEDIA_JOB_ERRORS.has(error ?? ""));
  return isMedia ? mediaInvalid(wording) : sendAgain(wording);
}
