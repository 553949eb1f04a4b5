import { formatCount } from "../../core/counts.ts";
import type { Ctx } from "../../deps.ts";
import { periodOf } from "../credits/rules.ts";
import type { Capacity } from "./firing-schema.ts";
import { requireOwn } from "./refusals.ts";
import { findWithSlots, planUse } from "./repo/pools.ts";
import { MAX_QUEUED, slotsPerDay, toHundredths } from "./rules.ts";
import type { SlotRow } from "./table.ts";

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function readCapacity(ctx: Ctx, id: number, count: number): Promise<Capacity> {
  const [[match], [use]] = await ctx.read("pools:read", [
    findWithSlots({ team: ctx.team, id }),
    planUse(ctx, ctx.team),
  ]);
  const pool = requireOwn(match);
  // A slot without accounts takes no items.
  const slots = pool.slots.filter(({ accountIds }) => accountIds.length > 0);
  const perDay = pool.isActive ? slotsPerDay(slots) : 0;
  const describe = (queued: number) => ({
    queued,
    daysOfContent: perDay === 0 ? null : toHundredths(queued / perDay),
  });
  const after = pool.queued + count;
  const quota = use?.quota ?? null;
  const posts = Math.ceil(after * postsPerItem(slots));
  const isTooMuch = quota !== null && (use?.used ?? 0) + posts > quota;
  const warnings = [
    ...(after > MAX_QUEUED
      ? [
          `A pool holds ${formatCount(MAX_QUEUED)} items, and ${formatCount(pool.queued)} wait in this one: it takes ${formatCount(Math.max(0, MAX_QUEUED - pool.queued))} more.`,
        ]
      : []),
    ...(isTooMuch
      ? [
          `With ${formatCount(count)} more, the queue makes ${formatCount(posts)} posts. The plan has ${formatCount(quota)} a month, and ${formatCount(use?.used ?? 0)} are used in ${periodOf(ctx.now())}: posts beyond that are skipped.`,
        ]
      : []),
  ];
  return {
    ...describe(pool.queued),
    slotsPerDay: toHundredths(perDay),
    afterAdd: describe(after),
    warning: warnings.join(" ") || null,
  };
}

/** On average; 1 without slots. */
function postsPerItem(slots: readonly SlotRow[]): number {
  const firings = slots.reduce((sum, { days }) => sum + days.length, 0);
  const posts = slots.reduce(
    (sum, { days, accountIds }) => sum + days.length * accountIds.length,
    0,
  );
  return Math.max(1, firings === 0 ? 1 : posts / firings);
}
