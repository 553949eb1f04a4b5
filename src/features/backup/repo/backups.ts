import { sql } from "drizzle-orm";
import { type Listed, listed, prepared, preparedWrite } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import {
  firstLines,
  nextLines,
  SELECT_MIGRATIONS,
  SELECT_SEQUENCES,
  SELECT_TABLES,
} from "../../../db/lines.ts";
import { OWNER_ID } from "../../../db/open-accounts.ts";
import { plainQuery } from "../../../db/plain.ts";
import { renamed, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { teams } from "../../teams/table.ts";
import type { StoredTable, TableShape } from "../manifest.ts";
import { type BackupRow, backupSlices, backups, type SliceRow } from "../table.ts";

export const storedTables = () => plainQuery(SELECT_TABLES, [], (row: StoredTable) => row);

export const appliedMigrations = () =>
  plainQuery(SELECT_MIGRATIONS, [], ({ name }: { name: string }) => name);

export const sequences = () =>
  plainQuery(SELECT_SEQUENCES, [], ({ name, seq }: { name: string; seq: number }) => ({
    name,
    seq,
  }));

export interface Line {
  line: string;
  /** The row's key as JSON. */
  place: string;
}

export const linesAfter = (table: TableShape, place: string | null, max: number) =>
  place === null
    ? plainQuery(firstLines(table), [max], (row: Line) => row)
    : plainQuery(nextLines(table), [place, max], (row: Line) => row);

export const beginBackup = preparedWrite(
  ({ id, startedAt }: Params<Pick<BackupRow, "id" | "startedAt">>) =>
    sql`INSERT OR IGNORE INTO backups (id, started_at) VALUES (${id}, ${startedAt})`,
);

export const noteProgress = preparedWrite(
  ({ id, rows, bytes, error }: Params<Pick<BackupRow, "id" | "rows" | "bytes" | "error">>) =>
    sql`UPDATE backups SET rows = ${rows}, bytes = ${bytes}, error = ${error} WHERE id = ${id}`,
);

export const noteError = preparedWrite(
  ({ id, error }: Params<Pick<BackupRow, "id" | "error">>) =>
    sql`UPDATE backups SET error = ${error} WHERE id = ${id}`,
);

export const finishBackup = preparedWrite(
  ({ id, finishedAt }: Params<Pick<BackupRow, "id" | "finishedAt">>) =>
    sql`UPDATE backups SET finished_at = ${finishedAt}, error = NULL WHERE id = ${id}`,
);

/** A page that runs twice stores the same slices again. */
export const insertSlices = listed(
  ({ backupId, number, source, rows, bytes, sha256 }: SliceRow) => [
    backupId,
    number,
    source,
    rows,
    bytes,
    sha256,
  ],
  preparedWrite(
    ({ list }: Listed) => sql`INSERT OR REPLACE INTO backup_slices
        (backup_id, number, source, rows, bytes, sha256)
      SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
      FROM json_each(${list})`,
  ),
);

export const slicesOf = prepared(
  ({ id }: Params<{ id: string }>) =>
    sql`SELECT * FROM backup_slices WHERE backup_id = ${id} ORDER BY number`,
  rowReader(backupSlices),
);

export const forgetSlices = preparedWrite(
  ({ id }: Params<{ id: string }>) => sql`DELETE FROM backup_slices WHERE backup_id = ${id}`,
);

export const forgetBackup = preparedWrite(
  ({ id }: Params<{ id: string }>) => sql`DELETE FROM backups WHERE id = ${id}`,
);

export const allBackups = prepared(
  () => sql`SELECT * FROM backups ORDER BY id DESC`,
  rowReader(backups),
);

/** Everything that is stored encrypted. An older schema lacks some of it. */
const SEALED = {
  accounts: "credentials",
  webhooks: "secret",
  notice_targets: "sealed",
  consents: "memory",
};

/** Ids of the encryption keys of everything that is stored encrypted. */
export function usedKeys(tables: readonly TableShape[]) {
  const parts = Object.entries(SEALED).flatMap(([table, column]) => {
    const shape = tables.find(({ name }) => name === table);
    const has = shape?.columns.some(({ name }) => name === column);
    return has ? [`SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`] : [];
  });
  const sealed = parts.join(" UNION ALL ") || "SELECT NULL AS sealed WHERE FALSE";
  return plainQuery(
    `SELECT DISTINCT substr(sealed, 4, instr(substr(sealed, 4), '.') - 1) AS key_id
      FROM (${sealed}) ORDER BY key_id`,
    [],
    (row: { key_id: string }) => row.key_id,
  );
}

const readLatest = rowReader({
  finishedAt: renamed(backups.finishedAt, "finished_at"),
  startedAt: instant("started_at"),
});

export type LatestBackup = ReturnType<typeof readLatest>;

/** When the newest backup was finished, and when the first one was started. Both are null before the first backup. */
export const latestBackup = prepared(
  () => sql`SELECT MAX(finished_at) AS finished_at, MIN(started_at) AS started_at FROM backups`,
  readLatest,
);

/** Stores that the owner gets the notice about late backups. Changes nothing when one was sent since the newest backup. */
export const noteTold = preparedWrite(
  ({ now }: Params<{ now: Date }>) => sql`UPDATE backups SET told_at = ${now}
    WHERE id = (SELECT id FROM backups ORDER BY id DESC LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM backups
        WHERE told_at > coalesce((SELECT MAX(finished_at) FROM backups), 0))`,
);

export const ownersTeam = prepared(
  () => sql`SELECT id FROM teams WHERE owner_id = ${sql.raw(OWNER_ID)}`,
  valueReader(teams.id),
);
