import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import * as repo from "./repo.ts";
import { MAX_TEAM_DRAFTS } from "./rules.ts";
import type { DraftContent } from "./table.ts";

export async function listDrafts(ctx: Ctx): Promise<repo.ListedDraft[]> {
  const query = repo.draftsOf({ team: ctx.team, limit: MAX_TEAM_DRAFTS });
  const [rows] = await ctx.read("posts:read", [query]);
  return rows;
}

/** @throws AppError NOT_FOUND */
export async function getDraft(ctx: Ctx, id: number): Promise<repo.StoredDraft> {
  const [[draft]] = await ctx.read("posts:read", [repo.draftById({ team: ctx.team, id })]);
  if (!draft) throw notFound("Draft");
  return draft;
}

const saveOf = (ctx: Ctx, content: DraftContent) => ({
  teamId: ctx.actor.teamId,
  userId: ctx.actor.userId,
  content,
  now: ctx.now(),
});

/** @throws AppError QUEUE_FULL */
export async function createDraft(ctx: Ctx, content: DraftContent): Promise<repo.StoredDraft> {
  await ctx.read("posts:write", []);
  const [[id]] = await ctx.db.run([repo.insertDraft(saveOf(ctx, content), MAX_TEAM_DRAFTS)]);
  if (id === undefined) {
    const message = `The team has ${MAX_TEAM_DRAFTS} drafts of the composer, which is the most. Remove some, then save this one.`;
    throw new AppError("QUEUE_FULL", message);
  }
  return getDraft(ctx, id);
}

/** @throws AppError NOT_FOUND, DRAFT_CHANGED */
export async function saveDraft(
  ctx: Ctx,
  { id, version }: { id: number; version: number },
  content: DraftContent,
): Promise<repo.StoredDraft> {
  await ctx.read("posts:write", []);
  const [changed, [draft]] = await ctx.db.run([
    repo.updateDraft(saveOf(ctx, content), { id, version }),
    repo.draftById({ team: ctx.team, id }),
  ]);
  if (!draft) throw notFound("Draft");
  if (changed === 0) throw draftChanged(draft);
  return draft;
}

export function draftChanged(draft: repo.StoredDraft): AppError {
  const { updatedBy: userId, updatedByName: name, updatedAt, version } = draft;
  const at = updatedAt.toISOString();
  const message = `${name ?? "Another person"} saved this draft at ${at.slice(0, 16).replace("T", " ")} UTC, after you had opened it. Nothing of theirs was overwritten. Open the draft again, or save yours as a new draft.`;
  return new AppError("DRAFT_CHANGED", message, {
    extras: { updatedBy: { userId, name }, updatedAt: at, version },
  });
}

/** @throws AppError NOT_FOUND */
export async function removeDraft(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("posts:write", []);
  const [removed] = await ctx.db.run([repo.deleteDraft(ctx.actor.teamId, id)]);
  if (removed === 0) throw notFound("Draft");
}
