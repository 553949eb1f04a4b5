import type { SharedBudget } from "../../core/budget.ts";
import type { Deps } from "../../deps.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import type { FireMessage } from "../../queue/messages.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { callsOf, carryOut } from "./dispatch.ts";

export async function handleFire(
  deps: Deps,
  { firings }: FireMessage,
  budget: SharedBudget,
): Promise<Outcome> {
  const keys = firings.map(([slotId, at]) => ({ slotId, fireAt: new Date(at) }));
  const done = await budget.within(callsOf(keys.length), async (spend) => {
    await carryOut(countedDeps(deps, spend), keys);
    return true;
  });
  return done ? { kind: "done" } : { kind: "again", afterSeconds: 1 };
}
