import * as z from "zod";
import { formatCount } from "../../core/counts.ts";
import type { FieldError } from "../../core/errors.ts";
import { plainMentions } from "../../core/mentions.ts";
import type { AppName } from "../../core/platforms.ts";
import { asSentence } from "../../core/text.ts";
import { SECOND } from "../../core/time.ts";
import type {
  Bookmark,
  Prepared,
  PublishedPost,
  PublishJob,
  Reconciled,
  Stopped,
  Target,
} from "../connector.ts";
import { refuseIf } from "./checks.ts";
import { comparable } from "./listings.ts";
import { ageOf, published, ready, unknowable } from "./steps.ts";

const CLOCK_SLACK_SECONDS = 60;

const place = z.object({ objectId: z.string(), readyAt: z.number() });

export type CommentPlace = z.infer<typeof place>;

export const readCommentPlace = (stored: Bookmark): CommentPlace => place.parse(stored);

export const readyUnder = (job: Pick<PublishJob, "now">, objectId: string): Prepared =>
  ready<CommentPlace>({ objectId, readyAt: job.now().getTime() });

export function commentedPost({ replyTo }: Pick<PublishJob, "replyTo">): string {
  if (!replyTo) throw new Error("A comment without a post cannot be published.");
  return replyTo.root;
}

export const commentText = ({ post }: Pick<PublishJob, "post">): string =>
  plainMentions(post.description ?? "");

export interface ListedComment {
  id: string;
  text: string | null;
  isOwn: boolean | null;
  /** Epoch milliseconds; NaN when unknown. */
  at: number;
  shareUrl: string | null;
}

interface CommentList {
  comments: readonly ListedComment[];
  isWhole: boolean;
  whyPartial?: string | undefined;
}

const TOO_MANY = "The post has more new comments than Akimbo reads.";

/** No platform says how late it lists a comment. */
const LATE_SECONDS = 600;

/**
 * Finds the job's comment. Any other new comment by the account may be this one, because platforms change texts.
 *
 * @param isWhole the list has all comments since `readyAt`
 */
export function findComment(
  job: PublishJob,
  { readyAt }: CommentPlace,
  { comments, isWhole, whyPartial }: CommentList,
): PublishedPost | Extract<Reconciled, { kind: "absent" | "unknowable" }> {
  const from = readyAt - CLOCK_SLACK_SECONDS * SECOND;
  const text = comparable(commentText(job));
  const hasText = (one: ListedComment) => comparable(one.text) === text;
  const recent = comments.filter(({ at }) => !(at < from));
  const maybe = recent.filter((one) => one.isOwn !== false || hasText(one));
  const sure = maybe.filter((one) => one.isOwn === true && hasText(one));
  const [comment] = sure;
  if (comment && sure.length === 1) return published(comment.id, comment.shareUrl);
  if (maybe.length > 0) return unknowable("A new comment under the post may be this one.");
  const calledAt = job.submittedAt?.getTime() ?? readyAt;
  if (ageOf(calledAt, job.now()) < LATE_SECONDS) {
    throw new Error("The list of comments may still lack the new one.");
  }
  return isWhole ? { kind: "absent" } : unknowable(whyPartial ?? TOO_MANY);
}

export const reachesBack = (
  { readyAt }: CommentPlace,
  comments: readonly Pick<ListedComment, "at">[],
): boolean => comments.some(({ at }) => at < readyAt - CLOCK_SLACK_SECONDS * SECOND);

export const refuseComment = (isWrong: boolean, message: string): FieldError[] =>
  refuseIf(isWrong, "first_comment", message);

export const checkCommentLength = (name: string, text: string, max: number): FieldError[] =>
  refuseComment(
    text.length > max,
    `${name} takes ${formatCount(max)} characters in a comment, it has ${formatCount(text.length)}; shorten it.`,
  );

export interface CommentScope {
  scope: string;
  requires?: string;
  app: AppName;
  place: string;
}

const grantOf = ({ app, place, requires }: Omit<CommentScope, "scope">): string =>
  `The instance's owner adds it${requires ? ` and ${requires}` : ""} to the app, ${place}, and to APP_SCOPES under "${app}", beside the others that the step names; then connect the account again.`;

export const checkCommentScope = (
  { grantedScopes }: Target,
  { scope, ...where }: CommentScope,
): FieldError[] =>
  refuseComment(
    grantedScopes !== undefined && !grantedScopes.includes(scope),
    `the account's login lacks the permission ${scope}. ${grantOf(where)}`,
  );

export function withCommentAdvice(stopped: Stopped, { scope, ...where }: CommentScope): Stopped {
  if (stopped.kind !== "failed" || stopped.failure.code !== "account_disconnected") return stopped;
  const { failure } = stopped;
  const advice = `A comment needs the permission ${scope}. ${grantOf(where)}`;
  return {
    ...stopped,
    failure: { ...failure, message: `${asSentence(failure.message)} ${advice}` },
  };
}
