import { type Column, type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type RawRow, type RowReader, valueReader } from "../../../db/rows.ts";

/** Columns that can be long: `texts`, and those that hold JSON already. */
interface LongColumns {
  texts: readonly Column[];
  json: readonly Column[];
}

const listOf = (parts: readonly (Column | SQL)[]): SQL => sql.join([...parts], sql`, `);

/** Values of a statement that reads a page. */
export interface PageValues {
  where: SQL;
  limit: number;
  skipped: number;
  /** Bytes that the long columns of each row may have, as JSON. */
  share: number;
}

export const pageValues = (where: SQL, limit: number, page: number): PageValues => ({
  where,
  limit,
  skipped: (page - 1) * limit,
  share: Math.floor(MAX_PAGE_BYTES / limit) - ROW_BYTES,
});

const readPacked = valueReader(text("packed").notNull());

/** Names a row's values, which come in this order. */
function toRawRow(names: readonly string[], values: unknown[]): RawRow {
  const row: RawRow = {};
  for (const [i, name] of names.entries()) row[name] = values[i];
  return row;
}

/**
 * How the rows of a page are selected and read: `fields` by the names that `readRecord` knows them by.
 * A row leaves the database as one JSON text, which takes much less CPU than its values one by one; where
 * its long columns are beyond its `share` of the page, with its id and their size alone.
 */
export function pageOf<T>(
  fields: Record<string, Column | SQL>,
  { texts, json }: LongColumns,
  readRecord: RowReader<T>,
) {
  const stored = json.map((column) => sql` + coalesce(octet_length(${column}), 0)`);
  const bytes = sql.join([sql`octet_length(json_array(${listOf(texts)}))`, ...stored]);
  const names = Object.keys(fields);
  const size = sql`uploads.id, ${bytes}`;
  const whole = sql`json_array(${size}, ${listOf(Object.values(fields))})`;
  const read: RowReader<PageRow<T>> = (row) => {
    const [id, bytes, ...values] = JSON.parse(readPacked(row)) as [number, number, ...unknown[]];
    const record = values.length === 0 ? null : readRecord(toRawRow(names, values));
    return { id, bytes, record };
  };
  return {
    column: (share: SQL<number>) =>
      sql`iif(${bytes} <= ${share}, ${whole}, json_array(${size})) AS packed`,
    read,
  };
}

/** Largest answer. Spec is silent. */
export const MAX_PAGE_BYTES = 8_000_000;
/** Size of a post apart from its texts: names of fields, signed addresses, its account. */
export const ROW_BYTES = 2_000;

/** A row of a page. One with more text than its share comes without, and is read once all are known to fit. */
export interface PageRow<T> {
  id: number;
  /** Null: cut. */
  record: T | null;
  /** Size of its texts in the answer: JSON in UTF-8. */
  bytes: number;
}
