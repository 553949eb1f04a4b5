import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { preparedWrite, type Query } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";
import { uploads } from "../../posts/table.ts";
import type { NewRow } from "../compose.ts";

const COLUMNS = Object.values(getTableColumns(uploads)).filter(({ name }) => name !== "id");
const COLUMN_NAMES = sql.raw(COLUMNS.map(({ name }) => name).join(", "));
const COLUMN_VALUES = sql.raw(COLUMNS.map((_, i) => `value ->> ${i}`).join(", "));
const PROPERTIES = Object.entries(getTableColumns(uploads)).filter(([key]) => key !== "id");

const toValues = (row: NewRow): unknown[] =>
  PROPERTIES.map(([property, column]) => {
    const value = row[property as keyof NewRow] ?? null;
    return value === null ? null : column.mapToDriverValue(value);
  });

/** In UTF-16 units of up to 3 bytes each: D1 takes parameters of 2 MB. */
const CHUNK_UNITS = 600_000;

function chunksOf(rows: readonly NewRow[]): string[] {
  const chunks: string[][] = [];
  let units = CHUNK_UNITS;
  for (const row of rows) {
    const values = JSON.stringify(toValues(row));
    if (units + values.length > CHUNK_UNITS) {
      chunks.push([]);
      units = 0;
    }
    chunks.at(-1)?.push(values);
    units += values.length;
  }
  return chunks.map((chunk) => `[${chunk.join()}]`);
}

const insertRows = preparedWrite(
  ({ values, condition }: Params<{ values: string; condition: SQL }>) =>
    sql`INSERT INTO uploads (${COLUMN_NAMES}) SELECT ${COLUMN_VALUES} FROM json_each(${values})
      WHERE ${condition}`,
);

const ONE_BEFORE = sql`changes() > 0`;

/**
 * Inserts all rows with consecutive ids, or none when the condition fails. Each statement answers its last id and its
 * number of rows.
 */
export const insertUploads = (
  rows: readonly NewRow[],
  condition: SQL,
): Query<{ last: number; count: number }>[] =>
  chunksOf(rows).map((values, i) => ({
    ...insertRows({ values, condition: i === 0 ? condition : ONE_BEFORE }),
    read: ({ meta }) => ({ last: meta.last_row_id, count: meta.changes }),
  }));

export const insertedId = (count: number, index = 0): SQL =>
  sql`last_insert_rowid() - ${count - 1 - index}`;
