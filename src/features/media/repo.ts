import { type SQL, sql } from "drizzle-orm";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { packedRows, pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Retention } from "./files.ts";
import { media, type StoredFile } from "./table.ts";

export type MediaRow = typeof media.$inferSelect;
export type FileId = Pick<MediaRow, "teamId" | "sha256">;

export const isMediaId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export type KnownFile = Pick<MediaRow, "sha256" | "objectKey">;

const readKnown = rowReader(pickColumns(media, ["sha256", "objectKey"]));

/** Only presigned files have an ETag. */
const NAME_OF_PRESIGNED = sql`iif(value ->> 8 IS NULL, NULL,
  (SELECT p.name FROM presigns p WHERE p.object_key = value ->> 1))`;

/** Answers each file with the object that the team has of it: an older one where the content is known. */
export function insertMedia(
  teamId: number,
  files: readonly StoredFile[],
  createdAt: Date,
  condition: SQL = sql`TRUE`,
): Query<KnownFile[]> {
  const values = files.map(
    ({
      sha256,
      objectKey,
      kind,
      mime,
      sizeBytes,
      width,
      height,
      isDamaged,
      name,
      ...presigned
    }) => [
      sha256,
      objectKey,
      kind,
      mime,
      sizeBytes,
      width,
      height,
      +isDamaged,
      presigned.etag ?? null,
      presigned.contentSha256 ?? null,
      name ?? null,
    ],
  );
  return sqlQuery(
    sql`INSERT INTO media
        (team_id, sha256, object_key, kind, mime, size_bytes, width, height, is_damaged, etag, content_sha256,
          name, created_at)
      SELECT ${teamId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
        value ->> 6, value ->> 7, value ->> 8, value ->> 9,
        coalesce(value ->> 10, ${NAME_OF_PRESIGNED}), ${createdAt.getTime()}
      FROM json_each(${JSON.stringify(values)}) WHERE ${condition}
      ON CONFLICT (team_id, sha256) DO UPDATE SET object_key = object_key RETURNING sha256, object_key`,
    readKnown,
  );
}

/** The object `from` is gone; the same content is stored again. */
export const replaceObject = (
  teamId: number,
  { sha256, objectKey }: KnownFile,
  from: string,
): Query<number> =>
  sqlWrite(sql`UPDATE media SET object_key = ${objectKey}
    WHERE team_id = ${teamId} AND sha256 = ${sha256} AND object_key = ${from}`);

export const noteContent = ({ teamId, sha256 }: FileId, content: string): Query<number> =>
  sqlWrite(sql`UPDATE media SET content_sha256 = ${content}
    WHERE team_id = ${teamId} AND sha256 = ${sha256}`);

const readMedia = rowReader(media);
const MEDIA = packedRows(media);

export const mediaByHash = prepared(
  ({ teamId, sha256 }: Params<FileId>) =>
    sql`SELECT * FROM media WHERE team_id = ${teamId} AND sha256 = ${sha256}`,
  readMedia,
);

const isAmong = (team: number | SQL, hashes: readonly string[]): SQL =>
  sql`team_id = ${team} AND sha256 IN (SELECT value FROM json_each(${JSON.stringify(hashes)}))`;

export const filesByHash = (team: SQL, hashes: readonly string[]): Query<MediaRow[]> =>
  sqlQuery(sql`SELECT * FROM ${media} WHERE ${isAmong(team, hashes)}`, readMedia);

export const hasFiles = (team: number | SQL, hashes: readonly string[]): SQL =>
  sql`(SELECT COUNT(*) FROM ${media} WHERE ${isAmong(team, hashes)}) = ${new Set(hashes).size}`;

