import { type SQL, sql } from "drizzle-orm";
import { type Db, type Query, rowReader, sqlQuery, toWrite } from "../../db/client.ts";
import type { StoredFile } from "./store.ts";
import { media } from "./table.ts";

export type MediaRow = typeof media.$inferSelect;

/** Answers 0 when the team has this content already: then the new object is not needed. */
export function insertMedia(db: Db, teamId: number, file: StoredFile, createdAt: Date) {
  return toWrite(
    db.orm
      .insert(media)
      .values({ ...file, teamId, createdAt })
      .onConflictDoNothing(),
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
