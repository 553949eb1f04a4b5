import { type SQL, sql } from "drizzle-orm";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { DAY } from "../../core/time.ts";
import { prepared, type Query, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { idempotency } from "./table.ts";

export type StoredAnswer = typeof idempotency.$inferSelect;

/** Spec is silent. */
const KEPT_MS = DAY;

const keptSince = (now: Date): number => now.getTime() - KEPT_MS;

const answerSince = prepared(
  ({ team, route, key, since }: Params<NamedCall & { team: SQL; since: number }>) =>
    sql`SELECT * FROM ${idempotency} WHERE team_id = ${team} AND route = ${route} AND key = ${key}
      AND created_at > ${since}`,
  rowReader(idempotency),
);

export const storedAnswer = (
  team: SQL,
  { route, key }: NamedCall,
  now: Date,
): Query<StoredAnswer[]> => answerSince({ team, route, key, since: keptSince(now) });

export const isNewCall = (teamId: number, { route, key }: NamedCall, now: Date): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM idempotency WHERE team_id = ${teamId} AND route = ${route}
    AND key = ${key} AND created_at > ${keptSince(now)})`;

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

export const ALWAYS_NEW = sql`TRUE`;

export const removeOldAnswers = (now: Date, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM idempotency WHERE (team_id, route, key) IN
    (SELECT team_id, route, key FROM idempotency WHERE created_at <= ${keptSince(now)}
      ORDER BY created_at LIMIT ${max})`);
