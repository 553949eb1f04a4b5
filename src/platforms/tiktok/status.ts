import type { Result } from "../../core/result.ts";
import type {
  PublishedPost,
  Reconciled,
  Refused,
  Settled,
  Submitted,
  Waiting,
} from "../connector.ts";
import { failed, unavailable } from "../kit/refusals.ts";
import { ageOf, published, steppedLook, TOKEN_EXPIRED, undecided, waiting } from "../kit/steps.ts";
import { type PublishStatus, readStatusReply, statusRequest, type TikTokRefusal } from "./api.ts";
import type { Accepted, Processing, Uploading } from "./bookmark.ts";
import type { Job } from "./creator.ts";
import { isTemporary, isTokenRefusal, toGivenUp, toUnknowable } from "./failures.ts";
import { addressOf, findListed } from "./listed.ts";

/** Seconds. TikTok allows 30 queries a minute. */
const LOOKS = [
  { until: 30, every: 5 },
  { until: 120, every: 10 },
];
const LATER_LOOKS = 30;

/**
 * The longest wait for a public post's id, which follows a review of minutes or hours.
 * @see https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
const ID_SECONDS = 150;
const ID_LOOKS = [{ until: 60, every: 15 }];
const LATER_ID_LOOKS = 30;

/** An unchanged bookmark lets the runner notice a stalled post. */
const look = (at: Processing, now: Date): Waiting =>
  waiting(at, steppedLook(LOOKS, LATER_LOOKS, ageOf(at.since, now)));

export function accepted(job: Job, post: Accepted): Waiting {
  const { publishId, username, isPublic, warnings, isForInbox } = post;
  const since = job.now().getTime();
  const shared = { publishId, username, isForInbox, isPublic, warnings };
  return look({ stage: "processing", ...shared, since, completeSince: null }, job.now());
}

type Reading = Promise<Result<PublishStatus, TikTokRefusal>>;

async function askStatus(job: Job, publishId: string): Reading {
  return readStatusReply(await job.fetch(statusRequest(job.accessToken, publishId)));
}

export function toPublished(
  job: Job,
  { username, warnings }: Pick<Accepted, "username" | "warnings">,
  { id, shareUrl }: { id: string; shareUrl: string | null },
): PublishedPost {
  return published(id, addressOf(username ?? job.account.handle, id) ?? shareUrl, warnings);
}

/** Without a post id, as for private posts or during review, the task's id is used. */
const toUnaddressed = ({ publishId, warnings }: Accepted): PublishedPost =>
  published(publishId, null, warnings);

const isDone = ({ status }: PublishStatus): boolean =>
  status === "PUBLISH_COMPLETE" || status === "SEND_TO_USER_INBOX";

function toPublishedIfKnown(
  job: Job,
  at: Accepted,
  { status, postId }: PublishStatus,
): PublishedPost | null {
  if (postId !== null) return toPublished(job, at, { id: postId, shareUrl: null });
  const isWithoutId = at.isForInbox || !at.isPublic || status === "SEND_TO_USER_INBOX";
  return isWithoutId ? toUnaddressed(at) : null;
}

/** Never fails: the post is published, and a failure could send it again. */
async function awaitPostId(job: Job, at: Processing): Promise<Waiting | PublishedPost> {
  const completeSince = at.completeSince ?? job.now().getTime();
  const waited = ageOf(completeSince, job.now());
  if (waited < ID_SECONDS) {
    return waiting({ ...at, completeSince }, steppedLook(ID_LOOKS, LATER_ID_LOOKS, waited));
  }
  const listed = await findListed(job, at.since).catch(() => null);
  if (!listed?.ok || listed.value === null) return toUnaddressed(at);
  const { id, share_url } = listed.value;
  return toPublished(job, at, { id, shareUrl: share_url ?? null });
}

export async function followPost(job: Job, at: Processing): Promise<Settled> {
  const reply = await askStatus(job, at.publishId);
  if (reply.ok) {
    if (isDone(reply.value))
      return toPublishedIfKnown(job, at, reply.value) ?? awaitPostId(job, at);
    if (reply.value.status === "FAILED") return toGivenUp(reply.value.failReason);
    return look(at, job.now());
  }
  const { message } = reply.error;
  if (at.completeSince !== null) {
    return isTokenRefusal(reply.error) ? toUnaddressed(at) : awaitPostId(job, at);
  }
  if (isTokenRefusal(reply.error)) return TOKEN_EXPIRED;
  if (isTemporary(reply.error)) return unavailable(message);
  // A retryable failure would invite a second post.
  return failed(
    "platform_processing_timeout",
    `TikTok took the post, but does not say whether it is published: ${message}`,
  );
}

function lacksBytes({ status, uploadedBytes }: PublishStatus, sizeBytes: number): boolean | null {
  if (status !== "PROCESSING_UPLOAD") return false;
  return uploadedBytes === null ? null : uploadedBytes < sizeBytes;
}

/**
 * Returns `absent` when the last chunk must be sent again.
 * @throws Error when TikTok cannot tell yet whether the post exists
 */
export async function findVideo(job: Job, at: Uploading, sizeBytes: number): Promise<Reconciled> {
  const reply = await askStatus(job, at.publishId);
  if (reply.ok) {
    if (isDone(reply.value)) return toPublishedIfKnown(job, at, reply.value) ?? accepted(job, at);
    if (lacksBytes(reply.value, sizeBytes)) return { kind: "absent" };
    // The next query handles FAILED.
    return accepted(job, at);
  }
  return toUnknowable(reply.error);
}

/** Asks TikTok why the last chunk was refused: `refused` only when bytes are missing. */
export async function judgeClosedUpload(
  job: Job,
  at: Uploading,
  sizeBytes: number,
  refused: Refused,
): Promise<Submitted> {
  const reply = await askStatus(job, at.publishId);
  const isMissing = reply.ok ? lacksBytes(reply.value, sizeBytes) : null;
  if (isMissing === null) return undecided(refused.failure.message);
  return isMissing ? refused : accepted(job, at);
}
