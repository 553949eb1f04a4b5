import { getTableColumns, is, SQL, sql, type Table } from "drizzle-orm";

/** New values by property; a value may be SQL. */
export type Assigned<T extends Table> = {
  [K in keyof T["$inferSelect"]]?: T["$inferSelect"][K] | SQL;
};

export function assignments<T extends Table>(table: T, changes: Assigned<T>): SQL {
  const columns = getTableColumns(table);
  const list = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]) => {
      const column = columns[property as keyof typeof columns];
      if (!column) throw new Error(`The table has no column for ${property}.`);
      const stored = value === null || is(value, SQL) ? value : sql.param(value, column);
      return sql`${sql.raw(column.name)} = ${stored}`;
    });
  return sql.join(list, sql`, `);
}

function namesAndValues<T extends Table>(table: T, row: Assigned<T>): [names: SQL, values: SQL] {
  const columns = getTableColumns(table);
  const names: SQL[] = [];
  const values: SQL[] = [];
  for (const [property, value] of Object.entries(row)) {
    const column = columns[property as keyof typeof columns];
    if (!column || value === undefined) continue;
    names.push(sql.raw(column.name));
    const stored = value === null || is(value, SQL) ? value : sql.param(value, column);
    values.push(sql`${stored}`);
  }
  return [sql.join(names, sql`, `), sql.join(values, sql`, `)];
}

/** Ignores properties of the row that are no columns of the table. */
export function insertInto<T extends Table>(table: T, row: T["$inferInsert"]): SQL {
  const [names, values] = namesAndValues(table, row as Assigned<T>);
  return sql`INSERT INTO ${table} (${names}) VALUES (${values})`;
}

/** Inserts the row if `condition` holds. Columns that it leaves out get the database's defaults. */
export function insertIf<T extends Table>(table: T, row: Assigned<T>, condition: SQL): SQL {
  const [names, values] = namesAndValues(table, row);
  return sql`INSERT INTO ${table} (${names}) SELECT ${values} WHERE ${condition}`;
}
