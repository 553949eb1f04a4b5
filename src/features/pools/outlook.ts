import type { SQL } from "drizzle-orm";
import { DAY } from "../../core/time.ts";
import { type LocalDay, ZoneClock } from "../../core/zone.ts";
import type { Results } from "../../db/client.ts";
import { wholeQueues } from "./coming.ts";
import type { ComingFiring, PastFiring } from "./firing-schema.ts";
import { comingFirings, LOOKED_BACK_MS, toFirings } from "./firings.ts";
import {
  comingSlots,
  Forecast,
  type Publication,
  type QueuedItem,
  type SlotAccount,
} from "./forecast.ts";
import { requireOwn } from "./refusals.ts";
import { publicationsOf, publicationsOfTeam, queuedItems, queuedOfTeam } from "./repo/forecast.ts";
import { pastFirings } from "./repo/history.ts";
import { type QueueLine, queueLines } from "./repo/order.ts";
import { findWithSlots, type PoolWithSlots, poolsOf } from "./repo/pools.ts";

/**
 * `until` is the last firing before one without an item, in epoch ms. `waits`: the first one has none already. `long` is
 * over a year, `unknown` too much to compute.
 */
export type Outlook =
  | { kind: "off" | "no-slots" | "empty" | "waits" | "long" | "unknown" }
  | { kind: "until"; until: number };

interface Stock {
  queue: readonly QueuedItem[];
  accounts: readonly SlotAccount[];
  publications: readonly Publication[];
}

const CHUNK_DAYS = 28;
const MAX_DAYS = 13 * CHUNK_DAYS;

export function outlookOf(
  { isActive, timezone, slots }: PoolWithSlots,
  { queue, accounts, publications }: Stock,
  now: number,
): Outlook {
  if (!isActive) return { kind: "off" };
  const used = slots.filter(({ accountIds }) => accountIds.length > 0);
  if (used.length === 0) return { kind: "no-slots" };
  if (queue.length === 0) return { kind: "empty" };
  const clock = new ZoneClock(timezone);
  const forecast = new Forecast(queue, accounts, publications);
  let until = 0;
  for (let days = 0; days < MAX_DAYS; days += CHUNK_DAYS) {
    const after = now + days * DAY;
    for (const coming of comingSlots(clock, used, { after, days: CHUNK_DAYS })) {
      if (forecast.take(coming) === null) {
        return until > 0 ? { kind: "until", until } : { kind: "waits" };
      }
      until = coming.at;
    }
  }
  return { kind: "long" };
}

export interface PoolLine {
  pool: PoolWithSlots;
  outlook: Outlook;
  nextAt: Date | null;
}

export const listReads = (team: SQL, now: Date) =>
  [
    poolsOf({ team }),
    queuedOfTeam({ team }),
    publicationsOfTeam(team, now.getTime() - LOOKED_BACK_MS),
  ] as const;

/** Firings that all outlooks of a list go through. */
const MAX_LIST_SLOTS = 500;

export function toPoolLines(
  [pools, queue, publications]: Results<ReturnType<typeof listReads>>,
  accounts: readonly SlotAccount[],
  now: Date,
): PoolLine[] {
  const queues = wholeQueues(queue);
  const slots = pools.reduce((sum, pool) => sum + pool.slots.length, 0);
  return pools.map((pool) => {
    const own = queues.get(pool.id);
    const isWhole = own !== undefined || !queue.some(({ poolId }) => poolId === pool.id);
    const outlook: Outlook =
      isWhole && slots <= MAX_LIST_SLOTS
        ? outlookOf(pool, { queue: own ?? [], accounts, publications }, now.getTime())
        : { kind: "unknown" };
    return { pool, outlook, nextAt: nextOf(pool) };
  });
}

function nextOf({ isActive, slots }: PoolWithSlots): Date | null {
  if (!isActive) return null;
  const times = slots.flatMap(({ nextAt }) => nextAt?.getTime() ?? []);
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

export const PREVIEW_DAYS = 14;
const PAST_FIRINGS = 25;

export const poolReads = (
  team: SQL,
  id: number,
  page: { now: Date; skipped: number; limit: number },
) =>
  [
    findWithSlots({ team, id }),
    queuedItems(team, id),
    publicationsOf(team, id, page.now.getTime() - LOOKED_BACK_MS),
    queueLines(team, id, page),
    pastFirings(team, id, {
      before: { at: Number.MAX_SAFE_INTEGER, slotId: 0 },
      limit: PAST_FIRINGS,
    }),
  ] as const;

export interface ClockChange {
  day: LocalDay;
  /** Wall times before and after it. */
  from: string;
  to: string;
}

export interface PoolView extends PoolLine {
  lines: QueueLine[];
  coming: ComingFiring[];
  changes: ClockChange[];
  past: PastFiring[];
}

/** @throws AppError NOT_FOUND; FORBIDDEN for another team's pool */
export function toPoolView(
  [[match], queue, publications, lines, past]: Results<ReturnType<typeof poolReads>>,
  accounts: readonly SlotAccount[],
  now: Date,
): PoolView {
  const pool = requireOwn(match);
  const stock = { queue, accounts, publications };
  const at = now.getTime();
  return {
    pool,
    outlook: outlookOf(pool, stock, at),
    nextAt: nextOf(pool),
    lines,
    coming: comingFirings(pool, new Forecast(queue, accounts, publications), {
      after: at,
      days: PREVIEW_DAYS,
    }),
    changes: clockChanges(new ZoneClock(pool.timezone), at, at + PREVIEW_DAYS * DAY),
    past: toFirings(past),
  };
}

export function clockChanges(clock: ZoneClock, from: number, until: number): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let at = from; at < until; ) {
    const { offset, until: end } = clock.spanAt(at);
    if (end < until && clock.offsetAt(end) !== offset) {
      const to = clock.wallTimeAt(end);
      const before = new Date(end + offset).toISOString().slice(11, 16);
      changes.push({ day: to.slice(0, 10), from: before, to: to.slice(11) });
    }
    at = end;
  }
  return changes;
}
