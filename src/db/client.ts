import type { SQLWrapper } from "drizzle-orm";
import type { RawRow, RowReader } from "./rows.ts";
import { type Params, prepareText, type Text, textOf } from "./text.ts";

export interface Query<T> extends Text {
  read(result: D1Result<RawRow>): T;
}

export type Results<Q extends readonly Query<unknown>[]> = {
  [I in keyof Q]: Q[I] extends Query<infer T> ? T : never;
};

/** D1 has no interactive transactions: statements that belong together are run together. */
export interface Db {
  /** One transaction: all statements take effect or none. */
  run<const Q extends readonly Query<unknown>[]>(queries: Q): Promise<Results<Q>>;
  /** For a list whose length is known only at runtime. */
  runAll<T>(queries: readonly Query<T>[]): Promise<T[]>;
}

export function connect(database: D1Database): Db {
  const runAll = async <T>(queries: readonly Query<T>[]): Promise<T[]> => {
    const statements = queries.map(({ sql, params }) => database.prepare(sql).bind(...params));
    const [only] = statements;
    const results =
      statements.length === 1 && only
        ? [await only.run<RawRow>()]
        : await database.batch<RawRow>(statements);
    return queries.map((query, i) => query.read(results[i] as D1Result<RawRow>));
  };
  return { runAll, run: async (queries) => (await runAll(queries)) as Results<typeof queries> };
}

const rowsBy =
  <T>(read: RowReader<T>) =>
  ({ results }: D1Result<RawRow>): T[] =>
    results.map(read);

const countChanges = ({ meta }: D1Result): number => meta.changes;

export const sqlQuery = <T>(statement: SQLWrapper, read: RowReader<T>): Query<T[]> => ({
  ...textOf(statement),
  read: rowsBy(read),
});

/** The result is the number of changed rows. */
export const sqlWrite = (statement: SQLWrapper): Query<number> => ({
  ...textOf(statement),
  read: countChanges,
});

/** Adds the size of the whole database after the statement, which D1 tells with each answer. */
export const withDatabaseSize = <T>(query: Query<T>): Query<{ value: T; sizeBytes: number }> => ({
  ...query,
  read: (result) => ({ value: query.read(result), sizeBytes: result.meta.size_after }),
});

/** Adds the rows that the statement wrote, as D1 bills them. */
export const withRowsWritten = <T>(query: Query<T>): Query<{ value: T; rowsWritten: number }> => ({
  ...query,
  read: (result) => ({ value: query.read(result), rowsWritten: result.meta.rows_written }),
});

/** Builds the SQL text once. Each call binds values to its placeholders. */
export function prepared<P extends object, T>(
  build: (params: Params<P>) => SQLWrapper,
  read: RowReader<T>,
): (values: P) => Query<T[]> {
  const toText = prepareText(build);
  const readRows = rowsBy(read);
  return (values) => ({ ...toText(values), read: readRows });
}

/** Prepares a statement whose result is the number of changed rows. */
export function preparedWrite<P extends object>(
  build: (params: Params<P>) => SQLWrapper,
): (values: P) => Query<number> {
  const toText = prepareText(build);
  return (values) => ({ ...toText(values), read: countChanges });
}

export type Listed = Params<{ list: string }>;

/** A write for many items. They are one JSON parameter, because D1 limits the statements of a batch. */
export const listed =
  <T>(toItem: (one: T) => unknown, toQuery: (values: { list: string }) => Query<number>) =>
  (list: readonly T[]): Query<number> =>
    toQuery({ list: JSON.stringify(list.map(toItem)) });
