import type { Result } from "../../core/result.ts";
import { secondsBetween } from "../../core/time.ts";
import type {
  PublishedPost,
  Reconciled,
  Refused,
  Settled,
  Submitted,
  Waiting,
} from "../connector.ts";
import { type PublishStatus, readStatusReply, statusRequest, type TikTokRefusal } from "./api.ts";
import type { Processing, Uploading } from "./bookmark.ts";
import type { Job } from "./creator.ts";
import { isAskedAgain, isTokenRefusal, toGivenUp } from "./failures.ts";

/** Between two looks, by how long we have waited, in seconds; TikTok takes 30 a minute. */
const LOOKS = [
  { until: 30, every: 5 },
  { until: 120, every: 10 },
];
const LATER_LOOKS = 30;

/** The bookmark stays the same while nothing moves, so that the runner sees when that lasts too long. */
export function look(bookmark: Processing, now: Date): Waiting {
  const waited = secondsBetween(new Date(bookmark.since), now);
  const checkAfterSeconds = LOOKS.find(({ until }) => waited < until)?.every ?? LATER_LOOKS;
  return { kind: "waiting", bookmark, checkAfterSeconds };
}

/** TikTok has all of it and goes to work. */
export const accepted = (
  job: Job,
  post: Pick<Processing, "publishId" | "username" | "isForInbox">,
): Waiting => {
  const { publishId, username, isForInbox } = post;
  const since = job.now().getTime();
  return look({ stage: "processing", publishId, username, isForInbox, since }, job.now());
};

type Reading = Promise<Result<PublishStatus, TikTokRefusal>>;

async function askStatus(job: Job, publishId: string): Reading {
  return readStatusReply(await job.fetch(statusRequest(job.accessToken, publishId)));
}

/** What has no public id, because it is private or still looked through, is known by its task. */
function toPublished(
  job: Job,
  { publishId, username, isForInbox }: Pick<Processing, "publishId" | "username" | "isForInbox">,
  { postId }: PublishStatus,
): PublishedPost {
  const name = username ?? job.account.handle;
  const profile =
    isForInbox || !name ? null : `https://www.tiktok.com/@${encodeURIComponent(name)}`;
  return {
    kind: "published",
    platformPostId: postId ?? publishId,
    shareUrl: profile && postId ? `${profile}/video/${postId}` : profile,
  };
}

const isDone = ({ status }: PublishStatus): boolean =>
  status === "PUBLISH_COMPLETE" || status === "SEND_TO_USER_INBOX";

/** Follows an accepted post to its end. */
export async function followPost(job: Job, at: Processing): Promise<Settled> {
  const reply = await askStatus(job, at.publishId);
  if (reply.ok) {
    if (isDone(reply.value)) return toPublished(job, at, reply.value);
    if (reply.value.status === "FAILED") return toGivenUp(reply.value.failReason);
    return look(at, job.now());
  }
  const { message } = reply.error;
  if (isTokenRefusal(reply.error)) return { kind: "token_expired" };
  if (isAskedAgain(reply.error)) {
    return {
      kind: "failed",
      failure: { code: "platform_unavailable", message },
      transient: true,
    };
  }
  // The question was refused, not the post: a failure that invites a retry would invite a second one.
  return {
    kind: "failed",
    failure: {
      code: "platform_processing_timeout",
      message: `TikTok took the post, but does not say what became of it: ${message}`,
    },
    transient: false,
  };
}

/** Whether bytes of the video are still missing at TikTok; null when it does not say. */
function lacksBytes({ status, uploadedBytes }: PublishStatus, sizeBytes: number): boolean | null {
  if (status !== "PROCESSING_UPLOAD") return false;
  return uploadedBytes === null ? null : uploadedBytes < sizeBytes;
}

/**
 * What became of a last chunk without an answer. One that TikTok does not have can be sent again: the
 * task publishes once.
 *
 * @throws when TikTok cannot be asked now
 */
export async function findVideo(job: Job, at: Uploading, sizeBytes: number): Promise<Reconciled> {
  const reply = await askStatus(job, at.publishId);
  if (reply.ok) {
    if (isDone(reply.value)) return toPublished(job, at, reply.value);
    if (lacksBytes(reply.value, sizeBytes)) return { kind: "absent" };
    // Where it FAILED, the look that follows reads why.
    return accepted(job, at);
  }
  if (isTokenRefusal(reply.error)) return { kind: "token_expired" };
  if (isAskedAgain(reply.error)) throw new Error(reply.error.message);
  return { kind: "unknowable", message: reply.error.message };
}

/**
 * The upload's address took no last chunk: it is worn out, or has had that chunk before. `refused` holds
 * only where TikTok says that bytes are missing: otherwise the post may be in the making.
 */
export async function judgeClosedUpload(
  job: Job,
  at: Uploading,
  sizeBytes: number,
  refused: Refused,
): Promise<Submitted> {
  const reply = await askStatus(job, at.publishId);
  const isMissing = reply.ok ? lacksBytes(reply.value, sizeBytes) : null;
  if (isMissing === null) return { kind: "unknown", message: refused.failure.message };
  return isMissing ? refused : accepted(job, at);
}
