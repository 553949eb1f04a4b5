import { type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, sqlQuery } from "../../db/client.ts";
import { pickColumns, type RawRow, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { accounts } from "../accounts/table.ts";
import { media } from "../media/table.ts";
import { type UploadRow, uploads } from "../posts/table.ts";
import { archiveFiles, archiveMembers, SPAN_PROPERTIES } from "./table.ts";

const SPAN = sql.join(
  SPAN_PROPERTIES.map((property) => archiveMembers[property]),
  sql`, `,
);
const readSpan = rowReader(pickColumns(archiveMembers, SPAN_PROPERTIES));

export const membersOfMonth = prepared(
  ({ team, month }: Params<{ team: SQL; month: string }>) =>
    sql`SELECT ${SPAN} FROM ${archiveMembers} WHERE team_id = ${team} AND month = ${month}`,
  readSpan,
);

/** Members that may have the post: ids of a member are no unbroken run. */
export const membersAround = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT ${SPAN}, ids FROM ${archiveMembers}
      WHERE team_id = ${team} AND first_id <= ${id} AND last_id >= ${id}`,
  rowReader(pickColumns(archiveMembers, [...SPAN_PROPERTIES, "ids"])),
);

export interface MemberPlace {
  month: string;
  part: number;
  byteOffset: number;
}

export const firstMemberFrom = prepared(
  ({ team, month, part, byteOffset }: Params<MemberPlace & { team: SQL }>) =>
    sql`SELECT ${SPAN} FROM ${archiveMembers}
      WHERE team_id = ${team} AND (month, part, byte_offset) >= (${month}, ${part}, ${byteOffset})
      ORDER BY team_id, month, part, byte_offset LIMIT 1`,
  readSpan,
);

export const archivedMonths = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT month, SUM(posts) AS posts FROM ${archiveFiles}
      WHERE team_id = ${team} GROUP BY month HAVING SUM(posts) > 0 ORDER BY month DESC`,
  rowReader({ month: archiveFiles.month, posts: integer("posts").notNull() }),
);

export type ArchivedMonth = ReturnType<ReturnType<typeof archivedMonths>["read"]>[number];

const listOf = (values: readonly string[]): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** Connected or not. */
export const accountsOf = (team: SQL, ids: readonly string[]) =>
  sqlQuery(
    sql`SELECT * FROM ${accounts} WHERE id IN ${listOf(ids)} AND team_id = ${team}`,
    rowReader(accounts),
  );

export const storedHashes = (team: SQL, hashes: readonly string[]) =>
  sqlQuery(
    sql`SELECT sha256 FROM ${media} WHERE team_id = ${team} AND sha256 IN ${listOf(hashes)}`,
    valueReader(media.sha256),
  );

const COLUMNS: Column[] = Object.values(getTableColumns(uploads));

/** D1 limits the depth of an expression to 100. */
const FIELDS_AT_ONCE = 12;

const fieldOf = ({ name }: Column, row: SQL): SQL => {
  const column = sql`${row}.${sql.identifier(name)}`;
  return sql`iif(${column} IS NULL, '', ',"${sql.raw(name)}":' || json_quote(${column}))`;
};

/** SQL for a post as one line of JSON, by the names of the columns of `uploads`. Columns without a value are left out. */
export function lineOf(row: SQL): SQL {
  const [, ...fields] = COLUMNS.map((column) => fieldOf(column, row));
  const groups: SQL[] = [];
  for (let i = 0; i < fields.length; i += FIELDS_AT_ONCE) {
    groups.push(sql`(${sql.join(fields.slice(i, i + FIELDS_AT_ONCE), sql` || `)})`);
  }
  return sql`('{"id":' || ${row}.id || ${sql.join(groups, sql` || `)} || '}')`;
}

const readRow = rowReader(uploads);

const EMPTY: RawRow = Object.fromEntries(COLUMNS.map(({ name }) => [name, null]));

/** Reads a line. A column that is younger than the line is null. */
export const readArchived = (line: RawRow): UploadRow => readRow({ ...EMPTY, ...line });
