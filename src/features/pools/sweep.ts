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

const SLICE = 1_000;
/** Subrequests for one slice. */
const CALLS_PER_SLICE = 4;
/** A firing that is longer due has lost its queue message. */
const LOST_MS = MINUTE;

export const firstDueSlots = (at: Date) => dueSlots({ at, max: SLICE });

const lostBefore = ({ now }: Pick<Deps, "now">): Date => new Date(now().getTime() - LOST_MS);

export const firstLost = (deps: Pick<Deps, "now">) => anyLost({ lostBefore: lostBefore(deps) });

interface DueWork {
  /** Decides what is due, however late the tick runs. */
  scheduledAt: Date;
  due: readonly DueSlot[];
  /** Slots whose queue message was lost; one id is enough to look for all. */
  lost: readonly number[];
  allows(calls: number): boolean;
}

/** Fires due slots while subrequests are left; the next tick does the rest. Returns the number of firings. */
export async function fireSlots(
  deps: Deps,
  { scheduledAt, due, lost, allows }: DueWork,
): Promise<number> {
  if (lost.length > 0) {
    const search = { now: deps.now(), lostBefore: lostBefore(deps), max: SLICE };
    const [again] = await deps.db.run([takeLost(search)]);
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
    // A short slice is the last, or another run took some of it.
    if (slice.length < SLICE || !allows(CALLS_PER_SLICE)) break;
    slice = next;
  }
  return taken;
}

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
    const schedule = dueFirings(
      clock,
      recurrence,
      { at: nextAt, day: nextDay },
      scheduledAt.getTime(),
    );
    const of = { slotId, expected: nextAt };
    firings.push(...schedule.firings.map((firing) => ({ ...of, ...firing })));
    const last = schedule.firings.at(-1) ?? { at: nextAt, day: nextDay };
    const next = { nextAt: schedule.next?.at ?? null, nextDay: schedule.next?.day ?? null };
    moves.push({ ...of, lastAt: last.at, lastDay: last.day, ...next });
  }
  return { firings, moves };
}
