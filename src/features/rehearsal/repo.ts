import { type SQL, sql } from "drizzle-orm";
import { assignments, insertInto } from "../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import { type RehearsalRow, rehearsals } from "./table.ts";

const readRehearsal = rowReader(rehearsals);

/** Rehearsals whose post may be out, or that are not over. The newest comes first. */
export const remaining = (team: SQL): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`SELECT * FROM rehearsals WHERE team_id = ${team}
      AND (stage <> 'over' OR outcome IN ('left', 'unknown')) ORDER BY id DESC LIMIT 100`,
    readRehearsal,
  );

export const rehearsalById = (team: SQL | number, id: number): Query<RehearsalRow[]> =>
  sqlQuery(sql`SELECT * FROM rehearsals WHERE team_id = ${team} AND id = ${id}`, readRehearsal);

export const openRehearsal = (team: SQL | number, accountId: string): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`SELECT * FROM rehearsals
      WHERE team_id = ${team} AND account_id = ${accountId} AND stage <> 'over'`,
    readRehearsal,
  );

export function insertRehearsal(
  row: Pick<RehearsalRow, "teamId" | "accountId" | "platform" | "text">,
  now: Date,
): Query<RehearsalRow[]> {
  const values = { ...row, stage: "planning", createdAt: now, updatedAt: now } as const;
  return sqlQuery(
    sql`${insertInto(rehearsals, values)} ON CONFLICT DO NOTHING RETURNING *`,
    readRehearsal,
  );
}

/** Answers no row while another invocation takes a step, or when the rehearsal is over. */
export const takeTurn = (
  { id }: Pick<RehearsalRow, "id">,
  now: Date,
  until: Date,
): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`UPDATE rehearsals SET busy_until = ${until.getTime()}
      WHERE id = ${id} AND stage <> 'over'
        AND (busy_until IS NULL OR busy_until <= ${now.getTime()}) RETURNING *`,
    readRehearsal,
  );

export type Changes = Partial<
  Omit<RehearsalRow, "id" | "teamId" | "accountId" | "platform" | "text" | "createdAt">
>;

/** Changes nothing when another invocation has taken the turn. */
export const updateRehearsal = (
  { id, busyUntil }: Pick<RehearsalRow, "id" | "busyUntil">,
  changes: Changes,
  now: Date,
): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`UPDATE rehearsals SET ${assignments(rehearsals, { ...changes, updatedAt: now })}
      WHERE id = ${id} AND busy_until = ${busyUntil?.getTime() ?? 0} RETURNING *`,
    readRehearsal,
  );

export const deleteRehearsal = (team: SQL | number, id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM rehearsals WHERE team_id = ${team} AND id = ${id}`);
