import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { endLeft, postingAfter } from "./repo/firings.ts";
import { poolAfter, removeOld } from "./repo/history.ts";

/** Spec is silent. */
const KEPT_MS = 90 * DAY;
/** Calls may be repeated within two days. */
const REMOVED_KEPT_MS = 2 * DAY;
const POOLS = 100;
const ROWS = 500;
const ITEMS = 500;

/** @param cursor id of the first pool */
export async function forgetOldFirings(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const now = deps.now().getTime();
  const [[next], ...removed] = await deps.db.run([
    poolAfter(from, POOLS),
    ...removeOld({
      from,
      count: POOLS,
      max: ROWS,
      firedBefore: now - KEPT_MS,
      removedBefore: now - REMOVED_KEPT_MS,
    }),
  ]);
  if (removed.some((rows) => rows === ROWS)) return String(from);
  return next === undefined ? null : String(next);
}

/** @param cursor id of the previous item */
export async function endLeftItems(deps: Deps, cursor: string | null): Promise<string | null> {
  const after = Number(cursor ?? 0);
  const [[last]] = await deps.db.run([postingAfter(after, ITEMS), endLeft(after, ITEMS)]);
  return last === undefined ? null : String(last);
}