/** Without its team, all are in use: a new database with an old bucket waits for its backup. */
export function objectsInUse(teamId: number, keys: readonly string[]): Query<string[]> {
  const list = JSON.stringify(keys);
  return sqlQuery(
    sql`SELECT object_key FROM ${media} WHERE team_id = ${teamId}
        AND object_key IN (SELECT value FROM json_each(${list}))
      UNION ALL SELECT value FROM json_each(${list})
        WHERE NOT EXISTS (SELECT 1 FROM teams WHERE id = ${teamId})`,
    valueReader(media.objectKey),
  );
}

const ofUpload = (upload: SQL): SQL =>
  // CROSS JOIN keeps this order of the tables; otherwise all files of the team are read.
  sql`json_each(${upload}.media) item CROSS JOIN ${media}
    ON media.team_id = ${upload}.team_id AND media.sha256 = item.value ->> 'sha256'`;

export const mediaOfUpload = prepared(
  ({ uploadId }: Params<{ uploadId: number | SQL }>) =>
    sql`SELECT ${MEDIA.column} FROM uploads u CROSS JOIN ${ofUpload(sql`u`)} WHERE u.id = ${uploadId}`,
  MEDIA.read,
);

export const packedFiles = {
  value: sql`(SELECT json_group_array(${MEDIA.value}) FROM ${ofUpload(sql`uploads`)})`,
  read: (packed: string): MediaRow[] => JSON.parse(packed).map(MEDIA.unpack),
};

export function fileAfter({ teamId, sha256 }: FileId, files: number): Query<FileId[]> {
  return sqlQuery(
    sql`SELECT team_id, sha256 FROM media WHERE (team_id, sha256) >= (${teamId}, ${sha256})
      ORDER BY team_id, sha256 LIMIT 1 OFFSET ${files}`,
    rowReader(pickColumns(media, ["teamId", "sha256"])),
  );
}

/** SQL condition: an unfinished rehearsal publishes the file of the row `file`. */
export const isRehearsed = (file: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM rehearsals r WHERE r.team_id = ${file}.team_id
    AND r.sample_sha256 = ${file}.sha256 AND r.stage <> 'over')`;

/** Later than any date. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

/** SQL value: epoch ms until which the post `u` needs its files; `OPEN_END` while it may still go out. */
export function neededUntil({ completedMs, failedMs }: Retention): SQL {
  const endOfReview = sql`coalesce((SELECT MAX(r.expires_at) FROM review_posts r
    WHERE r.team_id = u.team_id AND r.upload_id = u.id), 0)`;
  return sql`(CASE WHEN u.deleted_at IS NOT NULL THEN 0
    WHEN u.status = 'completed' THEN MAX(u.uploaded_at + ${completedMs}, ${endOfReview})
    WHEN u.status = 'failed' THEN MAX(u.failed_at + ${failedMs}, ${endOfReview})
    ELSE ${OPEN_END} END)`;
}

/** SQL condition: the file of the row `file` may be removed once nothing needs it. */
export const hasExpired = (file: SQL, now: number): SQL =>
  sql`${file}.kept_at IS NULL AND coalesce(${file}.expires_at, 0) <= ${now}`;

/** Answers the removed files' object keys. */
export function dropUnusedFiles(files: readonly FileId[], mayGo: SQL): Query<string[]> {
  const keys = files.map(({ teamId, sha256 }) => [teamId, sha256]);
  return sqlQuery(
    sql`DELETE FROM media WHERE (team_id, sha256) IN (
        SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(keys)}))
      AND NOT EXISTS (SELECT 1 FROM media_uses x
        WHERE x.team_id = media.team_id AND x.sha256 = media.sha256)
      AND NOT EXISTS (SELECT 1 FROM pool_files p
        WHERE p.team_id = media.team_id AND p.sha256 = media.sha256)
      AND NOT EXISTS (SELECT 1 FROM draft_files d
        WHERE d.team_id = media.team_id AND d.sha256 = media.sha256)
      AND NOT ${isRehearsed(sql`media`)} AND ${mayGo}
      RETURNING object_key`,
    valueReader(media.objectKey),
  );
}
