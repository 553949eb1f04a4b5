import type { Column, Table } from "drizzle-orm";
import type { Query } from "./client.ts";

/*
 * Statements that are plain text, for where loading Drizzle would take longer than everything else: a redirect.
 * Only their types come from the tables.
 */

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** The name of a column; where its type does not know it, that of its property in the way of columns. */
type NameOf<C extends Column, Property> = string extends C["_"]["name"]
  ? SnakeCase<Property & string>
  : C["_"]["name"];

type StoredValue<C extends Column> =
  | C["_"]["driverParam"]
  | (C["_"]["notNull"] extends true ? never : null);

type ColumnsOf<T extends Table> = T["_"]["columns"];

/** A row of a table as it is stored, by the names of its columns. */
export type StoredRow<T extends Table> = {
  [K in keyof ColumnsOf<T> as NameOf<ColumnsOf<T>[K], K>]: StoredValue<ColumnsOf<T>[K]>;
};

/** A statement whose rows are read by `read`, which names the columns it asks for. */
export const plainQuery = <R extends object, T>(
  sql: string,
  params: unknown[],
  read: (row: R) => T,
): Query<T[]> => ({ sql, params, read: ({ results }) => results.map((row) => read(row as R)) });

/** A statement that answers how many rows it changed. */
export const plainWrite = (sql: string, params: unknown[]): Query<number> => ({
  sql,
  params,
  read: ({ meta }) => meta.changes,
});
