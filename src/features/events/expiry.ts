import { sql } from "drizzle-orm";
import { firstIdSince } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";

/** Spec is silent: the feed of events goes back 30 days. */
const KEPT_MS = 30 * DAY;
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
  const [[next], removed] = await deps.db.run([teamAfter(from), removeEvents(from, before)]);
  if (removed === SLICE) return String(from);
  return next === undefined ? null : String(next);
}

/** The first team that `removeEvents` does not look at. */
const teamAfter = (from: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${TEAMS}`,
    (row) => row.id as number,
  );

const removeEvents = (from: number, before: string): Query<number> =>
  sqlWrite(sql`DELETE FROM events WHERE (team_id, id) IN (
    SELECT old.team_id, old.id
      FROM (SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT ${TEAMS}) team
      CROSS JOIN events old ON old.team_id = team.id AND old.id < ${before}
      LIMIT ${SLICE})`);
