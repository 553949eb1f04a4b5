import type { Deps } from "../../deps.ts";
import { linkAfter, removeClicks, removeDays } from "./repo/links.ts";
import { CLICKS_KEPT_MS } from "./statistics.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;
/** Links looked through by one page, at most. */
const LINKS = 500;

/**
 * Removes a slice of the clicks that are older than 90 days, link by link, and all that is kept of deleted links
 * but their slugs.
 *
 * @param cursor id of the link to begin with
 */
export async function forgetOldClicks(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const slice = { from, count: LINKS, most: SLICE };
  const before = new Date(deps.now().getTime() - CLICKS_KEPT_MS);
  const [[next], clicks, days] = await deps.db.run([
    linkAfter(from, LINKS),
    removeClicks(slice, before),
    removeDays(slice),
  ]);
  if (clicks === SLICE || days === SLICE) return String(from);
  return next === undefined ? null : String(next);
}
