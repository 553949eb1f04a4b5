import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import type { UploadRow } from "../table.ts";

/** Notes that the `count` uploads just inserted from the id `first` on, if any were, need each of the files. */
export const needFiles = (
  teamId: number,
  hashes: readonly string[],
  first: SQL,
  count: number,
): Query<number> =>
  sqlWrite(sql`INSERT INTO media_uses (team_id, sha256, upload_id, posts)
    SELECT ${teamId}, value, ${first}, ${count}
    FROM json_each(${JSON.stringify(hashes)}) WHERE changes() > 0`);

/** Notes that a post needs a file. */
export const needFile = ({ id, teamId }: UploadRow, sha256: string): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    VALUES (${teamId}, ${sha256}, ${id})`);

/**
 * Notes that a removed post no longer needs its files. A file that others of its batch need goes with the
 * last of them.
 */
export const forgetFiles = (id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM media_uses WHERE posts = 1 AND (team_id, sha256, upload_id) IN
    (SELECT u.team_id, item.value ->> 'sha256', u.id
      FROM uploads u CROSS JOIN json_each(u.media) item
      WHERE u.id = ${id} AND u.deleted_at IS NOT NULL)`);

/** Removes up to `most` uses of a team that is being deleted. */
export const eraseUses = (team: number, most: number): Query<number> =>
  sqlWrite(sql`DELETE FROM media_uses WHERE (team_id, sha256, upload_id) IN
    (SELECT team_id, sha256, upload_id FROM media_uses WHERE team_id = ${team} LIMIT ${most})`);
