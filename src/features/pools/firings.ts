import { DAY } from "../../core/time.ts";
import { formatOffset, ZoneClock } from "../../core/zone.ts";
import type { Ctx } from "../../deps.ts";
import type { ComingFiring, FiringPage, PastFiring } from "./firing-schema.ts";
import { comingSlots, Forecast, type QueuedItem } from "./forecast.ts";
import { requireOwn } from "./refusals.ts";
import { accountsOf, publicationsOf, queuedItems } from "./repo/forecast.ts";
import { type ListedFiring, pastFirings } from "./repo/history.ts";
import { findPool, findWithSlots, type PoolWithSlots } from "./repo/pools.ts";

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function previewFirings(ctx: Ctx, id: number, days: number): Promise<ComingFiring[]> {
  const [[match], queue] = await ctx.read("pools:read", [
    findWithSlots({ team: ctx.team, id }),
    queuedItems(ctx.team, id),
  ]);
  const pool = requireOwn(match);
  return comingFirings(pool, await forecastOf(ctx, pool, queue), {
    after: ctx.now().getTime(),
    days,
  });
}

export function comingFirings(
  { isActive, timezone, slots }: PoolWithSlots,
  forecast: Forecast,
  window: { after: number; days: number },
): ComingFiring[] {
  if (!isActive) return [];
  const clock = new ZoneClock(timezone);
  return comingSlots(clock, slots, window).map((coming) => ({
    slotId: String(coming.slot.id),
    rule: coming.rule,
    ...shownInstant(clock, coming.at),
    item: forecast.take(coming),
  }));
}

export const LOOKED_BACK_MS = 31 * DAY;

export async function forecastOf(
  ctx: Ctx,
  { id, slots }: PoolWithSlots,
  queue: readonly QueuedItem[],
): Promise<Forecast> {
  if (queue.every(({ repeatDays }) => repeatDays === null)) return new Forecast(queue, [], []);
  const ids = [...new Set(slots.flatMap(({ accountIds }) => accountIds))];
  const [accounts, publications] = await ctx.db.run([
    accountsOf(ctx.team, ids),
    publicationsOf(ctx.team, id, ctx.now().getTime() - LOOKED_BACK_MS),
  ]);
  return new Forecast(queue, accounts, publications);
}

const shownInstant = (clock: ZoneClock, at: number) => ({
  at: new Date(at).toISOString(),
  wallTime: clock.wallTimeAt(at),
  offset: formatOffset(clock.offsetAt(at)),
});

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function listFirings(
  ctx: Ctx,
  poolId: number,
  { limit, before }: FiringPage,
): Promise<{ firings: PastFiring[]; nextBefore: string | null }> {
  const [at = Number.MAX_SAFE_INTEGER, slotId = 0] = before?.split("-").map(Number) ?? [];
  const [[pool], rows] = await ctx.read("pools:read", [
    findPool({ team: ctx.team, id: poolId }),
    pastFirings(ctx.team, poolId, { before: { at, slotId }, limit }),
  ]);
  requireOwn(pool);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    firings: toFirings(rows),
    nextBefore: last ? `${last.fireAt.getTime()}-${last.slotId}` : null,
  };
}

export function toFirings(rows: readonly ListedFiring[]): PastFiring[] {
  const clocks = new Map<string, ZoneClock>();
  return rows.map((row) => toFiring(row, clocks));
}

const OUTCOMES = {
  queued: "running",
  posting: "running",
  removed: "skipped",
  dispatched: "dispatched",
  skipped: "skipped",
} as const;

function toFiring(row: ListedFiring, clocks: Map<string, ZoneClock>): PastFiring {
  const { slotId, fireAt, localDay, time, timezone, outcome, item, reason } = row;
  const clock = clocks.get(timezone) ?? new ZoneClock(timezone);
  clocks.set(timezone, clock);
  const at = fireAt.getTime();
  const due = clock.instantOf(localDay, time);
  const ended = outcome === "due" || outcome === "item" ? null : outcome;
  return {
    slotId: String(slotId),
    ...shownInstant(clock, at),
    // A changed slot that was due fires at its old time.
    rule: due.at === at ? due.rule : null,
    outcome: ended ?? (item ? OUTCOMES[item.state] : "running"),
    reason,
    item: item && { id: item.id, title: item.title },
    uploadIds: item ? item.uploadIds : [],
  };
}
