import { type Column, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { invalidFields } from "../../core/errors.ts";
import { flag } from "../../db/columns.ts";
import { type RowReader, rowReader } from "../../db/rows.ts";

/** Of one answer. Spec is silent. */
const MAX_PAGE_BYTES = 8_000_000;
/** Of a post apart from its texts: names of fields, signed addresses, its account. */
const ROW_BYTES = 2_000;
/** A row of a page. One with more text than its share comes without, and is read once all are known to fit. */
export interface PageRow<T> {
  id: number;
  record: T;
  /** Of its texts as the answer has them: JSON in UTF-8. */
  bytes: number;
  isCut: boolean;
}

/** What a caller asked for, and how the query names it. */
interface PageRequest {
  parameter: "limit" | "perPage";
  limit: number;
  page: number;
}

/** Columns that can be long: `texts`, and those that hold JSON already. */
interface LongColumns {
  texts: readonly Column[];
  json: readonly Column[];
}

const sumOf = (terms: readonly SQL[]): SQL => sql.join([...terms], sql` + `);

/** As they are stored, which the database knows without reading them. */
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

/**
 * The records of a page whose answer fits: those that were cut are read with `readWhole`. What was removed
 * in between is left out.
 *
 * @throws AppError 400 that names a smaller page, beginning at the same post
 */
export async function fillPage<T>(
  rows: readonly PageRow<T>[],
  request: PageRequest,
  readWhole: (ids: number[]) => Promise<Map<number, T>>,
): Promise<T[]> {
  requireFit(rows, request);
  const cut = rows.filter(({ isCut }) => isCut).map(({ id }) => id);
  const whole = cut.length > 0 ? await readWhole(cut) : new Map<number, T>();
  return rows.flatMap(({ id, record, isCut }) => {
    const read = isCut ? whole.get(id) : record;
    return read === undefined ? [] : [read];
  });
}

/** @throws AppError 400 */
function requireFit(
  rows: readonly Pick<PageRow<unknown>, "bytes">[],
  { parameter, limit, page }: PageRequest,
): void {
  let sum = 0;
  const fitting = rows.findIndex(({ bytes }) => {
    sum += bytes + ROW_BYTES;
    return sum > MAX_PAGE_BYTES;
  });
  if (fitting < 0) return;
  const skipped = (page - 1) * limit;
  // Only such a limit has a page that begins where this one does.
  let smaller = Math.max(1, fitting);
  while (skipped % smaller !== 0) smaller--;
  const message = `${parameter}: the answer would be larger than 8 MB. Ask with ${parameter}=${smaller} and page=${skipped / smaller + 1}, which begins at the same post.`;
  throw invalidFields([{ field: parameter, message }]);
}
