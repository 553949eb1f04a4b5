import { formatCount } from "../../core/counts.ts";
import { ZoneClock } from "../../core/zone.ts";
import type { Ctx } from "../../deps.ts";
import { periodOf } from "../credits/rules.ts";
import type { Capacity } from "./firing-schema.ts";
import { forecastOf } from "./firings.ts";
import { comingSlots, type QueuedItem } from "./forecast.ts";
import { requireOwn } from "./refusals.ts";
import { queuedItems, repeatingItems } from "./repo/forecast.ts";
import { findWithSlots, type PoolWithSlots, planUse } from "./repo/pools.ts";
import { MAX_QUEUED, slotsPerDay, toHundredths } from "./rules.ts";
import type { SlotRow } from "./table.ts";

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function readCapacity(ctx: Ctx, id: number, count: number): Promise<Capacity> {
  const [[match], [use], repeating] = await ctx.read("pools:read", [
    findWithSlots({ team: ctx.team, id }),
    planUse(ctx, ctx.team),
    repeatingItems(id),
  ]);
  const pool = requireOwn(match);
  // A slot without accounts takes no items.
  const slots = pool.slots.filter(({ accountIds }) => accountIds.length > 0);
  const perDay = pool.isActive ? slotsPerDay(slots) : 0;
  const after = pool.queued + count;
  const [filled, filledAfter] =
    repeating.length > 0 && perDay > 0
      ? await filledFirings(ctx, { ...pool, slots }, count)
      : [pool.queued, after];
  const describe = (queued: number, firings: number) => ({
    queued,
    daysOfContent: perDay === 0 ? null : toHundredths(firings / perDay),
  });
  const quota = use?.quota ?? null;
  const returns = repeating.reduce((sum, item) => sum + returnsOf(item, MONTH_DAYS), 0);
  const posts = Math.ceil((after + returns) * postsPerItem(slots));
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
    ...describe(pool.queued, filled),
    slotsPerDay: toHundredths(perDay),
    ...(repeating.length > 0 ? { publications: pool.queued + allReturns(repeating) } : {}),
    afterAdd: describe(after, filledAfter),
    warning: warnings.join(" ") || null,
  };
}

const MONTH_DAYS = 30;
const MAX_FORECAST_DAYS = 365;

function returnsOf({ repeatDays, repeatTimes, dispatches }: QueuedItem, days: number): number {
  if (repeatDays === null || repeatTimes === null) return 0;
  return Math.min(repeatTimes - dispatches - 1, Math.floor(days / repeatDays));
}

const allReturns = (items: readonly QueuedItem[]): number =>
  items.reduce((sum, item) => sum + returnsOf(item, Number.POSITIVE_INFINITY), 0);

const ONCE = {
  description: null,
  repeatDays: null,
  repeatTimes: null,
  variants: null,
  dispatches: 0,
  failures: 0,
  lastLocal: null,
};

async function filledFirings(
  ctx: Ctx,
  pool: PoolWithSlots,
  count: number,
): Promise<[now: number, after: number]> {
  const [queue] = await ctx.db.run([queuedItems(ctx.team, pool.id)]);
  const clock = new ZoneClock(pool.timezone);
  const after = ctx.now().getTime();
  const coming = comingSlots(clock, pool.slots, { after, days: MAX_FORECAST_DAYS });
  const filled = async (items: readonly QueuedItem[]) => {
    const forecast = await forecastOf(ctx, pool, items);
    const dry = coming.findIndex((slot) => forecast.take(slot) === null);
    return (dry < 0 ? coming.length : dry) + pool.queued - queue.length;
  };
  const more = Array.from({ length: count }, () => ({ ...ONCE, id: 0, title: "" }));
  return [await filled(queue), await filled([...queue, ...more])];
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
