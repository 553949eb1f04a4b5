import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { locked, whyLocked } from "./items.ts";
import { beforeOf, movesTo, type Step } from "./places.ts";
import { requireMayFill, requireOwn } from "./refusals.ts";
import { findItem } from "./repo/items.ts";
import { moveItems, placesOf } from "./repo/order.ts";
import { approvalOf, findPool } from "./repo/pools.ts";

interface ItemMove {
  poolId: number;
  id: number;
  /** The id of another item, which comes right after it then; null for the end of the queue. */
  before: number | null;
}

const MAX_TRIES = 5;

/**
 * @throws AppError NOT_FOUND, FORBIDDEN; NOT_CANCELLABLE for an item that does not wait in the queue; QUEUE_BUSY
 */
export async function moveItem(ctx: Ctx, { poolId, id, before }: ItemMove): Promise<void> {
  for (let i = 0; i < MAX_TRIES; i++) {
    const [[pool], [needsApproval = false], queue, [item], [other]] = await ctx.read(
      "pools:write",
      [
        findPool({ team: ctx.team, id: poolId }),
        approvalOf(ctx.team),
        placesOf(poolId),
        findItem({ poolId, id }),
        findItem({ poolId, id: before ?? id }),
      ],
    );
    requireOwn(pool);
    requireMayFill(ctx, needsApproval);
    if (!item || !other) throw notFound("Item");
    for (const one of [item, other]) {
      if (one.state === "posting") throw locked(whyLocked(one));
      if (one.state !== "queued") {
        throw locked(`Item ${one.id} was ${one.state}. Only queued items have a place in line.`);
      }
    }
    const moves = movesTo(queue, id, before);
    if (moves === null) continue;
    if (moves.length === 0) return;
    const [moved] = await ctx.db.run([
      moveItems(poolId, moves),
      activityLine(ctx, "pool.item_moved", poolId),
    ]);
    if (moved > 0) return;
  }
  throw new AppError("QUEUE_BUSY", "Others change this queue right now. Send the call again.");
}

/** @throws AppError as `moveItem` */
export async function stepItem(
  ctx: Ctx,
  { poolId, id, step }: { poolId: number; id: number; step: Step },
): Promise<void> {
  const [[pool], queue] = await ctx.read("pools:write", [
    findPool({ team: ctx.team, id: poolId }),
    placesOf(poolId),
  ]);
  requireOwn(pool);
  await moveItem(ctx, { poolId, id, before: beforeOf(queue, id, step) });
}
