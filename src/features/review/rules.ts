import { AppError, notFound } from "../../core/errors.ts";
import { DAY } from "../../core/time.ts";
import { isDraft, STATUS_WORDS, type UploadStatus } from "../posts/rules.ts";

/** Source: spec, "Time limits": review link lifetime. All links live equally long: the newest of a post ends last. */
export const REVIEW_LINK_MS = 14 * DAY;
/** Source: spec, "Review link lifetime": up to 50 posts. */
export const MAX_REVIEWED = 50;
/** Links of a team that are open at a time. Spec is silent. */
export const MAX_OPEN_LINKS = 500;
/** How long a link that has ended is remembered, so that its page can say so. */
export const ENDED_LINKS_KEPT_MS = 30 * DAY;
/** Characters of a client's note. Spec is silent. */
export const MAX_NOTE_CHARACTERS = 2_000;

/** A post that a link is to be made for. */
export interface Candidate {
  id: number;
  status: UploadStatus;
}

/**
 * Requires that a client can review every one of the posts that were asked for.
 *
 * @throws AppError NOT_FOUND, NOT_REVIEWABLE, each naming the posts
 */
export function requireReviewable(asked: readonly number[], found: readonly Candidate[]): void {
  const known = new Set(found.map(({ id }) => id));
  const unknown = asked.filter((id) => !known.has(id));
  if (unknown.length > 0) throw notFound(`Upload ${unknown.join(", ")}`);
  const wrong = found.filter(({ status }) => !isDraft(status));
  if (wrong.length === 0) return;
  const named = wrong.map(({ id, status }) => `${id} (${STATUS_WORDS[status]})`).join(", ");
  throw new AppError(
    "NOT_REVIEWABLE",
    `Only drafts and posts that await approval can be reviewed, and these are neither: ${named}. Leave them out.`,
  );
}

export const nothingToReview = (): AppError =>
  new AppError(
    "NOT_REVIEWABLE",
    "No post awaits approval. Submit a draft, or name drafts in uploadIds.",
  );

export const tooManyLinks = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_OPEN_LINKS} open review links, which is the most. Withdraw some on the dashboard, then make a new one.`,
  );

/** Told of posts that were changed by somebody else while their link was made. */
export const changedMeanwhile = (): AppError =>
  new AppError(
    "NOT_REVIEWABLE",
    "Some of the posts were decided on, edited or removed at the same moment. Read them again, then make the link.",
  );
