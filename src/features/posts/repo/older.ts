import { type SQL, sql } from "drizzle-orm";
import { prepared, type Query, sqlQuery } from "../../../db/client.ts";
import { columnsByName, pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { OlderFilter } from "../schema.ts";
import { OLDER_PROPERTIES, type OlderRecord, uploads } from "../table.ts";
import { type PageRow, type PageValues, pageOf, pageValues } from "./page.ts";

const OLDER_COLUMNS = OLDER_PROPERTIES.map((property) => uploads[property]);

const readOlder = rowReader(pickColumns(uploads, OLDER_PROPERTIES));

const page = pageOf(
  columnsByName(OLDER_COLUMNS),
  { texts: [uploads.title], json: [uploads.metadata] },
  readOlder,
);

const selectPage = prepared(
  ({ where, limit, skipped, share }: Params<PageValues>) =>
    sql`SELECT ${page.column(share)}
      FROM ${uploads} WHERE ${where} ORDER BY sort_at DESC, id DESC LIMIT ${limit} OFFSET ${skipped}`,
  page.read,
);

export function olderPage(team: SQL, filter: OlderFilter): Query<PageRow<OlderRecord>[]> {
  const { page: number, perPage, platform, status } = filter;
  const conditions = [
    sql`team_id = ${team} AND deleted_at IS NULL`,
    ...(platform ? [sql`platform = ${platform}`] : []),
    ...(status ? [sql`status_group = ${status}`] : []),
  ];
  return selectPage(pageValues(sql.join(conditions, sql` AND `), perPage, number));
}

const OLDER = sql.join(OLDER_COLUMNS, sql`, `);

export function olderById(team: SQL, id: number): Query<OlderRecord[]> {
  return sqlQuery(
    sql`SELECT ${OLDER} FROM ${uploads} WHERE id = ${id} AND team_id = ${team}
      AND deleted_at IS NULL`,
    readOlder,
  );
}

export function olderByIds(team: SQL, ids: readonly number[]): Query<OlderRecord[]> {
  return sqlQuery(
    sql`SELECT ${OLDER} FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN ${uploads} ON ${uploads.id} = wanted.value
      WHERE team_id = ${team} AND deleted_at IS NULL`,
    readOlder,
  );
}
