import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { StoredFile } from "./store.ts";
import { type FileRef, media } from "./table.ts";

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

/** Posts that ended before these instants (epoch ms) need their files no more. */
export interface KeptUntil {
  completedSince: number;
  failedSince: number;
}

/** Posts that use a file, and none of which needs it any more. */
export interface SpentUse extends FileId {
  objectKey: string;
  /** Null: no post uses the file. */
  uploadId: number | null;
  posts: number;
  /** The file is an image that stands for one of the posts in lists, and that one is published. */
  showsThumbnail: boolean;
}

export interface EndedUse extends SpentUse {
  /** Of the file, a thumbnail is kept. */
  hasThumbnail: boolean;
}

/** Of an upload `u`. A draft, a planned post and one that is on its way need their files always. */
const needsNothing = ({ completedSince, failedSince }: KeptUntil): SQL => sql`(
  u.deleted_at IS NOT NULL
  OR (u.status = 'completed' AND u.uploaded_at <= ${completedSince})
  OR (u.status = 'failed' AND u.failed_at <= ${failedSince}))`;

/** The uploads `u` of the use `x`. */
const POSTS_OF_USE = sql`uploads u WHERE u.id BETWEEN x.upload_id AND x.upload_id + x.posts - 1`;

const isSpent = (kept: KeptUntil): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${POSTS_OF_USE} AND NOT ${needsNothing(kept)})`;

const FIRST_IMAGE = sql`(SELECT item.value ->> 'sha256' FROM json_each(u.media) item
  WHERE item.value ->> 'kind' = 'image' LIMIT 1)`;

/** Among `files` files from `from` on, by team and hash, the first `limit` uses that can end. */
export function spentUses(
  from: FileId,
  kept: KeptUntil,
  files: number,
  limit: number,
): Query<SpentUse[]> {
  return sqlQuery(
    sql`SELECT m.team_id, m.sha256, m.object_key, x.upload_id, coalesce(x.posts, 0) AS posts,
        m.kind = 'image' AND EXISTS (SELECT 1 FROM ${POSTS_OF_USE} AND u.status = 'completed'
          AND u.deleted_at IS NULL AND m.sha256 = ${FIRST_IMAGE}) AS shows_thumbnail
      FROM (SELECT * FROM media WHERE (team_id, sha256) >= (${from.teamId}, ${from.sha256})
        ORDER BY team_id, sha256 LIMIT ${files}) m
      LEFT JOIN media_uses x ON x.team_id = m.team_id AND x.sha256 = m.sha256
      WHERE x.upload_id IS NULL OR ${isSpent(kept)}
      ORDER BY m.team_id, m.sha256 LIMIT ${limit}`,
    (row) => ({
      teamId: row.team_id as number,
      sha256: row.sha256 as string,
      objectKey: row.object_key as string,
      uploadId: row.upload_id as number | null,
      posts: row.posts as number,
      showsThumbnail: row.shows_thumbnail === 1,
    }),
  );
}

/** The file that comes `files` files after `from`, if there are so many. */
export function fileAfter({ teamId, sha256 }: FileId, files: number): Query<FileId[]> {
  return sqlQuery(
    sql`SELECT team_id, sha256 FROM media WHERE (team_id, sha256) >= (${teamId}, ${sha256})
      ORDER BY team_id, sha256 LIMIT 1 OFFSET ${files}`,
    (row) => ({ teamId: row.team_id as number, sha256: row.sha256 as string }),
  );
}

/** Notes in the posts that their files are gone, and of which a thumbnail is kept. */
export function markGone(uses: readonly EndedUse[], kept: KeptUntil): Query<number> {
  const marks: Record<number, Record<string, Partial<FileRef>>> = {};
  for (const { uploadId, posts, sha256, hasThumbnail } of uses) {
    if (uploadId === null) continue;
    const mark: Partial<FileRef> = { isGone: true, ...(hasThumbnail ? { hasThumbnail } : {}) };
    for (let id = uploadId; id < uploadId + posts; id++) {
      marks[id] = { ...marks[id], [sha256]: mark };
    }
  }
  return sqlWrite(sql`UPDATE uploads AS u SET media = (
      SELECT json_group_array(json(json_patch(item.value,
        coalesce(post.value -> (item.value ->> 'sha256'), '{}'))))
      FROM json_each(u.media) item)
    FROM json_each(${JSON.stringify(marks)}) post
    WHERE u.id = CAST(post.key AS INTEGER) AND u.deleted_at IS NULL AND ${needsNothing(kept)}`);
}

/** Ends the uses, but those of which a post has been taken up again meanwhile. */
export function dropUses(uses: readonly SpentUse[], kept: KeptUntil): Query<number> {
  const keys = uses.map(({ teamId, sha256, uploadId }) => [teamId, sha256, uploadId]);
  return sqlWrite(sql`DELETE FROM media_uses AS x WHERE (team_id, sha256, upload_id) IN (
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(keys)}))
    AND ${isSpent(kept)}`);
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
