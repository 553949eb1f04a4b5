import * as z from "zod";
import type {
  Bookmark,
  Post,
  Prepared,
  PublishJob,
  Reconciled,
  Submitted,
  Target,
} from "../connector.ts";
import {
  checkCommentLength,
  checkCommentScope,
  commentedPost,
  commentText,
  findComment,
  reachesBack,
  readCommentPlace,
  readyUnder,
  refuseComment,
  withCommentAdvice,
} from "../kit/comments.ts";
import { failed, NOT_YET, refusedBy } from "../kit/refusals.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { published, ready, undecided } from "../kit/steps.ts";
import { isUnnamed } from "../meta/containers.ts";
import { DELETED_OR_HIDDEN, graphId } from "../meta/graph.ts";
import { toInstant } from "../meta/published.ts";
import { graph, readerOf, versioned } from "./api.ts";
import { COMMENTS } from "./capabilities.ts";
import { shapeOf } from "./check.ts";
import { isUndecided, judge, toRefused } from "./failures.ts";
import type { InstagramSettings } from "./settings.ts";

type Job = PublishJob<InstagramSettings>;

/** Other programs use this number; Meta names none. */
const MAX_CHARACTERS = 2_200;

const SCOPE = {
  scope: COMMENTS,
  app: "instagram",
  place: 'in the step "Add the permissions" at /app/setup/instagram',
} as const;

export const check = (text: string, post: Post<InstagramSettings>, target: Target) => [
  ...checkCommentLength("Instagram", text, MAX_CHARACTERS),
  ...refuseComment(
    shapeOf(post) === "story",
    "a story takes no comments on Instagram; leave first_comment out.",
  ),
  ...checkCommentScope(target, SCOPE),
];

const UNNAMED = failed(
  "unknown",
  "Instagram has not said which id the post has, because an answer was lost. Write the comment on Instagram.",
);

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored !== null) return ready(stored);
  const mediaId = commentedPost(job);
  return isUnnamed(mediaId) ? UNNAMED : readyUnder(job, mediaId);
}

const readCreateReply = readerOf(field("id", graphId));

/** @see https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments */
const createRequest = (job: Job, mediaId: string): Request =>
  graph(versioned(mediaId, "comments"), {
    token: job.accessToken,
    form: { message: commentText(job) },
  });

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const { objectId } = readCommentPlace(stored);
  const reply = await readCreateReply(await job.fetch(createRequest(job, objectId)));
  if (reply.ok) return published(reply.value, null);
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  if (reply.error.subcode === DELETED_OR_HIDDEN) return refusedBy(NOT_YET, reply.error.message);
  return withCommentAdvice(toRefused(reply.error, job.now()), SCOPE);
}

const LISTED = 50;

const comment = z.object({
  id: graphId,
  text: maybeText,
  timestamp: maybeText,
  username: maybeText,
  from: z.object({ id: maybeText }).nullish().catch(null),
});

/** Newest first. */
const readListReply = readerOf(field("data", z.array(comment)));

const listRequest = ({ accessToken: token }: Job, mediaId: string): Request =>
  graph(versioned(mediaId, "comments"), {
    token,
    query: { fields: "id,text,timestamp,from,username", limit: String(LISTED) },
  });

function isOwn({ account }: Job, { username, from }: z.output<typeof comment>): boolean | null {
  if (from?.id === account.platformAccountId) return true;
  if (username === null || account.handle === null) return null;
  return username.toLowerCase() === account.handle.replace(/^@/, "").toLowerCase();
}

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = readCommentPlace(stored);
  const reply = await readListReply(await job.fetch(listRequest(job, place.objectId)));
  if (!reply.ok) return judge.toUnknowable(reply.error);
  const comments = reply.value.map((one) => ({
    id: one.id,
    text: one.text,
    isOwn: isOwn(job, one),
    at: toInstant(one.timestamp),
    shareUrl: null,
  }));
  const isWhole = comments.length < LISTED || reachesBack(place, comments);
  return findComment(job, place, { comments, isWhole });
}
