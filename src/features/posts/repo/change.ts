import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { type MediaRow, mediaOfUpload } from "../../media/repo.ts";
import { teams } from "../../teams/table.ts";
import type { UploadStatus } from "../rules.ts";
import { type UploadRow, uploads } from "../table.ts";
import { refundNote } from "./credits.ts";
import { forgetFiles } from "./files.ts";
import { changeFacts, changeUpload, type RowChanges } from "./update.ts";

const readUpload = rowReader(uploads);

export function ownUpload(team: SQL, id: number): Query<UploadRow[]> {
  return sqlQuery(
    sql`SELECT * FROM uploads WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL`,
    readUpload,
  );
}

export const filesOfOwnUpload = (team: SQL, id: number): Query<MediaRow[]> =>
  mediaOfUpload(sql`(SELECT id FROM uploads WHERE id = ${id} AND team_id = ${team})`);

const readWordRules = rowReader(pickColumns(teams, ["blocklist", "bannedHashtags"]));

/** Words that no post of the team may hold, and its own lists of hashtags by platform; null: none. */
export const wordRulesOf = (team: SQL) =>
  sqlQuery(sql`SELECT blocklist, banned_hashtags FROM teams WHERE id = ${team}`, readWordRules);

/**
 * Changes a post only if it is still all that it was when `row` was read, and `condition` holds. When that
 * ends an attempt, its credits count as given back.
 */
export function changeUnchanged(
  row: UploadRow,
  set: RowChanges,
  condition: SQL = sql`TRUE`,
): Query<number> {
  const refund = set.attempt === undefined ? {} : refundNote(row);
  return changeUpload(
    row,
    { ...set, ...refund },
    sql`u.lease_until IS NULL AND u.deleted_at IS NULL
      AND u.title IS ${row.title} AND u.description IS ${row.description}
      AND u.scheduled_for IS ${row.scheduledFor?.getTime() ?? null}
      AND u.approved_hash IS ${row.approvedHash}
      AND u.edited_fields IS ${row.editedFields && JSON.stringify(row.editedFields)} AND ${condition}`,
  );
}

/**
 * Removes a post that nobody publishes, and notes that it no longer needs its files. A file that others of
 * its batch need goes with the last of them.
 */
export function removeResting(id: number, status: UploadStatus, now: Date): Query<number>[] {
  return [
    sqlWrite(
      changeFacts(
        { deletedAt: now, dueAt: null },
        sql`u.id = ${id} AND u.status = ${status} AND u.deleted_at IS NULL`,
      ),
    ),
    forgetFiles(id),
  ];
}
