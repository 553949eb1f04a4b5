import * as z from "zod";
import { plainMentions } from "../../core/mentions.ts";
import type { Bookmark, Post, Prepared, Reconciled, Submitted, Target } from "../connector.ts";
import {
  type CommentPlace,
  type CommentScope,
  checkCommentLength,
  checkCommentScope,
  commentedPost,
  findComment,
  type ListedComment,
  readCommentPlace,
  readyUnder,
  withCommentAdvice,
} from "../kit/comments.ts";
import { list } from "../kit/metrics.ts";
import { BUSY, failed, NOT_YET, refusedBy } from "../kit/refusals.ts";
import { field, maybeText } from "../kit/shapes.ts";
import { ageOf, published, ready, undecided, unknowable } from "../kit/steps.ts";
import { encodeUrn, get, post, readerOf } from "./api.ts";
import { MEMBER_COMMENTS, PAGE_COMMENTS, PAGES_APP, timing } from "./capabilities.ts";
import { isDuplicatePost, isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { checkMentions, toCommentMessage } from "./mentions.ts";
import type { Job } from "./processing.ts";
import type { LinkedInSettings } from "./settings.ts";
import { isOrganization, isPost } from "./urn.ts";

/** LinkedIn names no number for its API; its own editor takes this many. */
const MAX_CHARACTERS = 1_250;
const RATE_LIMIT = 429;
const NOT_FOUND = 404;
/** Source: LinkedIn, "Comments API", errors. */
const THROTTLED = /create throttled|creation rate limit/i;
const THROTTLED_SECONDS = 60;

const scopeOf = (platformAccountId: string): CommentScope => ({
  scope: isOrganization(platformAccountId) ? PAGE_COMMENTS : MEMBER_COMMENTS,
  app: PAGES_APP,
  place:
    'which needs LinkedIn\'s Community Management API (the step "Ask for the Community Management API" at /app/setup/linkedin)',
});

export const check = (
  text: string,
  _post: Post<LinkedInSettings>,
  { platformAccountId = "", ...target }: Target,
) => [
  ...checkCommentLength("LinkedIn", plainMentions(text), MAX_CHARACTERS),
  ...checkMentions("first_comment", text),
  ...checkCommentScope(target, scopeOf(platformAccountId)),
];

export async function prepare(job: Job, stored: Bookmark | null): Promise<Prepared> {
  if (stored !== null) return ready(stored);
  const urn = commentedPost(job);
  if (isPost(urn)) return readyUnder(job, urn);
  return failed(
    "unknown",
    "LinkedIn did not name the post, so it cannot be commented on here. Write the comment on LinkedIn.",
  );
}

const commentsOf = (urn: string): string => `socialActions/${encodeUrn(urn)}/comments`;

const readCreateReply = readerOf(
  z.unknown().transform((body) => z.object({ commentUrn: maybeText }).safeParse(body).data ?? null),
);

/** @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/comments-api */
export async function submit(job: Job, stored: Bookmark): Promise<Submitted> {
  const place = readCommentPlace(stored);
  const { objectId: object } = place;
  const { platformAccountId: actor } = job.account;
  const body = { actor, object, message: toCommentMessage(job.post.description ?? "") };
  const answer = await job.fetch(post(commentsOf(object), job.accessToken, body));
  const id = answer.headers.get("x-restli-id");
  const reply = await readCreateReply(answer);
  if (reply.ok) return published(reply.value?.commentUrn ?? id ?? object, null);
  const { status, message } = reply.error;
  // A new post takes comments only later.
  if (status === NOT_FOUND) return refusedBy(NOT_YET, message);
  if (status === RATE_LIMIT && THROTTLED.test(message))
    return refusedBy(BUSY, message, THROTTLED_SECONDS);
  // Of its other limits, LinkedIn does not say whether the comment was made.
  const isOpen =
    status === RATE_LIMIT || (isDuplicatePost(reply.error) && !isFirstCall(job, place));
  if (isOpen || isUndecided(reply.error)) return undecided(message);
  return withCommentAdvice(toRefused(reply.error, job.now()), scopeOf(actor));
}

/** After it, a duplicate is another comment; after a repeated call, it may be this one. */
const isFirstCall = ({ attempt, now }: Job, { readyAt }: CommentPlace): boolean =>
  attempt === 1 && ageOf(readyAt, now()) <= timing.callSeconds;

const PAGE = 100;
const MAX_PAGES = 10;

const readListReply = readerOf(field("elements", list));

const comment = z.object({
  id: maybeText,
  commentUrn: maybeText,
  actor: maybeText,
  message: z.object({ text: maybeText }).nullish().catch(null),
  created: z.object({ time: z.number() }).nullish().catch(null),
});

function toListed({ account }: Job, element: unknown): ListedComment {
  const { data } = comment.safeParse(element);
  const actor = data?.actor ?? null;
  return {
    id: data?.commentUrn ?? data?.id ?? "",
    text: data?.message?.text ?? null,
    isOwn: actor === null ? null : actor === account.platformAccountId,
    at: data?.created?.time ?? Number.NaN,
    shareUrl: null,
  };
}

export async function reconcile(job: Job, stored: Bookmark): Promise<Reconciled> {
  const place = readCommentPlace(stored);
  if (!isOrganization(job.account.platformAccountId)) {
    return unknowable(
      "It is not known whether the comment was made: LinkedIn does not list the comments under a person's posts.",
    );
  }
  const comments: ListedComment[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `${commentsOf(place.objectId)}?start=${page * PAGE}&count=${PAGE}`;
    const reply = await readListReply(await job.fetch(get(path, job.accessToken)));
    const isEmpty = !reply.ok && reply.error.status === NOT_FOUND;
    if (!reply.ok && !isEmpty) return toUnknowable(reply.error);
    const elements = reply.ok ? reply.value : [];
    comments.push(...elements.map((element) => toListed(job, element)));
    if (elements.length < PAGE) return findComment(job, place, { comments, isWhole: true });
  }
  return findComment(job, place, { comments, isWhole: false });
}
