import type { Deps } from "../../deps.ts";
import { linkAfter, removeClicks, removeCounted, removeDays } from "./repo/links.ts";
import { CLICKS_KEPT_MS, MESSAGES_KNOWN_MS } from "./statistics.ts";

const SLICE = 500;
const LINKS = 500;

/**
 * Removes clicks older than 90 days, statistics of deleted links, and old message ids.
 *
 * @param cursor id of the first link
 */
export async function forgetOldClicks(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const slice = { from, count: LINKS, max: SLICE };
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
