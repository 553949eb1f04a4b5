import { MINUTE, SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { wakeDeliveries } from "../../queue/wake.ts";
import { anyOverdue, takeOverdue } from "./repo/deliveries.ts";

/** A delivery that is overdue by this has lost its message. */
const OVERDUE_MS = MINUTE;
/** How long a delivery that was woken so is left to its message. */
const LEASE_MS = 30 * SECOND;
/** Deliveries woken by one slice. */
const SLICE = 1_000;
/** Slices of one tick: a long queue must not be made ever longer. */
const SLICES = 5;

const overdueAt = ({ now }: Pick<Deps, "now">): Date => new Date(now().getTime() - OVERDUE_MS);

/** Looks for one that is overdue, to be run along with something else. */
export const firstOverdue = (deps: Pick<Deps, "now">) => anyOverdue({ overdue: overdueAt(deps) });

function takeSlice(deps: Pick<Deps, "now">) {
  const to = new Date(deps.now().getTime() + LEASE_MS);
  return takeOverdue({ overdue: overdueAt(deps), to, most: SLICE });
}

type Taken = { dueAt: Date; eventId: string };

/** Wakes the deliveries that are overdue, where one was found. Answers how many. */
export async function wakeOverdue(deps: Deps, found: readonly Taken[]): Promise<number> {
  let woken = 0;
  if (found.length === 0) return woken;
  for (let slice = 1; ; slice++) {
    const [taken] = await deps.db.run([takeSlice(deps)]);
    woken += taken.length;
    // At once: their new time is when the next sweep may take them.
    const atMs = deps.now().getTime();
    await wakeDeliveries(
      deps,
      taken.map(({ dueAt, eventId }) => ({ key: [dueAt.getTime(), eventId], atMs })),
    );
    if (taken.length < SLICE || slice === SLICES) return woken;
  }
}
