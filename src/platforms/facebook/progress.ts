import type {
  PublishedPost,
  Reconciled,
  Refused,
  Settled,
  Stopped,
  Submitted,
  Waiting,
} from "../connector.ts";
import { failed, sendAgain } from "../kit/refusals.ts";
import { capped } from "../kit/replies.ts";
import { ageOf, growingLook, published, TOKEN_EXPIRED, undecided, waiting } from "../kit/steps.ts";
import type { GraphRefusal, Reading } from "../meta/graph.ts";
import { addressOf } from "./api.ts";
import type { Job, Processing, ReelPlace, Uploading } from "./bookmark.ts";
import { isLoginLost, isTokenRefusal, toRefused, toUnknowable } from "./failures.ts";
import { warningsOf } from "./posts.ts";
import { getVideoRequest, readGetVideoReply, type Video, type VideoStatus } from "./video-api.ts";

/** As in open-source clients. */
const FIRST_LOOK_SECONDS = 3;
const LONGEST_LOOK_SECONDS = 15;

const UNLABELLED = "The AI label was left out: Facebook did not take it for this reel.";

export const lookAfter = (job: Job, since: number): number =>
  growingLook(FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS, ageOf(since, job.now()));

export const look = async (job: Job, videoId: string): Reading<Video> =>
  readGetVideoReply(await job.fetch(getVideoRequest(job.accessToken, videoId)));

type Phase = VideoStatus["publishing_phase"];

const isDone = (phase: Phase): boolean =>
  phase?.status === "complete" || phase?.status === "completed";

const hasBegun = (phase: Phase): boolean => isDone(phase) || phase?.status === "in_progress";

export const isUploaded = ({ video_status, uploading_phase }: VideoStatus): boolean =>
  isDone(uploading_phase) || video_status === "upload_complete";

export const isArriving = (status: VideoStatus): boolean =>
  isUploaded(status) || (status.uploading_phase?.bytesArrived ?? 0) > 0;

/**
 * A reel reports `published` from the start and `ready` early: only both together count.
 * @see https://developers.facebook.com/docs/video-api/guides/reels-publishing
 */
function isPublished({ video_status, publishing_phase }: VideoStatus, isReel: boolean): boolean {
  if (isDone(publishing_phase)) return true;
  const isMeant = !isReel || publishing_phase?.publish_status === "published";
  return video_status === "ready" && isMeant;
}

const hasFailed = (phase: Phase): boolean =>
  phase?.status === "error" || (phase?.errors ?? []).length > 0;

const wordsOf = (phase: Phase): string => capped(phase?.errors.find(Boolean) ?? "");

export function refusalOf(status: VideoStatus): Refused | null {
  const { video_status, uploading_phase, processing_phase, publishing_phase } = status;
  if (video_status === "expired") return sendAgain("The upload expired at Facebook.");
  if (video_status === "upload_failed" || hasFailed(uploading_phase)) {
    return failed(
      "media_unreachable",
      wordsOf(uploading_phase) || "Facebook could not fetch the video.",
    );
  }
  if (video_status === "error" || hasFailed(processing_phase) || hasFailed(publishing_phase)) {
    const message = wordsOf(processing_phase) || wordsOf(publishing_phase);
    return failed("media_invalid", message || "Facebook could not process the video.");
  }
  return null;
}

export function accepted(
  job: Job,
  place: Pick<Processing, "videoId" | "isReel" | "isUnlabelled">,
): Waiting {
  const { videoId, isReel, isUnlabelled } = place;
  const since = job.now().getTime();
  return waiting<Processing>(
    { stage: "processing", videoId, isReel, isUnlabelled, since },
    FIRST_LOOK_SECONDS,
  );
}

function toPublished(
  job: Job,
  { permalink_url }: Video,
  { videoId, isReel, isUnlabelled }: Pick<Processing, "videoId" | "isReel" | "isUnlabelled">,
): PublishedPost {
  const { platformAccountId: pageId } = job.account;
  const ownAddress = isReel ? addressOf("reel", videoId) : addressOf(pageId, "videos", videoId);
  const warnings = [...warningsOf(job), ...(isUnlabelled ? [UNLABELLED] : [])];
  return published(videoId, permalink_url ?? ownAddress, warnings);
}

export async function settleVideo(job: Job, place: Processing): Promise<Settled> {
  const reply = await look(job, place.videoId);
  if (!reply.ok) {
    if (isTokenRefusal(reply.error)) return TOKEN_EXPIRED;
    // A refused check does not mean that an accepted video is missing.
    throw new Error(reply.error.message);
  }
  const { status } = reply.value;
  if (isPublished(status, place.isReel)) return toPublished(job, reply.value, place);
  const refused = refusalOf(status);
  if (refused) return { ...refused, ...FINAL };
  return waiting(place, lookAfter(job, place.since));
}

type Ongoing = Uploading | ReelPlace;

/** `untouched`: the publish call never arrived. `busy`: Facebook does not know yet. */
type Sight = PublishedPost | Waiting | "untouched" | "busy";

/** Whether an unanswered publish call took effect. */
function judge(job: Job, { videoId, stage }: Ongoing, video: Video): Sight {
  const { status } = video;
  const isReel = stage === "reel";
  const place = { videoId, isReel, isUnlabelled: false };
  // A reel can be ready although it was never published.
  const isOut = isReel ? isDone(status.publishing_phase) : isPublished(status, isReel);
  if (isOut) return toPublished(job, video, place);
  if (hasBegun(status.publishing_phase)) return accepted(job, place);
  if (!isReel && hasBegun(status.processing_phase)) return accepted(job, place);
  if (refusalOf(status)) return accepted(job, place);
  return status.processing_phase?.status === "in_progress" ? "busy" : "untouched";
}

/**
 * Publishing the same video again makes no second post.
 * @throws Error when Facebook cannot tell yet whether the post exists
 */
export async function reconcileVideo(job: Job, place: Ongoing): Promise<Reconciled> {
  const reply = await look(job, place.videoId);
  if (!reply.ok) return toUnknowable(reply.error);
  const sight = judge(job, place, reply.value);
  if (sight === "busy") throw new Error("Facebook is still working on the video.");
  return sight === "untouched" ? { kind: "absent" } : sight;
}

/** An unanswered publish call may have succeeded. The refusal counts only when the video shows no sign of that. */
export async function judgeRefusedFinish(
  job: Job,
  place: Ongoing,
  refusal: GraphRefusal,
): Promise<Submitted> {
  const refused: Stopped = toRefused(refusal);
  if (refused.kind === "token_expired") return refused;
  const reply = await look(job, place.videoId).catch(() => null);
  // A login that cannot read the video cannot have published it.
  const isAboutAccess = refused.failure.code === "account_disconnected";
  if (isAboutAccess && reply && !reply.ok && isLoginLost(reply.error)) return refused;
  const sight = reply?.ok ? judge(job, place, reply.value) : "busy";
  if (sight === "busy") return undecided(refusal.message);
  // A new upload could make a second video.
  const isGone = refused.restart === true;
  return sight === "untouched" ? { ...refused, ...(isGone ? FINAL : {}) } : sight;
}

const FINAL = { transient: false, restart: false } as const;
