import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { submitUploads } from "../approval/decide.ts";
import { requireOneOf } from "../auth/rules.ts";
import * as repo from "./repo/links.ts";
import {
  type Candidate,
  changedMeanwhile,
  MAX_REVIEWED,
  nothingToReview,
  REVIEW_LINK_MS,
  requireReviewable,
  tooManyLinks,
} from "./rules.ts";
import type { ReviewLinkRow } from "./table.ts";

const requireManager = ({ actor }: Ctx): void =>
  requireOneOf(actor, ["OWNER", "ADMIN"], "Only the owner and admins make review links.");

/**
 * Makes a link by which a client decides on posts: on these, or on all that await approval. Drafts are
 * submitted.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND, NOT_REVIEWABLE, PLAN_LIMIT, and what `submitUploads` refuses a draft with
 */
export async function createReviewLink(
  ctx: Ctx,
  uploadIds: readonly number[] | null,
): Promise<ReviewLinkRow> {
  const [found] = await ctx.read("posts:publish", [
    uploadIds
      ? repo.candidates(ctx.team, uploadIds)
      : repo.awaitingApproval(ctx.team, MAX_REVIEWED),
  ]);
  requireManager(ctx);
  if (uploadIds) requireReviewable(uploadIds, found);
  if (found.length === 0) throw nothingToReview();
  const ids = uploadIds ?? found.map(({ id }) => id);
  await submitDrafts(ctx, found);
  const { teamId, userId: createdBy, tokenId } = ctx.actor;
  const createdAt = ctx.now();
  const expiresAt = new Date(createdAt.getTime() + REVIEW_LINK_MS);
  const link = { teamId, uploadIds: [...ids], createdBy, tokenId, createdAt, expiresAt };
  const [[made]] = await ctx.db.run(repo.insertLink(link));
  return made ?? (await refuseLink(ctx, ids));
}

/** @throws AppError what the first draft that cannot be submitted is refused with, naming it */
async function submitDrafts(ctx: Ctx, found: readonly Candidate[]): Promise<void> {
  const drafts = found.filter(({ status }) => status === "draft").map(({ id }) => id);
  if (drafts.length === 0) return;
  const verdicts = await submitUploads({ deps: ctx, teamId: ctx.actor.teamId }, drafts);
  for (const verdict of verdicts) {
    if (!("refusal" in verdict)) continue;
    const { uploadId, refusal } = verdict;
    const { code, message, status, extras } = refusal;
    throw new AppError(code, `Upload ${uploadId}: ${message}`, { status, extras });
  }
}

/** Finds out why a link was not made. @throws AppError NOT_REVIEWABLE, PLAN_LIMIT */
async function refuseLink(ctx: Ctx, ids: readonly number[]): Promise<never> {
  const [found] = await ctx.db.run([repo.candidates(ctx.team, ids)]);
  const areAwaited = found.filter(({ status }) => status === "pending_approval");
  throw areAwaited.length === ids.length ? tooManyLinks() : changedMeanwhile();
}

/** Withdraws a link: its page says so from then on. @throws AppError FORBIDDEN, NOT_FOUND */
export async function withdrawReviewLink(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("posts:publish", []);
  requireManager(ctx);
  const removed = await ctx.db.runAll(repo.deleteLink(ctx.actor.teamId, id));
  if (removed.at(-1) !== 1) throw notFound("Link");
}
