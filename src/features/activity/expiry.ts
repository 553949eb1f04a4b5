import { firstIdSince } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { removeLines, teamAfter } from "./repo.ts";

/** Thirteen months at their longest. */
export const KEPT_MS = 397 * DAY;
const SLICE = 500;
const TEAMS = 500;

/** @param cursor id of the first team */
export async function forgetOldLines(deps: Deps, cursor: string | null): Promise<string | null> {
  const from = Number(cursor ?? 0);
  const before = firstIdSince("act", new Date(deps.now().getTime() - KEPT_MS));
  const [[next], removed] = await deps.db.run([
    teamAfter(from, TEAMS),
    removeLines({ from, teams: TEAMS, before, max: SLICE }),
  ]);
  if (removed === SLICE) return String(from);
  return next === undefined ? null : String(next);
}
