import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Retention } from "../../media/files.ts";
import {
  dropUnusedFiles,
  type FileId,
  hasExpired,
  isRehearsed,
  neededUntil,
} from "../../media/repo.ts";
import { type FileRef, media, mediaUses } from "../../media/table.ts";
import { changeFacts } from "../../posts/repo/write.ts";

export interface Expiry {
  /** Epoch ms. */
  now: number;
  retention: Retention;
  /** Whether files go that are kept, or are still to stay for a while. */
  takesKept: boolean;
}

const mayGo = (file: SQL, { now, takesKept }: Expiry): SQL =>
  takesKept ? sql`TRUE` : hasExpired(file, now);

const readSpentUse = rowReader({
  teamId: media.teamId,
  sha256: media.sha256,
  objectKey: media.objectKey,
  etag: media.etag,
  /** Null when no post uses the file. */
  uploadId: integer("upload_id"),
  posts: mediaUses.posts,
  /** Lists show the file as the image of a published post. */
  showsThumbnail: flag("shows_thumbnail").notNull(),
});

export type SpentUse = ReturnType<typeof readSpentUse>;

interface EndedUse extends SpentUse {
  hasThumbnail: boolean;
}

const needsNothing = ({ now, retention }: Expiry): SQL => sql`${neededUntil(retention)} <= ${now}`;

const isKept = (file: SQL, { takesKept }: Expiry): SQL =>
  takesKept ? sql`FALSE` : sql`${file}.kept_at IS NOT NULL`;

const POSTS_OF_USE = sql`uploads u WHERE u.id BETWEEN x.upload_id AND x.upload_id + x.posts - 1`;

const isSpent = (expiry: Expiry): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${POSTS_OF_USE} AND NOT ${needsNothing(expiry)})`;

const FIRST_IMAGE = sql`(SELECT item.value ->> 'sha256' FROM json_each(u.media) item
  WHERE item.value ->> 'kind' = 'image' LIMIT 1)`;

/** Checks `files` files. Returns up to `limit` uses that no post needs now. */
export function spentUses(
  from: FileId,
  expiry: Expiry,
  files: number,
  limit: number,
): Query<SpentUse[]> {
  return sqlQuery(
    sql`SELECT m.team_id, m.sha256, m.object_key, m.etag, x.upload_id, coalesce(x.posts, 0) AS posts,
        m.kind = 'image' AND EXISTS (SELECT 1 FROM ${POSTS_OF_USE} AND u.status = 'completed'
          AND u.deleted_at IS NULL AND m.sha256 = ${FIRST_IMAGE}) AS shows_thumbnail
      FROM (SELECT * FROM media WHERE (team_id, sha256) >= (${from.teamId}, ${from.sha256})
        ORDER BY team_id, sha256 LIMIT ${files}) m
      LEFT JOIN media_uses x ON x.team_id = m.team_id AND x.sha256 = m.sha256
      WHERE NOT ${isKept(sql`m`, expiry)} AND ((x.upload_id IS NULL AND ${mayGo(sql`m`, expiry)}
          AND NOT EXISTS (SELECT 1 FROM pool_files p
            WHERE p.team_id = m.team_id AND p.sha256 = m.sha256)
          AND NOT EXISTS (SELECT 1 FROM draft_files d
            WHERE d.team_id = m.team_id AND d.sha256 = m.sha256)
          AND NOT ${isRehearsed(sql`m`)})
        OR (x.upload_id IS NOT NULL AND ${isSpent(expiry)}))
      ORDER BY m.team_id, m.sha256 LIMIT ${limit}`,
    readSpentUse,
  );
}

export function markGone(uses: readonly EndedUse[], expiry: Expiry): Query<number> {
  const marks: Record<number, Record<string, Partial<FileRef>>> = {};
  for (const { uploadId, posts, sha256, hasThumbnail } of uses) {
    if (uploadId === null) continue;
    const mark: Partial<FileRef> = { isGone: true, ...(hasThumbnail ? { hasThumbnail } : {}) };
    for (let id = uploadId; id < uploadId + posts; id++) {
      marks[id] = { ...marks[id], [sha256]: mark };
    }
  }
  const marked = sql`(
    SELECT json_group_array(json(json_patch(item.value,
      iif(EXISTS (SELECT 1 FROM ${media} k WHERE k.team_id = u.team_id
          AND k.sha256 = item.value ->> 'sha256' AND ${isKept(sql`k`, expiry)}),
        '{}', coalesce(post.value -> (item.value ->> 'sha256'), '{}')))))
    FROM json_each(u.media) item)`;
  return sqlWrite(
    changeFacts(
      { media: marked },
      sql`u.id = CAST(post.key AS INTEGER) AND u.deleted_at IS NULL AND ${needsNothing(expiry)}`,
      sql`FROM json_each(${JSON.stringify(marks)}) post`,
    ),
  );
}

/** Skips posts that were retried since, and files that a person keeps since. */
export function dropUses(uses: readonly SpentUse[], expiry: Expiry): Query<number> {
  const keys = uses.map(({ teamId, sha256, uploadId }) => [teamId, sha256, uploadId]);
  return sqlWrite(sql`DELETE FROM media_uses AS x WHERE (team_id, sha256, upload_id) IN (
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(keys)}))
    AND ${isSpent(expiry)}
    AND NOT EXISTS (SELECT 1 FROM ${media} k
      WHERE k.team_id = x.team_id AND k.sha256 = x.sha256 AND ${isKept(sql`k`, expiry)})`);
}

export const dropFiles = (files: readonly FileId[], expiry: Expiry): Query<string[]> =>
  dropUnusedFiles(files, mayGo(sql`media`, expiry));
