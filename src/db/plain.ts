import type { Column, Table } from "drizzle-orm";
import type { Query } from "./client.ts";
import type { RawRow } from "./rows.ts";

/* Short links use plain SQL text, because loading Drizzle would take longer than the rest of a redirect. */

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** Falls back to the property in snake case when the type does not contain the column's name. */
type NameOf<C extends Column, Property> = string extends C["_"]["name"]
  ? SnakeCase<Property & string>
  : C["_"]["name"];

type StoredValue<C extends Column> =
  | C["_"]["driverParam"]
  | (C["_"]["notNull"] extends true ? never : null);

type ColumnsOf<T extends Table> = T["_"]["columns"];

export type StoredRow<T extends Table> = {
  [K in keyof ColumnsOf<T> as NameOf<ColumnsOf<T>[K], K>]: StoredValue<ColumnsOf<T>[K]>;
};

/** `R` names the columns that the statement returns. */
export const plainQuery = <R extends object, T>(
  sql: string,
  params: unknown[],
  read: (row: R) => T,
): Query<T[]> => ({ sql, params, read: ({ results }) => results.map((row) => read(row as R)) });

export async function runPlain<T>(
  database: Pick<D1Database, "prepare">,
  { sql, params, read }: Query<T>,
): Promise<T> {
  const statement = database.prepare(sql).bind(...params);
  return read(await statement.run<RawRow>());
}

/** The result is the number of changed rows. */
export const plainWrite = (sql: string, params: unknown[]): Query<number> => ({
  sql,
  params,
  read: ({ meta }) => meta.changes,
});
