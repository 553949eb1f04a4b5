import { MINUTE } from "../../core/time.ts";
import { ZoneClock } from "../../core/zone.ts";
import type { Deps } from "../../deps.ts";
import { wakeFirings } from "../../queue/wake.ts";
import {
  type Advance,
  advanceSlots,
  anyLost,
  type DueSlot,
  dueSlots,
  type NewFiring,
  takeFirings,
  takeLost,
} from "./repo/firings.ts";
import { dueFirings } from "./rules.ts";

/** Slots taken by one statement. */
const SLICE = 1_000;
/** Calls of a slice: one to the database, and the messages of it, where each names but one firing. */
const CALLS_PER_SLICE = 4;
/** A firing that nobody has ended for this long has lost its message. */
const LOST_MS = MINUTE;

/** Reads the first slots that are due at a tick, to be run along with something else. */
export const firstDueSlots = (at: Date) => dueSlots({ at, most: SLICE });

const lostBefore = ({ now }: Pick<Deps, "now">): Date => new Date(now().getTime() - LOST_MS);

/** Looks for a firing whose message got lost, to be run along with something else. */
export const firstLost = (deps: Pick<Deps, "now">) => anyLost({ lostBefore: lostBefore(deps) });

interface Found {
  /** The scheduled time of the tick: what is due is judged by it, however late the tick runs. */
  scheduledAt: Date;
  due: readonly DueSlot[];
  /** One whose message got lost, where there are some. */
  lost: readonly number[];
  /** Returns true where the tick may make so many calls more. */
  allows(calls: number): boolean;
}

/**
 * Takes the firings that are due, a slice at a time, and sends the messages that carry them out; what the tick has
 * no calls left for is taken by the next. Answers how many were taken.
 */
export async function fireSlots(
  deps: Deps,
  { scheduledAt, due, lost, allows }: Found,
): Promise<number> {
  if (lost.length > 0) {
    const found = { now: deps.now(), lostBefore: lostBefore(deps), most: SLICE };
    const [again] = await deps.db.run([takeLost(found)]);
    await wakeFirings(deps, again);
  }
  const clocks = new Map<string, ZoneClock>();
  let slice = due;
  let taken = 0;
  while (slice.length > 0) {
    const { firings, moves } = plan(slice, scheduledAt, clocks);
    const [fresh, , next] = await deps.db.run([
      takeFirings(firings, deps.now()),
      advanceSlots(moves),
      firstDueSlots(scheduledAt),
    ]);
    taken += fresh.length;
    await wakeFirings(
      deps,
      fresh.filter(({ outcome }) => outcome === "due"),
    );
    // The last slice that was asked for, and one that another run or an edit has taken from under this one.
    if (slice.length < SLICE || !allows(CALLS_PER_SLICE)) break;
    slice = next;
  }
  return taken;
}

/** Returns what is due of each slot, and when it fires next. */
function plan(
  slots: readonly DueSlot[],
  scheduledAt: Date,
  clocks: Map<string, ZoneClock>,
): { firings: NewFiring[]; moves: Advance[] } {
  const firings: NewFiring[] = [];
  const moves: Advance[] = [];
  for (const { id: slotId, timezone, nextAt, nextDay, ...recurrence } of slots) {
    const clock = clocks.get(timezone) ?? new ZoneClock(timezone);
    clocks.set(timezone, clock);
    const found = dueFirings(
      clock,
      recurrence,
      { at: nextAt, day: nextDay },
      scheduledAt.getTime(),
    );
    const of = { slotId, expected: nextAt };
    firings.push(...found.firings.map((firing) => ({ ...of, ...firing })));
    const last = found.firings.at(-1) ?? { at: nextAt, day: nextDay };
    const next = { nextAt: found.next?.at ?? null, nextDay: found.next?.day ?? null };
    moves.push({ ...of, lastAt: last.at, lastDay: last.day, ...next });
  }
  return { firings, moves };
}
