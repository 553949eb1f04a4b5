import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { locked, whyLocked } from "./items.ts";
import { requireMayFill, requireOwn } from "./refusals.ts";
import { findItem } from "./repo/items.ts";
import { moveItems, placesOf } from "./repo/order.ts";
import { approvalOf, findPool } from "./repo/pools.ts";

export interface Place {
  id: number;
  position: number;
}

export interface Move {
  id: number;
  from: number;
  to: number;
}

/**
 * The fewest changed positions that put one item before another, at the end for null. Positions stay whole numbers and
 * may become negative.
 *
 * @param queue In its order
 * @returns null when one of the two is not in the queue
 */
export function movesTo(queue: readonly Place[], id: number, before: number | null): Move[] | null {
  const item = queue.find((place) => place.id === id);
  const others = queue.filter((place) => place.id !== id);
  const at = before === null ? others.length : others.findIndex((place) => place.id === before);
  if (before === id && item) return [];
  if (!item || at < 0) return null;
  if (queue[at] === item) return [];
  const [last, next] = [others[at - 1]?.position, others[at]?.position];
  const to = last !== undefined ? last + 1 : (next ?? 0) - 1;
  if (last === undefined || next === undefined || to < next) {
    return [{ id, from: item.position, to }];
  }
  let least = Number.NEGATIVE_INFINITY;
  return [...others.slice(0, at), item, ...others.slice(at)].flatMap((place, i) => {
    least = Math.max(queue[i]?.position ?? 0, least + 1);
    return least === place.position ? [] : [{ id: place.id, from: place.position, to: least }];
  });
}

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
    const [moved] = await ctx.db.run([moveItems(poolId, moves)]);
    if (moved > 0) return;
  }
  throw new AppError("QUEUE_BUSY", "Others change this queue right now. Send the call again.");
}

export type Step = "up" | "down" | "first" | "last";

/** Which item it goes before, for a step from its place; the item itself where it stays. */
export function beforeOf(queue: readonly Place[], id: number, step: Step): number | null {
  const at = queue.findIndex((place) => place.id === id);
  if (at < 0 || step === "last") return at < 0 ? id : null;
  if (step === "first") return queue[0]?.id ?? id;
  if (step === "up") return queue[at - 1]?.id ?? id;
  return at >= queue.length - 1 ? id : (queue[at + 2]?.id ?? null);
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
