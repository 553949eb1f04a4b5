import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { endLeft, postingAfter } from "./repo/firings.ts";
import { poolAfter, removeOld } from "./repo/history.ts";

/** Firings are listed for this long. Spec is silent. */
const KEPT_MS = 90 * DAY;
/** Removed items are kept as long as the answer to the call that added them: for two days, to be sure. */
const REMOVED_KEPT_MS = 2 * DAY;
/** Pools that one page looks at, and rows of each kind that it removes, at most. */
const POOLS = 100;
const ROWS = 500;
/** Items that one page looks at. */
const ITEMS = 500;

/**
 * Forgets what the pools of a page did long ago.
 *
 * @param cursor id of the pool to begin with
 */
export async function forgetOldFirings(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const now = deps.now().getTime();
  const [[next], ...removed] = await deps.db.run([
    poolAfter(from, POOLS),
    ...removeOld({
      ...{ from, count: POOLS, most: ROWS },
      ...{ firedBefore: now - KEPT_MS, removedBefore: now - REMOVED_KEPT_MS },
    }),
  ]);
  if (removed.some((rows) => rows === ROWS)) return String(from);
  return next === undefined ? null : String(next);
}

/**
 * Ends the items of a page of which somebody removed the last post.
 *
 * @param cursor id of the item before
 */
export async function endLeftItems(deps: Deps, cursor: string | null): Promise<string | null> {
  const after = Number(cursor ?? 0);
  const [[last]] = await deps.db.run([postingAfter(after, ITEMS), endLeft(after, ITEMS)]);
  return last === undefined ? null : String(last);
}
