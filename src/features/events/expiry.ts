import { firstIdSince } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeEvents, teamAfter } from "./repo.ts";

/** Spec is silent. */
export const KEPT_MS = 30 * DAY;
const SLICE = 500;
const TEAMS = 500;

/**
 * Event ids sort by time, so their age needs no index.
 *
 * @param cursor id of the first team
 */
export async function forgetOldEvents(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const before = firstIdSince("evt", new Date(deps.now().getTime() - KEPT_MS));
  const [[next], removed] = await deps.db.run([
    teamAfter(from, TEAMS),
    removeEvents({ from, teams: TEAMS, before, max: SLICE }),
  ]);
  if (removed === SLICE) return String(from);
  return next === undefined ? null : String(next);
}
