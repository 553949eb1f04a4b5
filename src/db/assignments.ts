import { getTableColumns, is, SQL, sql, type Table } from "drizzle-orm";

/** New values by property; a value may be SQL. */
export type Assigned<T extends Table> = {
  [K in keyof T["$inferSelect"]]?: T["$inferSelect"][K] | SQL;
};

function toStored<T extends Table>(table: T, values: Assigned<T>): { name: SQL; value: unknown }[] {
  const columns = getTableColumns(table);
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]) => {
      const column = columns[property as keyof typeof columns];
      if (!column) throw new Error(`The table has no column for ${property}.`);
      const isStored = value === null || is(value, SQL);
      return { name: sql.raw(column.name), value: isStored ? value : sql.param(value, column) };
    });
}

export const assignments = <T extends Table>(table: T, changes: Assigned<T>): SQL =>
  sql.join(
    toStored(table, changes).map(({ name, value }) => sql`${name} = ${value}`),
    sql`, `,
  );

export function insertInto<T extends Table>(table: T, row: T["$inferInsert"]): SQL {
  const stored = toStored(table, row as Assigned<T>);
  const names = sql.join(
    stored.map(({ name }) => name),
    sql`, `,
  );
  const values = sql.join(
    stored.map(({ value }) => sql`${value}`),
    sql`, `,
  );
  return sql`INSERT INTO ${table} (${names}) VALUES (${values})`;
}
