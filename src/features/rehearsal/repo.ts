import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { assignments, insertInto } from "../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { instant } from "../../db/columns.ts";
import { rowReader } from "../../db/rows.ts";
import { PUBLISHING, UNPUBLISHED } from "./rules.ts";
import { type RehearsalRow, rehearsals } from "./table.ts";

const readRehearsal = rowReader(rehearsals);

/** Newest first: unfinished rehearsals, and those that may have left a post. */
export const remaining = (team: SQL): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`SELECT * FROM rehearsals WHERE team_id = ${team}
      AND (stage <> 'over' OR outcome IN ('left', 'unknown')) ORDER BY id DESC LIMIT 100`,
    readRehearsal,
  );

export const rehearsalById = (team: SQL | number, id: number): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`SELECT * FROM rehearsals
      WHERE team_id = ${team} AND id = ${id} AND outcome IS NOT 'forgotten'`,
    readRehearsal,
  );

export const openRehearsal = (team: SQL | number, accountId: string): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`SELECT * FROM rehearsals
      WHERE team_id = ${team} AND account_id = ${accountId} AND stage <> 'over'`,
    readRehearsal,
  );

export const rehearsalsSince = (team: SQL, accountId: string, since: Date) =>
  sqlQuery(
    sql`SELECT COUNT(*) AS used, MIN(created_at) AS oldest FROM rehearsals
      WHERE team_id = ${team} AND account_id = ${accountId} AND created_at > ${since.getTime()}`,
    rowReader({ used: integer("used").notNull(), oldest: instant("oldest") }),
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

/**
 * Returns no row when another invocation is taking a step or has changed the stage: the owner agreed to the stage that
 * the caller read.
 */
export const takeTurn = (
  { id, stage }: Pick<RehearsalRow, "id" | "stage">,
  now: Date,
  until: Date,
): Query<RehearsalRow[]> =>
  sqlQuery(
    sql`UPDATE rehearsals SET busy_until = ${until.getTime()}
      WHERE id = ${id} AND stage = ${stage} AND stage <> 'over'
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

const isIdle = (now: Date) => sql`(busy_until IS NULL OR busy_until <= ${now.getTime()})`;

/** Deletes nothing while a step is being taken, or once any of the post was sent. */
export const deleteUnpublished = (team: number, id: number, now: Date): Query<number> =>
  sqlWrite(sql`DELETE FROM rehearsals WHERE team_id = ${team} AND id = ${id} AND ${isIdle(now)}
    AND stage IN (SELECT value FROM json_each(${JSON.stringify(UNPUBLISHED)}))`);

/**
 * Keeps the row, so that the post stays out of the figures and the rehearsal counts for the daily limit. Changes
 * nothing while a step is being taken.
 */
export const markForgotten = (team: number, id: number, now: Date): Query<number> => {
  const changes = { stage: "over", outcome: "forgotten", updatedAt: now } as const;
  return sqlWrite(sql`UPDATE rehearsals SET ${assignments(rehearsals, changes)}
    WHERE team_id = ${team} AND id = ${id} AND ${isIdle(now)} AND outcome IS NOT 'forgotten'`);
};

const ACCOUNT_GONE = "The account was disconnected before the rehearsal was over.";

const published = JSON.stringify(PUBLISHING);

/** Ends rehearsals of disconnected accounts. A post with the audience `nobody` was never published. */
export const endWithoutAccount = (now: Date): Query<number> =>
  sqlWrite(sql`UPDATE rehearsals SET stage = 'over', message = ${ACCOUNT_GONE}, updated_at = ${now.getTime()},
      outcome = CASE WHEN stage NOT IN (SELECT value FROM json_each(${published}))
          OR json_extract(plan, '$.audience') = 'nobody' THEN 'nothing'
        WHEN platform_post_id IS NULL THEN 'unknown' ELSE 'left' END
    WHERE stage <> 'over' AND ${isIdle(now)}
      AND NOT EXISTS (SELECT 1 FROM accounts
        WHERE accounts.id = rehearsals.account_id AND accounts.deleted_at IS NULL)`);

/** Deletes rehearsals that left no post, and forgotten ones whose post has no known id. */
export const forgetEnded = (before: Date, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM rehearsals WHERE id IN (
    SELECT id FROM rehearsals WHERE stage = 'over' AND updated_at < ${before.getTime()}
      AND (outcome IN ('nothing', 'removed') OR outcome = 'forgotten' AND platform_post_id IS NULL)
    LIMIT ${max})`);
