import { firstIdSince } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeAttempts, removeDeleted, webhookAfter } from "./repo/webhooks.ts";

/** Source: spec, "Events", delivery rule 4. */
const KEPT_MS = 30 * DAY;
const SLICE = 500;
const WEBHOOKS = 500;

/**
 * Removes a slice of old attempts, and deleted webhooks without attempts.
 *
 * @param cursor id of the first webhook
 */
export async function forgetOldAttempts(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const before = firstIdSince("dlv", new Date(deps.now().getTime() - KEPT_MS));
  const [[next], removed] = await deps.db.run([
    webhookAfter(from, WEBHOOKS),
    removeAttempts({ from, count: WEBHOOKS, before, max: SLICE }),
    removeDeleted(from, WEBHOOKS),
  ]);
  if (removed === SLICE) return String(from);
  return next === undefined ? null : String(next);
}
