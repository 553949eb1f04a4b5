import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { mayPublish } from "../posts/rules.ts";
import * as repo from "./repo.ts";
import type { Block } from "./rules.ts";

/** Spec is silent. */
const MAX_BLOCKS = 200;

export async function listBlocks(ctx: Ctx): Promise<repo.BlockRow[]> {
  const [rows] = await ctx.read("posts:read", [repo.blocksOfTeam({ team: ctx.team })]);
  return rows;
}

/** @throws AppError 400 when the team has 200 others */
export async function saveBlock(
  ctx: Ctx,
  input: Omit<Block, "mayPublish">,
): Promise<repo.BlockRow> {
  await ctx.read("posts:write", []);
  const { teamId } = ctx.actor;
  const block = { ...input, mayPublish: mayPublish(ctx.actor) };
  const [[row]] = await ctx.db.run([
    repo.saveBlock(teamId, block, { now: ctx.now(), max: MAX_BLOCKS }),
    activityLine(ctx, "block.saved", block.name),
  ]);
  if (row) return row;
  throw new AppError(null, `A team has at most ${MAX_BLOCKS} blocks. Delete one first.`);
}

/** @throws AppError NOT_FOUND */
export async function deleteBlock(ctx: Ctx, name: string): Promise<void> {
  await ctx.read("posts:write", []);
  const [count] = await ctx.db.run([
    repo.deleteBlock(ctx.actor.teamId, name),
    activityLine(ctx, "block.deleted", name),
  ]);
  if (count === 0) throw notFound("Block");
}
