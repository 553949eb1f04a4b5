import {
  type Column,
  getTableColumns,
  type InferSelectModel,
  type SQL,
  type Table,
} from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

type RawRow = Record<string, unknown>;

/** One statement, not sent yet, and how to read its answer. */
export interface Query<T> {
  sql: string;
  params: unknown[];
  read(result: D1Result<RawRow>): T;
}

export type Results<Q extends readonly Query<unknown>[]> = {
  [I in keyof Q]: Q[I] extends Query<infer T> ? T : never;
};

/** The database. D1 has no interactive transactions: what belongs together is run together. */
export interface Db {
  /** Drizzle as the builder of statements; pass what it builds to `toQuery` or `toWrite`. */
  orm: ReturnType<typeof drizzle>;
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
  return {
    orm: drizzle(database),
    runAll,
    run: async (queries) => (await runAll(queries)) as Results<typeof queries>,
  };
}

const dialect = new SQLiteSyncDialect();

/** Hand-written SQL whose rows are read by `read`. */
export function sqlQuery<T>(statement: SQL, read: (row: RawRow) => T): Query<T[]> {
  const { sql, params } = dialect.sqlToQuery(statement);
  return { sql, params, read: (result) => result.results.map(read) };
}

/** Hand-written SQL that answers how many rows it changed. */
export function sqlWrite(statement: SQL): Query<number> {
  const { sql, params } = dialect.sqlToQuery(statement);
  return { sql, params, read: (result) => result.meta.changes };
}

interface Built {
  toSQL(): { sql: string; params: unknown[] };
}

/** A drizzle select, or a write with `returning()`, over all columns of `table`. */
export function toQuery<T extends Table>(built: Built, table: T): Query<InferSelectModel<T>[]> {
  const { sql, params } = built.toSQL();
  const read = rowReader(table);
  return { sql, params, read: (result) => result.results.map(read) };
}

/** A drizzle write that answers how many rows it changed. */
export function toWrite(built: Built): Query<number> {
  const { sql, params } = built.toSQL();
  return { sql, params, read: (result) => result.meta.changes };
}

/** Reads raw rows as the table's model: column names and stored types translated. */
export function rowReader<T extends Table>(table: T): (row: RawRow) => InferSelectModel<T> {
  return partReader(table, Object.keys(getTableColumns(table)) as (keyof InferSelectModel<T>)[]);
}

/** As `rowReader`, for rows that hold only some of the columns. */
export function partReader<T extends Table, K extends keyof InferSelectModel<T>>(
  table: T,
  properties: readonly K[],
): (row: RawRow) => Pick<InferSelectModel<T>, K> {
  const all = getTableColumns(table) as Record<PropertyKey, Column>;
  const columns = properties.map((property) => [property, all[property] as Column] as const);
  return (row) =>
    Object.fromEntries(
      columns.map(([property, column]) => {
        const value = row[column.name] ?? null;
        return [property, value === null ? null : column.mapFromDriverValue(value)];
      }),
    ) as Pick<InferSelectModel<T>, K>;
}
