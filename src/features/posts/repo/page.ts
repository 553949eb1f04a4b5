import { type Column, type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type RawRow, type RowReader, valueReader } from "../../../db/rows.ts";

interface LongColumns {
  texts: readonly Column[];
  json: readonly Column[];
}

const listOf = (parts: readonly (Column | SQL)[]): SQL => sql.join([...parts], sql`, `);

export interface PageValues {
  where: SQL;
  limit: number;
  skipped: number;
  share: number;
}

export const pageValues = (where: SQL, limit: number, page: number): PageValues => ({
  where,
  limit,
  skipped: (page - 1) * limit,
  share: Math.floor(MAX_PAGE_BYTES / limit) - ROW_BYTES,
});

const readPacked = valueReader(text("packed").notNull());

function toRawRow(names: readonly string[], values: unknown[]): RawRow {
  const row: RawRow = {};
  for (const [i, name] of names.entries()) row[name] = values[i];
  return row;
}

/**
 * Packs each row into one JSON text, which takes much less CPU than single values. A row whose long columns exceed
 * `share` comes with its id and size alone.
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

/** In bytes. Spec is silent. */
export const MAX_PAGE_BYTES = 8_000_000;
/** Bytes of a post beside its texts: field names, signed addresses, its account. */
export const ROW_BYTES = 2_000;

/** A row that is too large comes without its record, which a second query reads. */
export interface PageRow<T> {
  id: number;
  record: T | null;
  /** The row's texts as JSON in UTF-8. */
  bytes: number;
}
