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
/** Errors of a job in the words from before there were failure codes. Source: Bluesky's own client. */
const MEDIA_JOB_ERRORS = new Set([
  "video_too_long",
  "bad_aspect_ratio",
  "unsupported_codec",
  "encoded_video_too_large",
]);
/** The session does not exist any more. Source: lexicon app.bsky.video.uploadPart. */
const SESSION_OVER = new Set(["UploadNotFound", "UploadExpired", "UploadAborted", "UploadFailed"]);
/** Our plan of the parts is not the service's. Source: lexicon app.bsky.video.uploadPart. */
const PLAN_ERRORS = new Set(["InvalidPartNumber", "PartSizeMismatch"]);
/** Source: lexicon app.bsky.video.uploadPart, finishUpload. */
const UNCLEAR = new Set(["UploadNotReady", "UploadAlreadyCompleted", "MissingParts"]);

/** Only the account's owner can change that. Source: Bluesky's own client, which knows these texts. */
const FORBIDDEN_WORDING = /confirm your email|not allowed to upload|not old enough/i;
const LIMIT_WORDING = /exceeded daily|daily limit|reached the limit/i;
const SIZE_WORDING = /is larger than the maximum/i;

/** Messages for failed jobs where the service gives no words of its own. */
const JOB_MESSAGES: Record<string, string> = {
  validation_failure: "Bluesky does not take this video.",
  encoding_failure: "Bluesky could not convert this video.",
  pds_upload_unsupported_blob_size:
    "The account's server takes no video of this size; send a smaller one.",
  pds_upload_failure: "Bluesky could not write the video to the account's server.",
};

/** The service has to be asked how far it has come. */
export const isUnclear = ({ name }: XrpcRefusal): boolean => UNCLEAR.has(name ?? "");

/** A session that was given up still holds its place, so it should be closed. */
export const isSessionOpen = ({ name }: XrpcRefusal): boolean => !SESSION_OVER.has(name ?? "");

/** Refusals that are about the video or the account. */
const OF_EVERY_WAY: ReadonlySet<FailureCode> = new Set([
  "media_invalid",
  "rate_limited",
  "account_disconnected",
]);

/**
 * Returns true when a single shot would be refused as well; every other refusal is one of the parts. So
 * does Bluesky's own client.
 */
export const isOfEveryWay = ({ failure }: Refused): boolean => OF_EVERY_WAY.has(failure.code);

/** Turns a refusal of the video service into ours. `now` turns the moment a limit ends into a wait. */
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
  // The refused token was made a moment ago with the account's login, so the login itself is good.
  if (name === "ServiceOverloaded" || isTokenRefusal(refusal)) return unavailable(message);
  const refused = toRefused(refusal, now);
  return refused.kind === "failed" ? refused : unavailable(message);
}

/** Returns why the account may not upload at present. */
export function toLimitRefused({ message, error }: UploadLimits): Refused {
  const said = message || error || "The account has reached Bluesky's limit of videos for now.";
  return failed(FORBIDDEN_WORDING.test(said) ? "account_disconnected" : "rate_limited", said);
}

/** Returns why a job failed that left no video behind. A failed job stays so: another try is another job. */
export function toJobRefused({ failureCode, error, message }: JobStatus): Refused {
  const code = failureCode ?? "";
  const said =
    message || JOB_MESSAGES[code] || error || "Bluesky's video service failed with this video.";
  const isMedia = MEDIA_FAILURES.has(code) || (!code && MEDIA_JOB_ERRORS.has(error ?? ""));
  return isMedia ? mediaInvalid(said) : sendAgain(said);
}
