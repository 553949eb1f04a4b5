import type { PublishedPost, Settled, TokenExpired, Waiting } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { ageOf, published, steppedLook, TOKEN_EXPIRED, waiting } from "../kit/steps.ts";
import {
  getStatusRequest,
  readDoneReply,
  readGetStatusReply,
  setThumbnailRequest,
  type VideoStatus,
} from "./api.ts";
import type { Job, Processing } from "./bookmark.ts";
import { isTemporary, isTokenRefusal, toGivenUp } from "./failures.ts";
import { requestedPrivacy } from "./metadata.ts";

/** Seconds. Small videos take moments to process. */
const LOOKS = [
  { until: 5, every: 5 },
  { until: 60, every: 30 },
];
const LATER_LOOKS = 60;
/** A video is public at once, but may be processed for hours. */
const CHECK_SECONDS = 600;
const MAX_THUMBNAIL_TRIES = 3;
const THUMBNAIL_RETRY_SECONDS = 30;

const STILL_PROCESSING = "YouTube is still processing the video.";
const NOT_SHOWN = "YouTube took the video in, but does not show it; it may still appear.";

const look = (job: Job, at: Processing): Waiting =>
  waiting(at, steppedLook(LOOKS, LATER_LOOKS, ageOf(at.since, job.now())));

export const accepted = (
  job: Job,
  { warnings }: { warnings: string[] },
  { videoId, privacyStatus }: { videoId: string; privacyStatus: string | null },
): Waiting =>
  look(job, {
    stage: "processing",
    videoId,
    since: job.now().getTime(),
    privacyStatus,
    thumbnailTries: 0,
    warnings,
  });

type Sight =
  | { kind: "seen"; status: VideoStatus }
  /** YouTube answers, but does not list the video. */
  | { kind: "hidden" }
  | { kind: "not_told" }
  | TokenExpired;

async function askStatus(job: Job, videoId: string): Promise<Sight> {
  try {
    const request = getStatusRequest(job.accessToken, videoId);
    const reply = await readGetStatusReply(await job.fetch(request));
    if (reply.ok) return reply.value ? { kind: "seen", status: reply.value } : { kind: "hidden" };
    return { kind: isTokenRefusal(reply.error) ? "token_expired" : "not_told" };
  } catch {
    return { kind: "not_told" };
  }
}

/** After `CHECK_SECONDS`, a video in processing counts as published if YouTube shows it. */
export async function followVideo(job: Job, at: Processing): Promise<Settled> {
  const sight = await askStatus(job, at.videoId);
  if (sight.kind === "token_expired") return sight;
  const status = sight.kind === "seen" ? sight.status : null;
  const givenUp = status && toGivenUp(status);
  if (givenUp) return givenUp;
  const seen = { ...at, privacyStatus: status?.privacyStatus ?? at.privacyStatus };
  const isDone = status?.uploadStatus === "processed";
  const isOver = ageOf(at.since, job.now()) > CHECK_SECONDS;
  if (!isDone && !isOver) return look(job, seen);
  if (sight.kind === "hidden") return failed("platform_processing_timeout", NOT_SHOWN);
  const warnings = isDone ? seen.warnings : [...seen.warnings, STILL_PROCESSING];
  return setThumbnail(job, seen, warnings);
}

/** A refused thumbnail does not fail the post. */
async function setThumbnail(job: Job, at: Processing, warnings: string[]): Promise<Settled> {
  const answer = await sendThumbnail(job, at.videoId);
  if (answer === "set") return toPublished(job, at, warnings);
  if (answer === "token_expired") return TOKEN_EXPIRED;
  const thumbnailTries = at.thumbnailTries + 1;
  if (answer.isTemporary && thumbnailTries < MAX_THUMBNAIL_TRIES) {
    return waiting<Processing>({ ...at, thumbnailTries }, THUMBNAIL_RETRY_SECONDS);
  }
  return toPublished(job, at, [...warnings, `The thumbnail was not set: ${answer.message}`]);
}

type ThumbnailAnswer = "set" | "token_expired" | { message: string; isTemporary: boolean };

async function sendThumbnail(job: Job, videoId: string): Promise<ThumbnailAnswer> {
  const { thumbnail } = job.post;
  if (!thumbnail) return "set";
  try {
    const { mime, sizeBytes } = thumbnail;
    const data = await job.readMedia(thumbnail);
    const request = setThumbnailRequest(job.accessToken, videoId, { data, mime, sizeBytes });
    const reply = await readDoneReply(await job.fetch(request));
    if (reply.ok) return "set";
    if (isTokenRefusal(reply.error)) return "token_expired";
    return { message: reply.error.message, isTemporary: isTemporary(reply.error) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { message: reason.slice(0, 300), isTemporary: true };
  }
}

/**
 * The creator's account settings, or a project that Google locked before November 2026, may make a video private.
 * @see https://developers.google.com/youtube/v3/revision_history
 */
const STRICTER =
  "Settings of the channel may do that, or restrictions of this instance's Google project. Change the visibility in YouTube Studio.";

/** The strictest comes first. */
const BY_STRICTNESS = ["private", "unlisted", "public"];

function privacyWarnings(job: Job, { privacyStatus }: Processing): string[] {
  const { settings } = job.post;
  const { scheduledDate } = settings;
  const requested = requestedPrivacy(settings);
  const isPublic = scheduledDate !== null && Date.parse(scheduledDate) <= job.now().getTime();
  if (privacyStatus === null || privacyStatus === requested || isPublic) return [];
  const place = BY_STRICTNESS.indexOf(privacyStatus);
  const isStricter = place >= 0 && place < BY_STRICTNESS.indexOf(requested);
  const made = `YouTube made the video ${privacyStatus.slice(0, 20)} in place of ${requested}.`;
  return [isStricter ? `${made} ${STRICTER}` : made];
}

function toPublished(job: Job, at: Processing, earlier: string[]): PublishedPost {
  const warnings = [...earlier, ...privacyWarnings(job, at)];
  return published(at.videoId, `https://www.youtube.com/watch?v=${at.videoId}`, warnings);
}
