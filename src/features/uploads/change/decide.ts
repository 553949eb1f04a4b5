import type { AppError } from "../../../core/errors.ts";
import type { Deps } from "../../../deps.ts";
import { contentHash } from "../create/content-hash.ts";
import type { UploadStatus } from "../rules.ts";

/** The team whose posts are decided on, whoever decides: a caller of the API, a page's person, a client. */
export interface Work {
  deps: Deps;
  teamId: number;
}

/** The one who decides on a post: an owner or admin of the team, or the client who holds a review link. */
export type Reviewer = { by: "team"; userId: number } | { by: "client" };

/** A post after a decision, or as it stood when nothing was left to do. */
export interface Decided {
  uploadId: number;
  status: UploadStatus;
  scheduledFor: Date | null;
}

/** One post of a decision on many: decided, or refused with the error that it alone would get. */
export type Verdict = Decided | { uploadId: number; refusal: AppError };

/** A post to decide on. `seen`: the version of its content that the reviewer was shown. */
export interface Shown {
  id: number;
  seen?: string;
}

/** Posts that are decided on at once. Source: spec, "Review link lifetime". */
export const MAX_DECIDED_AT_ONCE = 50;

/**
 * Names the version of a post's content that a reviewer is shown, to be given back as `seen`: text, files,
 * account and settings. The date is not part of it.
 */
export const approvableContentHash = contentHash;

const NOT_BUILT = "Decisions are not built yet.";

/**
 * Approves a draft or a post that awaits approval: it is planned for its date, or goes out now.
 *
 * @throws AppError NOT_FOUND, NOT_REVIEWABLE, POST_CHANGED, ACCOUNT_INACTIVE, DAILY_LIMIT, PLAN_LIMIT,
 * QUEUE_FULL, QUEUE_BUSY, 400 with every refused field, 400 with violations
 */
export async function approveUpload(
  _work: Work,
  _id: number,
  _reviewer: Reviewer,
  _seen?: string,
): Promise<Decided> {
  throw new Error(NOT_BUILT);
}

/** Approves up to 50 posts as `approveUpload` does, in two round trips. Answers in their order. */
export async function approveUploads(
  _work: Work,
  _posts: readonly Shown[],
  _reviewer: Reviewer,
): Promise<Verdict[]> {
  throw new Error(NOT_BUILT);
}

/**
 * Sends a post that awaits approval back to draft, with a comment for its author.
 *
 * @throws AppError NOT_FOUND, NOT_REVIEWABLE, POST_CHANGED, 400 for a comment that is blank or too long
 */
export async function requestChanges(
  _work: Work,
  _id: number,
  _reviewer: Reviewer,
  _comment: string,
  _seen?: string,
): Promise<Decided> {
  throw new Error(NOT_BUILT);
}

/**
 * Puts a draft up for approval; one that awaits it already is left as it is.
 *
 * @throws AppError NOT_FOUND, NOT_REVIEWABLE, 400 with every refused field, 400 with violations
 */
export async function submitUpload(_work: Work, _id: number): Promise<Decided> {
  throw new Error(NOT_BUILT);
}

/** Submits up to 50 posts as `submitUpload` does, in two round trips. Answers in their order. */
export async function submitUploads(_work: Work, _ids: readonly number[]): Promise<Verdict[]> {
  throw new Error(NOT_BUILT);
}
