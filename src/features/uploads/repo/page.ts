import { type Column, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { flag } from "../../../db/columns.ts";
import { type RowReader, rowReader } from "../../../db/rows.ts";
import { MAX_PAGE_BYTES, type PageRow, ROW_BYTES } from "../page-size.ts";

/** Columns that can be long: `texts`, and those that hold JSON already. */
interface LongColumns {
  texts: readonly Column[];
  json: readonly Column[];
}

const sumOf = (terms: readonly SQL[]): SQL => sql.join([...terms], sql` + `);

/** Sizes of the stored values, which the database knows without reading them. */
const storedBytes = (columns: readonly Column[]): SQL[] =>
  columns.map((column) => sql`coalesce(octet_length(${column}), 0)`);

const quotedBytes = (columns: readonly Column[]): SQL[] =>
  columns.map((column) => sql`octet_length(json_quote(${column}))`);

/** Values of a statement that reads a page. */
export interface PageValues {
  where: SQL;
  limit: number;
  skipped: number;
  /** Bytes of its long columns that each row may have. */
  share: number;
}

export const pageValues = (where: SQL, limit: number, page: number): PageValues => ({
  where,
  limit,
  skipped: (page - 1) * limit,
  share: Math.floor(MAX_PAGE_BYTES / limit) - ROW_BYTES,
});

/**
 * The columns of a page for a select: the long ones only where all of a row's are within its `share` of
 * the page, and how much of an answer they are.
 */
export function pageColumns(
  columns: readonly Column[],
  { texts, json }: LongColumns,
  share: SQL<number>,
): SQL {
  const long = [...texts, ...json];
  const stored = sumOf(storedBytes(long));
  const read = columns.map((column) =>
    long.includes(column)
      ? sql`iif(${stored} <= ${share}, ${column}, NULL) AS ${sql.identifier(column.name)}`
      : sql`${column}`,
  );
  const answered = sumOf([...quotedBytes(texts), ...storedBytes(json)]);
  return sql.join(
    [...read, sql`${answered} AS text_bytes, ${stored} > ${share} AS is_cut`],
    sql`, `,
  );
}

const readSize = rowReader({
  id: integer().notNull(),
  bytes: integer("text_bytes").notNull(),
  isCut: flag("is_cut").notNull(),
});

/** Reads what `pageColumns` selects; `readRecord` is given a row without texts where they were cut. */
export const readPageRow =
  <T>(readRecord: RowReader<T>): RowReader<PageRow<T>> =>
  (row) => ({ ...readSize(row), record: readRecord(row) });
