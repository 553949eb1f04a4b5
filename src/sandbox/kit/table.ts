interface Column<T> {
  sql: string;
  write(value: T): SqlStorageValue;
  read(stored: SqlStorageValue): T;
}

type Columns = Record<string, Column<unknown>>;
type Values<C extends Columns> = { [Name in keyof C]: ReturnType<C[Name]["read"]> };

const column = <T extends SqlStorageValue>(sql: string): Column<T> => ({
  sql,
  write: (value) => value,
  read: (stored) => stored as T,
});

export const serial = () => column<number>("INTEGER PRIMARY KEY AUTOINCREMENT");
export const blob = () => column<ArrayBuffer>("BLOB NOT NULL");
export const key = () => column<string>("TEXT PRIMARY KEY");
export const text = <T extends string = string>() => column<T>("TEXT NOT NULL");
export const integer = () => column<number>("INTEGER NOT NULL");
export const count = () => column<number>("INTEGER NOT NULL DEFAULT 0");
export const flag = (): Column<boolean> => ({
  sql: "INTEGER NOT NULL DEFAULT 0",
  write: Number,
  read: (stored) => stored === 1,
});
export const json = <T>(): Column<T> => ({
  sql: "TEXT NOT NULL",
  write: (value) => JSON.stringify(value),
  read: (stored) => JSON.parse(String(stored)),
});
export const optional = <T>({ sql, write, read }: Column<T>): Column<T | null> => ({
  sql: sql.replace(" NOT NULL", ""),
  write: (value) => (value === null ? null : write(value)),
  read: (stored) => (stored === null ? null : read(stored)),
});

interface Database {
  sql: SqlStorage;
}

type Where<C extends Columns> = Partial<Values<C>>;
/** SQL after the conditions, such as `AND created_at > ? ORDER BY created_at`, and its bindings. */
type Rest = [sql?: string, ...bindings: SqlStorageValue[]];

export type RowOf<T> = T extends Table<infer C> ? Values<C> : never;

export class Table<C extends Columns> {
  readonly schema: string;
  readonly #name: string;
  readonly #columns: C;

  constructor(
    name: string,
    columns: C,
    { constraint, indexes = {} }: { constraint?: string; indexes?: Record<string, string> } = {},
  ) {
    this.#name = name;
    this.#columns = columns;
    const lines = Object.entries(columns).map(([column, { sql }]) => `${column} ${sql}`);
    this.schema = [
      `CREATE TABLE IF NOT EXISTS ${name} (${[...lines, constraint ?? []].flat().join(", ")});`,
      ...Object.entries(indexes).map(
        ([by, names]) => `CREATE INDEX IF NOT EXISTS ${name}_${by} ON ${name} (${names});`,
      ),
    ].join("\n");
  }

  list(store: Database, where: Where<C>, ...rest: Rest): Values<C>[] {
    const rows = this.#run(store, "SELECT * FROM", where, ...rest).toArray();
    return rows.map((row) => this.#read(row));
  }

  find(store: Database, where: Where<C>, ...rest: Rest): Values<C> | null {
    return this.list(store, where, ...rest)[0] ?? null;
  }

  count(store: Database, where: Where<C>, ...rest: Rest): number {
    return Number(this.#run(store, "SELECT count(*) AS count FROM", where, ...rest).one().count);
  }

  delete(store: Database, where: Where<C>, ...rest: Rest): void {
    this.#run(store, "DELETE FROM", where, ...rest);
  }

  /** @returns the rowid; 0 for an ignored row */
  insert(
    { sql }: Database,
    row: Partial<Values<C>>,
    or: "" | "OR IGNORE" | "OR REPLACE" = "",
  ): number {
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    const statement = `INSERT ${or} INTO ${this.#name} (${names.join(", ")}) VALUES (${marks})`;
    const [added] = sql
      .exec<{ id: number }>(`${statement} RETURNING rowid AS id`, ...this.#write(row))
      .toArray();
    return added?.id ?? 0;
  }

  update({ sql }: Database, where: Where<C>, changed: Partial<Values<C>>): void {
    const set = Object.keys(changed).map((name) => `${name} = ?`);
    const statement = `UPDATE ${this.#name} SET ${set.join(", ")} ${this.#toSql(where)}`;
    sql.exec(statement, ...this.#write(changed), ...this.#write(where));
  }

  #run(
    { sql }: Database,
    verb: string,
    where: Where<C>,
    rest = "",
    ...bindings: SqlStorageValue[]
  ) {
    const statement = `${verb} ${this.#name} ${this.#toSql(where)} ${rest}`;
    return sql.exec(statement, ...this.#write(where), ...bindings);
  }

  #toSql(where: Where<C>): string {
    return `WHERE ${["TRUE", ...Object.keys(where).map((name) => `${name} = ?`)].join(" AND ")}`;
  }

  #write(values: Partial<Values<C>>): SqlStorageValue[] {
    return Object.entries(values).map(([name, value]) => this.#columns[name]?.write(value) ?? null);
  }

  #read(row: Record<string, SqlStorageValue>): Values<C> {
    const columns = Object.entries(this.#columns);
    const values = columns.map(([name, { read }]) => [name, read(row[name] ?? null)]);
    return Object.fromEntries(values);
  }
}
