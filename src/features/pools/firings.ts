import { DAY } from "../../core/time.ts";
import { formatOffset, ZoneClock } from "../../core/zone.ts";
import type { Ctx } from "../../deps.ts";
import type { ComingFiring, FiringPage, PastFiring } from "./firing-schema.ts";
import { requireOwn } from "./refusals.ts";
import { type ListedFiring, nextItems, pastFirings } from "./repo/history.ts";
import { findPool, findWithSlots } from "./repo/pools.ts";
import { firingsBetween } from "./rules.ts";

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function previewFirings(ctx: Ctx, id: number, days: number): Promise<ComingFiring[]> {
  const [[match], items] = await ctx.read("pools:read", [
    findWithSlots({ team: ctx.team, id }),
    nextItems(ctx.team, id),
  ]);
  const pool = requireOwn(match);
  if (!pool.isActive) return [];
  const clock = new ZoneClock(pool.timezone);
  const after = ctx.now().getTime();
  const coming = pool.slots.flatMap((slot) =>
    firingsBetween(clock, slot, { after, until: after + days * DAY, lastDay: slot.lastDay }).map(
      (firing) => ({ ...firing, slot }),
    ),
  );
  coming.sort((a, b) => a.at - b.at || a.slot.id - b.slot.id);
  let used = 0;
  return coming.map(({ at, rule, slot }) => ({
    slotId: String(slot.id),
    rule,
    ...shownInstant(clock, at),
    // A slot without accounts takes no items.
    item: slot.accountIds.length > 0 ? (items[used++] ?? null) : null,
  }));
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
  const clocks = new Map<string, ZoneClock>();
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    firings: rows.map((row) => toFiring(row, clocks)),
    nextBefore: last ? `${last.fireAt.getTime()}-${last.slotId}` : null,
  };
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
