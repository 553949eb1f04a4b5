import { MINUTE, SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { takeOverdue } from "./repo/deliveries.ts";
import { wakeDeliveries } from "./wake.ts";

/** A delivery that is overdue by this has lost its message. */
const OVERDUE_MS = MINUTE;
/** How long a delivery that was woken so is left to its message. */
const LEASE_MS = 30 * SECOND;
/** Deliveries woken by one slice. */
const SLICE = 1_000;
/** Slices of one tick: a long queue must not be made ever longer. */
const SLICES = 5;

/** Takes the first slice, to be run along with something else. */
export function firstOverdue({ now }: Pick<Deps, "now">) {
  const at = now().getTime();
  const overdue = new Date(at - OVERDUE_MS);
  return takeOverdue({ overdue, to: new Date(at + LEASE_MS), most: SLICE });
}

type Taken = { dueAt: Date; eventId: string };

/** Wakes the deliveries of a slice, and of those after it. Answers how many. */
export async function wakeOverdue(deps: Deps, first: readonly Taken[]): Promise<number> {
  let taken = first;
  let woken = 0;
  for (let slice = 1; taken.length > 0; slice++) {
    woken += taken.length;
    // At once: their new time is when the next sweep may take them.
    const atMs = deps.now().getTime();
    await wakeDeliveries(
      deps,
      taken.map(({ dueAt, eventId }) => ({ key: [dueAt.getTime(), eventId], atMs })),
    );
    if (taken.length < SLICE || slice === SLICES) break;
    [taken] = await deps.db.run([firstOverdue(deps)]);
  }
  return woken;
}
