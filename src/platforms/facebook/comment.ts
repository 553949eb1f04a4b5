import * as z from "zod";
import type { Bookmark, Post, Prepared, Reconciled, Submitted, Target } from "../connector.ts";
import {
  checkCommentLength,
  checkCommentScope,
  commentedPost,
  commentText,
  findComment,
  reachesBack,
  readCommentPlace,
  readyUnder,
  withCommentAdvice,
} from "../kit/comments.ts";
import { unavailable } from "../kit/refusals.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { ageOf, published, ready, undecided, waiting } from "../kit/steps.ts";
import { DELETED_OR_HIDDEN } from "../meta/graph.ts";
import { toInstant } from "../meta/published.ts";
import { graph, permalink, readerOf, versioned } from "./api.ts";
import type { Job } from "./bookmark.ts";
import { COMMENTS, READS_COMMENTS } from "./capabilities.ts";
import { isRefusedParameter, isUndecided, toRefused, toUnknowable } from "./failures.ts";
import type { FacebookSettings } from "./settings.ts";

/** Other programs use this number; Meta names none. */
const MAX_CHARACTERS = 8_000;

const SCOPE = {
  scope: COMMENTS,
  requires: READS_COMMENTS,
  app: "facebook",
  place: 'in the step "Add the permissions" at /app/setup/facebook',
} as const;

export const check = (text: string, _post: Post<FacebookSettings>, target: Target) => [
  ...checkCommentLength("Facebook", text, MAX_CHARACTERS),
  ...checkCommentScope(target, SCOPE),
];

const POST_LOOK_SECONDS = 5;
const POST_SECONDS = 120;

const search = z.object({ since: z.number() });

const isFile = (platformPostId: string): boolean => !platformPostId.includes("_");

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored && "objectId" in stored) return ready(stored);
  const postId = commentedPost(job);
  if (!isFile(postId)) return readyUnder(job, postId);
  return findPostOf(job, postId, stored ? search.parse(stored).since : job.now().getTime());
}

const OF_POST = "post_id";

const readPostOfReply = readerOf(field(OF_POST, maybeText));

/**
 * A reel takes comments under its post alone.
 * @see https://developers.facebook.com/docs/graph-api/reference/video
 */
async function findPostOf(job: Job, fileId: string, since: number): Promise<Prepared> {
  const query = { fields: OF_POST };
  const request = graph(versioned(fileId), { token: job.accessToken, query });
  const reply = await readPostOfReply(await job.fetch(request));
  if (!reply.ok) {
    return isRefusedParameter(reply.error, OF_POST)
      ? readyUnder(job, fileId)
      : toRefused(reply.error);
  }
  const postId = reply.value;
  if (postId === null) {
    return ageOf(since, job.now()) < POST_SECONDS
      ? waiting({ since }, POST_LOOK_SECONDS)
      : readyUnder(job, fileId);
  }
  const { platformAccountId: pageId } = job.account;
  return readyUnder(job, isFile(postId) ? `${pageId}_${postId}` : postId);
}

const FIELDS = "id,message,from,created_time,permalink_url";
const LIST_LIMIT = 100;
const INVALID_PARAMETER = 100;

const comment = z.object({
  id: z.string().min(1),
  message: maybeText,
  from: z.object({ id: z.string() }).nullish().catch(null),
  created_time: maybeText,
  permalink_url: permalink,
});

const readCreateReply = readerOf(z.object({ id: z.string().min(1), permalink_url: permalink }));

/** @see https://developers.facebook.com/documentation/pages-api/comments-mentions */
const createRequest = (job: Job, objectId: string): Request =>
  graph(versioned(objectId, "comments"), {
    token: job.accessToken,
    query: { fields: "id,permalink_url" },
    form: { message: commentText(job) },
  });

export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const { objectId } = readCommentPlace(stored);
  const reply = await readCreateReply(await job.fetch(createRequest(job, objectId)));
  if (reply.ok) return published(reply.value.id, reply.value.permalink_url);
  const { code, subcode, message } = reply.error;
  if (isUndecided(reply.error)) return undecided(message);
  // A new reel takes comments only after about a minute.
  const isTooEarly = code === INVALID_PARAMETER && subcode === DELETED_OR_HIDDEN;
  if (isTooEarly && isFile(commentedPost(job))) return unavailable(message);
  return withCommentAdvice(toRefused(reply.error), SCOPE);
}

const readListReply = readerOf(
  z.object({
    data: z.array(comment),
    paging: z.object({ next: maybeText }).nullish().catch(null),
  }),
);

/**
 * Newest first.
 * @see https://developers.facebook.com/docs/graph-api/reference/object/comments
 */
const listRequest = ({ accessToken: token }: Job, objectId: string): Request =>
  graph(versioned(objectId, "comments"), {
    token,
    query: {
      filter: "stream",
      order: "reverse_chronological",
      fields: FIELDS,
      limit: String(LIST_LIMIT),
    },
  });

const HIDES = `Facebook shows all comments only to logins with the permission ${READS_COMMENTS}.`;

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = readCommentPlace(stored);
  const reply = await readListReply(await job.fetch(listRequest(job, place.objectId)));
  if (!reply.ok) return toUnknowable(reply.error);
  const { data, paging } = reply.value;
  const comments = data.map(({ id, message, from, created_time, permalink_url }) => ({
    id,
    text: message,
    isOwn: from ? from.id === job.account.platformAccountId : null,
    at: toInstant(created_time),
    shareUrl: permalink_url,
  }));
  const mayReadAll = job.account.grantedScopes?.includes(READS_COMMENTS) === true;
  const isWhole = mayReadAll && (!paging?.next || reachesBack(place, comments));
  const whyPartial = mayReadAll ? undefined : HIDES;
  return findComment(job, place, { comments, isWhole, whyPartial });
}
