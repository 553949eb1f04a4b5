import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { flag } from "../../db/columns.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { stillMay } from "../auth/repo/people.ts";
import { teams } from "../teams/table.ts";
import { USAGE_WINDOW_MS } from "./rules.ts";
import { presigns } from "./table.ts";

export type PresignRow = typeof presigns.$inferSelect;
export type NewPresign = Pick<
  PresignRow,
  "objectKey" | "name" | "sizeBytes" | "mime" | "partBytes" | "uploadId"
>;

const readPresign = rowReader(presigns);
const readBytes = valueReader(integer("bytes").notNull());

const bytesSince = (team: number | SQL, since: number, upToId?: number): SQL =>
  sql`coalesce((SELECT SUM(size_bytes) FROM presigns WHERE team_id = ${team} AND created_at > ${since}
    ${upToId === undefined ? sql`` : sql`AND id <= ${upToId}`}), 0)`;

const windowStart = (at: Date): number => at.getTime() - USAGE_WINDOW_MS;

/** `plan`: null for the instance's default. */
export const planAndUsage = (team: SQL, now: Date) =>
  sqlQuery(
    sql`SELECT coalesce(plan, base_plan) AS plan, ${bytesSince(sql`teams.id`, windowStart(now))} AS bytes
      FROM teams WHERE id = ${team}`,
    rowReader({ plan: teams.plan, bytes: integer("bytes").notNull() }),
  );

export const bytesUsed = (team: number, at: Date, upToId?: number): Query<number[]> =>
  sqlQuery(sql`SELECT ${bytesSince(team, windowStart(at), upToId)} AS bytes`, readBytes);

interface Batch
  extends Pick<PresignRow, "teamId" | "userId" | "tokenId" | "route" | "createdAt" | "expiresAt"> {
  files: readonly NewPresign[];
  /** Null: unlimited. */
  allowance: number | null;
}

/** Inserts all files or none. Ids are consecutive; the result is the last one. */
export function insertPresigns(
  { teamId, userId, tokenId, route, createdAt, expiresAt, files, allowance }: Batch,
  condition: SQL,
): Query<number | null> {
  const requested = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const values = files.map((file) => [
    file.objectKey,
    file.name,
    file.sizeBytes,
    file.mime,
    file.partBytes,
    file.uploadId,
  ]);
  const used = bytesSince(teamId, windowStart(createdAt));
  const fits = allowance === null ? sql`TRUE` : sql`${used} + ${requested} <= ${allowance}`;
  return {
    ...sqlWrite(sql`INSERT INTO presigns (team_id, user_id, route, object_key, name, size_bytes, mime,
        part_bytes, upload_id, created_at, expires_at, token_id)
      SELECT ${teamId}, ${userId}, ${route}, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
        value ->> 4, value ->> 5, ${createdAt.getTime()}, ${expiresAt.getTime()}, ${tokenId}
      FROM json_each(${JSON.stringify(values)}) WHERE ${condition} AND ${fits}`),
    read: ({ meta }) => (meta.changes > 0 ? meta.last_row_id : null),
  };
}

/** The first of `count` rows that the previous statement inserted. */
export const firstInserted = (count: number): SQL => sql`last_insert_rowid() - ${count - 1}`;

const presignsBetween = prepared(
  ({ teamId, first, last }: Params<Record<"teamId" | "first" | "last", number>>) =>
    sql`SELECT * FROM presigns WHERE team_id = ${teamId} AND id BETWEEN ${first} AND ${last} ORDER BY id`,
  readPresign,
);

export const presignsFrom = (teamId: number, firstId: number, count: number): Query<PresignRow[]> =>
  presignsBetween({ teamId, first: firstId, last: firstId + count - 1 });

const starterMay = stillMay({
  teamId: sql`presigns.team_id`,
  userId: sql`presigns.user_id`,
  tokenId: sql`presigns.token_id`,
});

const readStarterMay = rowReader({ starterMay: flag("starter_may").notNull() });

export const presignById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT *, ${starterMay} AS starter_may FROM presigns WHERE id = ${id}`,
  (row) => ({ ...readPresign(row), ...readStarterMay(row) }),
);

/** SQL condition: these are presigned objects, none marked for removal. */
export const arePresigned = (objectKeys: readonly string[]): SQL =>
  sql`(SELECT COUNT(*) FROM presigns WHERE removed_at IS NULL
    AND object_key IN (SELECT value FROM json_each(${JSON.stringify(objectKeys)}))
    ) = ${new Set(objectKeys).size}`;

const OPEN = sql`completed_at IS NULL AND aborted_at IS NULL`;

/**
 * Answers 0 if the upload has already ended. The person who presigned it must still be allowed to act for the team to
 * complete it.
 */
export const endUpload = (id: number, how: "completed" | "aborted", now: Date): Query<number> =>
  sqlWrite(sql`UPDATE presigns SET ${sql.identifier(`${how}_at`)} = ${now.getTime()}
    WHERE id = ${id} AND ${OPEN}${how === "completed" ? sql` AND ${starterMay}` : sql``}`);

export const presignsAfter = (id: number, max: number): Query<PresignRow[]> =>
  sqlQuery(sql`SELECT * FROM presigns WHERE id > ${id} ORDER BY id LIMIT ${max}`, readPresign);

export const openUploads = (teamId: number, max: number): Query<PresignRow[]> =>
  sqlQuery(
    sql`SELECT * FROM presigns WHERE team_id = ${teamId} AND upload_id IS NOT NULL AND ${OPEN}
      LIMIT ${max}`,
    readPresign,
  );

/** Includes objects marked earlier, because their deletion may have failed. */
export const giveUpUnused = (objectKeys: readonly string[], now: Date): Query<string[]> =>
  sqlQuery(
    sql`UPDATE presigns SET removed_at = coalesce(removed_at, ${now.getTime()})
      WHERE object_key IN (SELECT value FROM json_each(${JSON.stringify(objectKeys)}))
        AND NOT EXISTS (SELECT 1 FROM media
          WHERE media.team_id = presigns.team_id AND media.object_key = presigns.object_key)
      RETURNING object_key`,
    valueReader(presigns.objectKey),
  );

/** Keeps rows whose bytes still count as usage. */
export const forgetRemoved = (fromId: number, toId: number, createdBefore: Date): Query<number> =>
  sqlWrite(sql`DELETE FROM presigns WHERE id BETWEEN ${fromId} AND ${toId}
    AND removed_at IS NOT NULL AND created_at <= ${createdBefore.getTime()}`);
