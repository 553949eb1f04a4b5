import { MINUTE, SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { wakeDeliveries } from "../../queue/wake.ts";
import { anyOverdue, takeOverdue } from "./repo/deliveries.ts";

/** A delivery this overdue has lost its queue message. */
const OVERDUE_MS = MINUTE;
/** While a woken delivery's message arrives, the sweep leaves it alone. */
const LEASE_MS = 30 * SECOND;
const SLICE = 1_000;
/** Per sweep. More would lengthen a long queue. */
const SLICES = 5;

const overdueAt = ({ now }: Pick<Deps, "now">): Date => new Date(now().getTime() - OVERDUE_MS);

export const firstOverdue = (deps: Pick<Deps, "now">) => anyOverdue({ overdue: overdueAt(deps) });

function takeSlice(deps: Pick<Deps, "now">) {
  const to = new Date(deps.now().getTime() + LEASE_MS);
  return takeOverdue({ overdue: overdueAt(deps), to, max: SLICE });
}

type DueDelivery = { dueAt: Date; eventId: string };

export async function wakeOverdue(deps: Deps, overdue: readonly DueDelivery[]): Promise<number> {
  let woken = 0;
  if (overdue.length === 0) return woken;
  for (let slice = 1; ; slice++) {
    const [deliveries] = await deps.db.run([takeSlice(deps)]);
    woken += deliveries.length;
    // Messages arrive at once; the rows' new due time is for the next sweep.
    const atMs = deps.now().getTime();
    await wakeDeliveries(
      deps,
      deliveries.map(({ dueAt, eventId }) => ({ key: [dueAt.getTime(), eventId], atMs })),
    );
    if (deliveries.length < SLICE || slice === SLICES) return woken;
  }
}
