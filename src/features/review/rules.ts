import { AppError, notFound } from "../../core/errors.ts";
import { DAY } from "../../core/time.ts";
import { isDraft, STATUS_WORDS, type UploadStatus } from "../../core/upload-status.ts";

/** Equal for all links, so a post's newest link ends last. Source: spec, "Time limits". */
export const REVIEW_LINK_MS = 14 * DAY;
/** Source: spec, "Review link lifetime". */
export const MAX_REVIEWED = 50;
/** Spec is silent. */
export const MAX_OPEN_LINKS = 500;
export const ENDED_LINKS_KEPT_MS = 30 * DAY;
/** Spec is silent. */
export const MAX_NOTE_CHARACTERS = 2_000;

export interface Candidate {
  id: number;
  status: UploadStatus;
}

/** @throws AppError NOT_FOUND, NOT_REVIEWABLE, each with the ids of the posts */
export function requireReviewable(ids: readonly number[], candidates: readonly Candidate[]): void {
  const own = new Set(candidates.map(({ id }) => id));
  const unknown = ids.filter((id) => !own.has(id));
  if (unknown.length > 0) throw notFound(`Upload ${unknown.join(", ")}`);
  const wrong = candidates.filter(({ status }) => !isDraft(status));
  if (wrong.length === 0) return;
  const named = wrong.map(({ id, status }) => `${id} (${STATUS_WORDS[status]})`).join(", ");
  throw new AppError(
    "NOT_REVIEWABLE",
    `Only drafts and posts that await approval can be reviewed, and these are neither: ${named}. Leave them out.`,
  );
}
