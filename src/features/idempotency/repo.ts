import { type SQL, sql } from "drizzle-orm";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { DAY } from "../../core/time.ts";
import { prepared, type Query, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { idempotency } from "./table.ts";

export type StoredAnswer = typeof idempotency.$inferSelect;

/** How long an answer is given again. Spec is silent. */
const KEPT_MS = DAY;

/** The first instant whose answers are still given again. */
const keptSince = (now: Date): number => now.getTime() - KEPT_MS;

const answerSince = prepared(
  ({ team, route, key, since }: Params<NamedCall & { team: SQL; since: number }>) =>
    sql`SELECT * FROM ${idempotency} WHERE team_id = ${team} AND route = ${route} AND key = ${key}
      AND created_at > ${since}`,
  rowReader(idempotency),
);

/** The answer to an earlier call of this name; no row for a new call, or after a day. */
export const storedAnswer = (
  team: SQL,
  { route, key }: NamedCall,
  now: Date,
): Query<StoredAnswer[]> => answerSince({ team, route, key, since: keptSince(now) });

/** A condition of other statements in the batch: nobody has answered this call yet. */
export const isNewCall = (teamId: number, { route, key }: NamedCall, now: Date): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM idempotency WHERE team_id = ${teamId} AND route = ${route}
    AND key = ${key} AND created_at > ${keptSince(now)})`;

/**
 * Keeps an answer, right behind the statement that it answers for: it acts only if that one changed a row
 * and the call is still new. `firstUploadId` may be a SQL value.
 */
export function keepAnswer(
  teamId: number,
  call: NamedCall,
  stored: { fingerprint: string; answer: unknown; firstUploadId: SQL | number | null },
  now: Date,
): Query<number> {
  const { fingerprint, answer, firstUploadId } = stored;
  return sqlWrite(sql`INSERT OR REPLACE INTO idempotency
      (team_id, route, key, fingerprint, answer, first_upload_id, created_at)
    SELECT ${teamId}, ${call.route}, ${call.key}, ${fingerprint}, ${JSON.stringify(answer)},
      ${firstUploadId}, ${now.getTime()}
    WHERE ${isNewCall(teamId, call, now)} AND changes() > 0`);
}

/** The condition of a call without a name: it is always new. */
export const ALWAYS_NEW = sql`TRUE`;

/** Removes answers older than a day, the oldest first. */
export const removeOldAnswers = (now: Date, most: number): Query<number> =>
  sqlWrite(sql`DELETE FROM idempotency WHERE (team_id, route, key) IN
    (SELECT team_id, route, key FROM idempotency WHERE created_at <= ${keptSince(now)}
      ORDER BY created_at LIMIT ${most})`);
