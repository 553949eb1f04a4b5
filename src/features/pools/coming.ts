import type { SQL } from "drizzle-orm";
import { DAY } from "../../core/time.ts";
import { ZoneClock } from "../../core/zone.ts";
import type { Results } from "../../db/client.ts";
import { LOOKED_BACK_MS } from "./firings.ts";
import {
  type ComingSlot,
  type ComingTurn,
  comingSlots,
  Forecast,
  type SlotAccount,
} from "./forecast.ts";
import {
  MAX_READ_ITEMS,
  publicationsOfTeam,
  type QueuedOfPool,
  queuedOfTeam,
} from "./repo/forecast.ts";
import { type PoolWithSlots, poolsOf } from "./repo/pools.ts";
import { dueFirings, type Firing, type Recurrence, slotsPerDay } from "./rules.ts";

/** How often a slot was due until now, when it was due last, and when it is due next. */
export function passedFirings(
  zone: string,
  recurrence: Recurrence,
  due: Pick<Firing, "at" | "day">,
  now: Date,
) {
  const { firings, next } = dueFirings(new ZoneClock(zone), recurrence, due, now.getTime());
  return { count: firings.length, last: firings.at(-1) ?? due, next };
}

export interface ComingOfPool {
  pool: Pick<PoolWithSlots, "id" | "name">;
  slotId: number;
  /** Epoch ms. */
  at: number;
  /** In the pool's zone, such as 2026-12-01T09:00. */
  wallTime: string;
  accountIds: readonly string[];
  /** Null when the queue has none by then, or when that is too far ahead to be computed. */
  item: Pick<ComingTurn, "id" | "title"> | null;
}

export const comingReads = (team: SQL, now: Date) =>
  [
    poolsOf({ team }),
    queuedOfTeam({ team }),
    publicationsOfTeam(team, now.getTime() - LOOKED_BACK_MS),
  ] as const;

/** Firings of all pools that one forecast goes through. Spec is silent; they take some milliseconds. */
const MAX_FORECAST_FIRINGS = 20_000;

interface Window {
  now: number;
  /** Epoch ms, included. */
  from: number;
  /** Epoch ms, not included. */
  until: number;
  /** The answer may be longer by the firings of one day. */
  max: number;
}

/** The next firings of a team's pools, in no order. Complete before `completeUntil`. */
export function comingOfPools(
  [pools, queue, publications]: Results<ReturnType<typeof comingReads>>,
  accounts: readonly SlotAccount[],
  { now, from, until, max }: Window,
): { firings: ComingOfPool[]; completeUntil: number } {
  const active = pools.filter(({ isActive }) => isActive);
  const perDay = slotsPerDay(active.flatMap(({ slots }) => slots));
  const isComputed = (perDay * (until - now)) / DAY <= MAX_FORECAST_FIRINGS;
  const start = Math.max(now, isComputed ? now : from - 1);
  const queues = isComputed ? wholeQueues(queue) : new Map<number, QueuedOfPool[]>();
  const views = active.map((pool) => {
    const items = queues.get(pool.id);
    const forecast = items ? new Forecast(items, accounts, publications) : null;
    return { pool, clock: new ZoneClock(pool.timezone), forecast };
  });
  const firings: ComingOfPool[] = [];
  for (let after = start; after < until; after += DAY) {
    for (const { pool, clock, forecast } of views) {
      for (const coming of comingSlots(clock, pool.slots, { after, days: 1 })) {
        const item = forecast?.take(coming) ?? null;
        const isShown = coming.at >= from && coming.at < until && coming.accountIds.length > 0;
        if (isShown) firings.push(toComing(pool, clock, coming, item));
      }
    }
    if (firings.length > max) return { firings, completeUntil: after + DAY };
  }
  return { firings, completeUntil: until };
}

/** Leaves out the queues that were not read to their end. */
export function wholeQueues(items: readonly QueuedOfPool[]): Map<number, QueuedOfPool[]> {
  const queues = Map.groupBy(items, ({ poolId }) => poolId);
  const last = items.at(-1);
  if (items.length === MAX_READ_ITEMS && last) queues.delete(last.poolId);
  for (const queue of queues.values()) queue.sort((a, b) => a.position - b.position || a.id - b.id);
  return queues;
}

const toComing = (
  { id, name }: PoolWithSlots,
  clock: ZoneClock,
  { at, slot, accountIds }: ComingSlot,
  item: ComingTurn | null,
): ComingOfPool => ({
  pool: { id, name },
  slotId: slot.id,
  at,
  wallTime: clock.wallTimeAt(at),
  accountIds,
  item: item && { id: item.id, title: item.title },
});
