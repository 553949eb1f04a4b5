import * as z from "zod";
import { asSentence } from "../../core/text.ts";
import type {
  Bookmark,
  Post,
  Prepared,
  Reconciled,
  Stopped,
  Submitted,
  Target,
} from "../connector.ts";
import {
  type CommentPlace,
  checkCommentLength,
  checkCommentScope,
  commentedPost,
  commentText,
  findComment,
  type ListedComment,
  reachesBack,
  readCommentPlace,
  readyUnder,
  refuseComment,
  withCommentAdvice,
} from "../kit/comments.ts";
import { NOT_YET, refusedBy } from "../kit/refusals.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import { published, ready, undecided } from "../kit/steps.ts";
import { API, readerOf, type YouTubeRefusal } from "./api.ts";
import type { Job } from "./bookmark.ts";
import { FORCE_SSL } from "./capabilities.ts";
import { isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { requestedPrivacy } from "./metadata.ts";
import type { YouTubeSettings } from "./settings.ts";

/** YouTube names no number; other programs use this one. */
const MAX_CHARACTERS = 10_000;

const SCOPE = {
  scope: FORCE_SSL,
  app: "youtube",
  place: 'in the step "Add the scopes" at /app/setup/youtube',
} as const;

export const check = (text: string, { settings }: Post<YouTubeSettings>, target: Target) => [
  ...checkCommentLength("YouTube", text, MAX_CHARACTERS),
  ...refuseComment(
    requestedPrivacy(settings) === "private",
    "YouTube takes no comments under a private video, which one with scheduledDate is until then; leave first_comment out.",
  ),
  ...refuseComment(
    settings.selfDeclaredMadeForKids === true,
    "YouTube takes no comments under a video that is made for kids; leave first_comment out.",
  ),
  ...checkCommentScope(target, SCOPE),
];

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  return stored === null ? readyUnder(job, commentedPost(job)) : ready(stored);
}

const comment = z.object({
  id: z.string().min(1),
  snippet: z.object({
    textOriginal: maybeText,
    textDisplay: maybeText,
    authorChannelId: z.object({ value: maybeText }).nullish().catch(null),
    publishedAt: maybeText,
  }),
});

const thread = z.object({ snippet: z.object({ topLevelComment: comment }) });

const readInsertReply = readerOf(thread.transform(({ snippet }) => snippet.topLevelComment.id));

/** @see https://developers.google.com/youtube/v3/docs/commentThreads/insert */
const insertRequest = (job: Job, videoId: string): Request =>
  bearerRequest(`${API}/commentThreads?part=snippet`, job.accessToken, {
    json: {
      snippet: {
        channelId: job.account.platformAccountId,
        videoId,
        topLevelComment: { snippet: { textOriginal: commentText(job) } },
      },
    },
  });

const addressOf = (videoId: string, commentId: string): string =>
  `https://www.youtube.com/watch?v=${videoId}&lc=${commentId}`;

const TEMPORARY = ["videoNotFound", "processingFailure"];

/** YouTube does not document the last reason. */
const ADVICE = new Map([
  ["commentsDisabled", "Switch comments on for the video in YouTube Studio, then retry."],
  [
    "forbidden",
    "YouTube takes no comments under a private video: make it public or unlisted in YouTube Studio, then retry.",
  ],
  ["mfkWrite", "A video that is made for kids takes no comments."],
]);

function toCommentRefused(refusal: YouTubeRefusal, now: Date): Stopped {
  if (TEMPORARY.includes(refusal.reason ?? "")) return refusedBy(NOT_YET, refusal.message);
  const stopped = toRefused(refusal, now);
  const advice = ADVICE.get(refusal.reason ?? "");
  if (!advice || stopped.kind !== "failed") return withCommentAdvice(stopped, SCOPE);
  const message = `${asSentence(stopped.failure.message)} ${advice}`;
  return { ...stopped, failure: { ...stopped.failure, message } };
}

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const { objectId } = readCommentPlace(stored);
  const reply = await readInsertReply(await job.fetch(insertRequest(job, objectId)));
  if (reply.ok) return published(reply.value, addressOf(objectId, reply.value));
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  return toCommentRefused(reply.error, job.now());
}

const MODERATION = ["published", "heldForReview", "likelySpam"];

/** @see https://developers.google.com/youtube/v3/docs/commentThreads/list */
const listRequest = ({ accessToken }: Job, videoId: string, status: string): Request =>
  bearerRequest(
    `${API}/commentThreads?part=snippet&videoId=${videoId}&order=time&maxResults=100&textFormat=plainText&moderationStatus=${status}`,
    accessToken,
  );

const readListReply = readerOf(
  z.object({ items: z.array(thread).default([]), nextPageToken: maybeText }),
);

const toListed = (
  { account }: Job,
  { objectId }: CommentPlace,
  { snippet: { topLevelComment } }: z.output<typeof thread>,
): ListedComment => {
  const { id, snippet } = topLevelComment;
  const author = snippet.authorChannelId?.value ?? null;
  return {
    id,
    text: snippet.textOriginal ?? snippet.textDisplay,
    isOwn: author === null ? null : author === account.platformAccountId,
    at: Date.parse(snippet.publishedAt ?? ""),
    shareUrl: addressOf(objectId, id),
  };
};

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = readCommentPlace(stored);
  const comments: ListedComment[] = [];
  let isWhole = true;
  for (const status of MODERATION) {
    const reply = await readListReply(await job.fetch(listRequest(job, place.objectId, status)));
    if (!reply.ok) return toUnknowable(reply.error);
    const listed = reply.value.items.map((item) => toListed(job, place, item));
    comments.push(...listed);
    isWhole &&= !reply.value.nextPageToken || reachesBack(place, listed);
  }
  return findComment(job, place, { comments, isWhole });
}
