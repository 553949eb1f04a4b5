import type { Deps } from "../../deps.ts";
import { linkAfter, removeClicks, removeCounted, removeDays } from "./repo/links.ts";
import { CLICKS_KEPT_MS, MESSAGES_KNOWN_MS } from "./statistics.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;
/** Links looked through by one page, at most. */
const LINKS = 500;

/**
 * Removes a slice of the clicks that are older than 90 days, link by link, of all that is kept of deleted links but
 * their slugs, and of the messages that come no more.
 *
 * @param cursor id of the link to begin with
 */
export async function forgetOldClicks(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const slice = { from, count: LINKS, most: SLICE };
  const now = deps.now().getTime();
  const before = new Date(now - CLICKS_KEPT_MS);
  const [[next], clicks, days, messages] = await deps.db.run([
    linkAfter(from, LINKS),
    removeClicks(slice, before),
    removeDays(slice),
    removeCounted(new Date(now - MESSAGES_KNOWN_MS), SLICE),
  ]);
  if ([clicks, days, messages].includes(SLICE)) return String(from);
  return next === undefined ? null : String(next);
}
