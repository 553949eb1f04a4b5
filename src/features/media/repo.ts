import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { StoredFile } from "./store.ts";
import { media } from "./table.ts";

export type MediaRow = typeof media.$inferSelect;

/**
 * The rows of files, where `condition` holds. Answers the hashes of those that are new: the team has the
 * content of the others already, and their new objects are not needed.
 */
export function insertMedia(
  teamId: number,
  files: readonly StoredFile[],
  createdAt: Date,
  condition: SQL = sql`TRUE`,
): Query<string[]> {
  const values = files.map(
    ({ sha256, objectKey, kind, mime, sizeBytes, width, height, isDamaged }) => [
      ...[sha256, objectKey, kind, mime, sizeBytes, width, height, +isDamaged],
    ],
  );
  return sqlQuery(
    sql`INSERT INTO media
        (team_id, sha256, object_key, kind, mime, size_bytes, width, height, is_damaged, created_at)
      SELECT ${teamId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
        value ->> 6, value ->> 7, ${createdAt.getTime()}
      FROM json_each(${JSON.stringify(values)}) WHERE ${condition}
      ON CONFLICT DO NOTHING RETURNING sha256`,
    (row) => row.sha256 as string,
  );
}

const readMedia = rowReader(media);

export function mediaByHash(teamId: number, sha256: string): Query<MediaRow[]> {
  return sqlQuery(
    sql`SELECT * FROM ${media} WHERE team_id = ${teamId} AND sha256 = ${sha256}`,
    readMedia,
  );
}

const isAmong = (team: SQL, hashes: readonly string[]): SQL =>
  sql`team_id = ${team} AND sha256 IN (SELECT value FROM json_each(${JSON.stringify(hashes)}))`;

/** Reads the team's files with these contents. */
export const filesByHash = (team: SQL, hashes: readonly string[]): Query<MediaRow[]> =>
  sqlQuery(sql`SELECT * FROM ${media} WHERE ${isAmong(team, hashes)}`, readMedia);

/** A condition of other statements: the team has a file with each of these contents. */
export const hasFiles = (team: SQL, hashes: readonly string[]): SQL =>
  sql`(SELECT COUNT(*) FROM ${media} WHERE ${isAmong(team, hashes)}) = ${new Set(hashes).size}`;

/** Those of the objects that a file of the team stands for. */
export function objectsInUse(teamId: number, keys: readonly string[]): Query<string[]> {
  return sqlQuery(
    sql`SELECT object_key FROM ${media} WHERE team_id = ${teamId}
      AND object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
    (row) => row.object_key as string,
  );
}

/** The files of one upload. `uploadId` may be a SQL value. */
export function mediaOfUpload(uploadId: number | SQL): Query<MediaRow[]> {
  return sqlQuery(
    sql`SELECT m.* FROM uploads u
      -- CROSS: in this order, or every file of the team is read.
      CROSS JOIN json_each(u.media) item CROSS JOIN ${media} m
        ON m.team_id = u.team_id AND m.sha256 = item.value ->> 'sha256'
      WHERE u.id = ${uploadId}`,
    readMedia,
  );
}

export interface FileId {
  teamId: number;
  sha256: string;
}

/** The file that comes `files` files after `from`, if there are so many. */
export function fileAfter({ teamId, sha256 }: FileId, files: number): Query<FileId[]> {
  return sqlQuery(
    sql`SELECT team_id, sha256 FROM media WHERE (team_id, sha256) >= (${teamId}, ${sha256})
      ORDER BY team_id, sha256 LIMIT 1 OFFSET ${files}`,
    (row) => ({ teamId: row.team_id as number, sha256: row.sha256 as string }),
  );
}

/** Removes those of the files that no post uses; answers their objects. */
export function dropUnusedFiles(files: readonly FileId[]): Query<string[]> {
  const keys = files.map(({ teamId, sha256 }) => [teamId, sha256]);
  return sqlQuery(
    sql`DELETE FROM media WHERE (team_id, sha256) IN (
        SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(keys)}))
      AND NOT EXISTS (SELECT 1 FROM media_uses x
        WHERE x.team_id = media.team_id AND x.sha256 = media.sha256)
      RETURNING object_key`,
    (row) => row.object_key as string,
  );
}
