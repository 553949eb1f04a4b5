import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery } from "../../../db/client.ts";
import type { RawRow } from "../../../db/rows.ts";

export const TABLES = ["users", "sessions", "verifications", "passkeys"] as const;
export type TableName = (typeof TABLES)[number];

export interface Comparison {
  column: string;
  operator: "=" | "<>" | "<" | "<=" | ">" | ">=" | "IN";
  value: unknown;
  connector: "AND" | "OR";
}

export type Values = Record<string, unknown>;

const asIs = (row: RawRow): RawRow => row;

function compare({ column, operator, value }: Comparison): SQL {
  const name = sql.identifier(column);
  if (operator === "IN") {
    return sql`${name} IN (SELECT value FROM json_each(${JSON.stringify(value)}))`;
  }
  if (value === null) return operator === "=" ? sql`${name} IS NULL` : sql`${name} IS NOT NULL`;
  return sql`${name} ${sql.raw(operator)} ${value}`;
}

function where(comparisons: readonly Comparison[]): SQL {
  const [first, ...rest] = comparisons;
  if (!first) return sql``;
  const more = rest.map((one) => sql` ${sql.raw(one.connector)} ${compare(one)}`);
  return sql` WHERE ${compare(first)}${sql.join(more)}`;
}

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

export interface Order {
  column: string;
  isDescending: boolean;
}

export function findRows(
  table: TableName,
  comparisons: readonly Comparison[],
  { order, limit, offset }: { order: Order | null; limit: number; offset: number },
): Query<RawRow[]> {
  const sorted = order
    ? sql` ORDER BY ${sql.identifier(order.column)} ${sql.raw(order.isDescending ? "DESC" : "ASC")}`
    : sql``;
  const rows = sql`SELECT * FROM ${sql.identifier(table)}${where(comparisons)}${sorted}`;
  return sqlQuery(sql`${rows} LIMIT ${limit} OFFSET ${offset}`, asIs);
}

export function insertRow(table: TableName, values: Values): Query<RawRow[]> {
  const columns = list(Object.keys(values).map((name) => sql`${sql.identifier(name)}`));
  const parameters = list(Object.values(values).map((value) => sql`${value}`));
  return sqlQuery(
    sql`INSERT INTO ${sql.identifier(table)} (${columns}) VALUES (${parameters}) RETURNING *`,
    asIs,
  );
}

export function updateRows(
  table: TableName,
  comparisons: readonly Comparison[],
  values: Values,
): Query<RawRow[]> {
  const set = list(
    Object.entries(values).map(([name, value]) => sql`${sql.identifier(name)} = ${value}`),
  );
  return sqlQuery(
    sql`UPDATE ${sql.identifier(table)} SET ${set}${where(comparisons)} RETURNING *`,
    asIs,
  );
}

export const deleteRows = (table: TableName, comparisons: readonly Comparison[]): Query<RawRow[]> =>
  sqlQuery(sql`DELETE FROM ${sql.identifier(table)}${where(comparisons)} RETURNING *`, asIs);

export const countRows = (table: TableName, comparisons: readonly Comparison[]): Query<number[]> =>
  sqlQuery(
    sql`SELECT count(*) AS n FROM ${sql.identifier(table)}${where(comparisons)}`,
    (row) => row.n as number,
  );
