import { firstIdSince } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeEvents, teamAfter } from "./repo.ts";

/** Spec is silent: the feed of events goes back 30 days. */
export const KEPT_MS = 30 * DAY;
/** Rows removed by one statement, at most. */
const SLICE = 500;
/** Teams looked through by one statement, at most. */
const TEAMS = 500;

/**
 * Removes a slice of the events that are too old for the feed, team by team: their ids sort by time, so
 * that no index of their age has to be kept with every event.
 *
 * @param cursor id of the team to begin with
 */
export async function forgetOldEvents(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const before = firstIdSince("evt", new Date(deps.now().getTime() - KEPT_MS));
  const [[next], removed] = await deps.db.run([
    teamAfter(from, TEAMS),
    removeEvents({ from, teams: TEAMS, before, most: SLICE }),
  ]);
  if (removed === SLICE) return String(from);
  return next === undefined ? null : String(next);
}
