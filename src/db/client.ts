import type { SQLWrapper } from "drizzle-orm";
import type { RawRow, RowReader } from "./rows.ts";
import { type Params, prepareText, type Text, textOf } from "./text.ts";

/** One statement, not sent yet, and how to read its answer. */
export interface Query<T> extends Text {
  read(result: D1Result<RawRow>): T;
}

export type Results<Q extends readonly Query<unknown>[]> = {
  [I in keyof Q]: Q[I] extends Query<infer T> ? T : never;
};

/** The database. D1 has no interactive transactions: what belongs together is run together. */
export interface Db {
  /** One round trip, one transaction: all statements take effect or none does. */
  run<const Q extends readonly Query<unknown>[]>(queries: Q): Promise<Results<Q>>;
  /** As `run`, for statements whose number is known only as the program runs. */
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

/** A statement built for this call, whose rows are read by `read`. */
export const sqlQuery = <T>(statement: SQLWrapper, read: RowReader<T>): Query<T[]> => ({
  ...textOf(statement),
  read: rowsBy(read),
});

/** A statement built for this call that answers how many rows it changed. */
export const sqlWrite = (statement: SQLWrapper): Query<number> => ({
  ...textOf(statement),
  read: countChanges,
});

/**
 * A statement whose text is built once, by hand or by Drizzle, and whose rows are read by `read`. Each
 * call puts in the values that `build` names.
 */
export function prepared<P extends object, T>(
  build: (params: Params<P>) => SQLWrapper,
  read: RowReader<T>,
): (values: P) => Query<T[]> {
  const toText = prepareText(build);
  const readRows = rowsBy(read);
  return (values) => ({ ...toText(values), read: readRows });
}

/** As `prepared`, for a statement that answers how many rows it changed. */
export function preparedWrite<P extends object>(
  build: (params: Params<P>) => SQLWrapper,
): (values: P) => Query<number> {
  const toText = prepareText(build);
  return (values) => ({ ...toText(values), read: countChanges });
}
