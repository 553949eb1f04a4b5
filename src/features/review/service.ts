import { AppError, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { submitUploads } from "../approval/decide.ts";
import { mayUse, requireOneOf } from "../auth/rules.ts";
import { look, once } from "../idempotency/once.ts";
import * as repo from "./repo/links.ts";
import {
  type Candidate,
  MAX_OPEN_LINKS,
  MAX_REVIEWED,
  REVIEW_LINK_MS,
  requireReviewable,
} from "./rules.ts";
import type { ReviewLinkRow } from "./table.ts";

const requireManager = ({ actor }: Ctx): void =>
  requireOneOf(actor, ["OWNER", "ADMIN"], "Only the owner and admins make review links.");

/**
 * @param uploadIds null: all posts that await approval; drafts are submitted
 * @throws AppError FORBIDDEN, NOT_FOUND, NOT_REVIEWABLE, PLAN_LIMIT, a draft's refusal, or the errors of `once`
 */
export async function createReviewLink(
  ctx: Ctx,
  uploadIds: readonly number[] | null,
  call: NamedCall | null = null,
): Promise<ReviewLinkRow> {
  const { result } = await once<readonly Candidate[], ReviewLinkRow>(ctx, call, () => uploadIds, {
    look: async (losses) => {
      const { findings, stored } = await look(ctx, "posts:publish", call, [
        uploadIds
          ? repo.candidates(ctx.team, uploadIds)
          : repo.awaitingApproval(ctx.team, MAX_REVIEWED),
      ]);
      const candidates = findings[0].filter(({ accountId }) => mayUse(ctx.actor, accountId));
      requireManager(ctx);
      if (stored) return { findings: candidates, stored };
      if (uploadIds) requireReviewable(uploadIds, candidates);
      if (candidates.length === 0) {
        const message = "No post awaits approval. Submit a draft, or name drafts in uploadIds.";
        throw new AppError("NOT_REVIEWABLE", message);
      }
      if (losses > 0) await refuseLink(ctx, uploadIds ?? candidates.map(({ id }) => id));
      return { findings: candidates, stored };
    },
    make: async (candidates, { isNew, keep }) => {
      await submitDrafts(ctx, candidates);
      const { teamId, userId: createdBy, tokenId } = ctx.actor;
      const createdAt = ctx.now();
      const expiresAt = new Date(createdAt.getTime() + REVIEW_LINK_MS);
      const ids = uploadIds ? [...uploadIds] : candidates.map(({ id }) => id);
      const link = { teamId, uploadIds: ids, createdBy, tokenId, createdAt, expiresAt };
      const [[made]] = await ctx.db.run([
        ...repo.insertLink(link, isNew),
        activityLine(ctx, "review_link.created", INSERTED),
        ...keep(null, INSERTED),
      ]);
      return made ?? null;
    },
    replay: async ({ firstUploadId }) => {
      const [[link]] = await ctx.db.run([repo.linkOfTeam(ctx.actor.teamId, firstUploadId ?? 0)]);
      if (!link) throw notFound("Link");
      return link;
    },
  });
  return result;
}

/** @throws AppError for the first post that cannot be submitted */
async function submitDrafts(ctx: Ctx, candidates: readonly Candidate[]): Promise<void> {
  const drafts = candidates.filter(({ status }) => status === "draft").map(({ id }) => id);
  if (drafts.length === 0) return;
  const verdicts = await submitUploads({ deps: ctx, teamId: ctx.actor.teamId, by: null }, drafts);
  for (const verdict of verdicts) {
    if (!("refusal" in verdict)) continue;
    const { uploadId, refusal } = verdict;
    const { code, message, status, extras } = refusal;
    throw new AppError(code, `Upload ${uploadId}: ${message}`, { status, extras });
  }
}

/** @throws AppError NOT_REVIEWABLE, PLAN_LIMIT */
async function refuseLink(ctx: Ctx, ids: readonly number[]): Promise<never> {
  const [candidates] = await ctx.db.run([repo.candidates(ctx.team, ids)]);
  const areAwaited = candidates.filter(({ status }) => status === "pending_approval");
  if (areAwaited.length === ids.length) {
    const message = `The team has ${MAX_OPEN_LINKS} open review links, which is the most. Withdraw some on the dashboard, then make a new one.`;
    throw new AppError("PLAN_LIMIT", message);
  }
  const message =
    "Some of the posts were decided on, edited or removed at the same moment. Read them again, then make the link.";
  throw new AppError("NOT_REVIEWABLE", message);
}

/** @throws AppError FORBIDDEN, NOT_FOUND */
export async function withdrawReviewLink(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("posts:publish", []);
  requireManager(ctx);
  const removed = await ctx.db.runAll([
    ...repo.deleteLink(ctx.actor.teamId, id),
    activityLine(ctx, "review_link.withdrawn", id),
  ]);
  if (removed.at(-1) !== 1) throw notFound("Link");
}
