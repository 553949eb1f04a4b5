import {
  type BuildColumn,
  Column,
  type GetColumnData,
  getTableColumns,
  is,
  type SQL,
  sql,
  Table,
} from "drizzle-orm";
import { type SQLiteColumnBuilderBase, sqliteTable } from "drizzle-orm/sqlite-core";

/** A row as D1 answers it: values by the names that the statement gives them. */
export type RawRow = Record<string, unknown>;
export type RowReader<T> = (row: RawRow) => T;

/** A column of a table, or the type of a computed one: `integer("total").notNull()`. */
type Field = Column | SQLiteColumnBuilderBase;
type Fields = Record<string, Field>;

type FieldValue<F extends Field> = F extends Column
  ? GetColumnData<F, "query">
  : F extends SQLiteColumnBuilderBase
    ? GetColumnData<BuildColumn<"row", F, "sqlite">, "query">
    : never;

type Row<F extends Fields> = { [K in keyof F]: FieldValue<F[K]> };
type FieldsOf<S extends Table | Fields> = S extends Table
  ? S["_"]["columns"]
  : S extends Fields
    ? S
    : never;

interface Part {
  property: string;
  name: string;
  /** Null: the stored value is the value. */
  decode: ((value: unknown) => unknown) | null;
}

/** A computed value without a name of its own has that of its property. */
const columnOf = (property: string, field: Field): Column =>
  is(field, Column)
    ? field
    : (getTableColumns(sqliteTable("row", { [property]: field }))[property] as Column);

function toPart(property: string, field: Field): Part {
  const column = columnOf(property, field);
  const isPlain = column.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  const decode = isPlain ? null : (value: unknown) => column.mapFromDriverValue(value);
  return { property, name: column.name, decode };
}

const fieldsOf = (source: Table | Fields): Fields =>
  is(source, Table) ? getTableColumns(source) : source;

const toParts = (fields: Fields): Part[] =>
  Object.entries(fields).map(([property, field]) => toPart(property, field));

function read(row: RawRow, { name, decode }: Part): unknown {
  const value = row[name];
  if (value === undefined) throw new Error(`The statement answers no column ${name}.`);
  return decode === null || value === null ? value : decode(value);
}

/** Makes a value when it is first asked for: most readers of a module are not used by the call that loads it. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Reads rows that hold the columns of a table, or these fields: names and stored types translated. */
export function rowReader<S extends Table | Fields>(source: S): RowReader<Row<FieldsOf<S>>> {
  const parts = once(() => toParts(fieldsOf(source)));
  return (row) => {
    const model: RawRow = {};
    for (const part of parts()) model[part.property] = read(row, part);
    return model as Row<FieldsOf<S>>;
  };
}

/** Arguments that D1 takes in one call of a function. */
const MAX_ARGUMENTS = 32;

const arrayOf = (values: readonly SQL[]): SQL => sql`json_array(${sql.join([...values], sql`, `)})`;

/** Rows whose values leave the database as one JSON text each. */
interface PackedRows<T> {
  /** The text, as SQL; `column` is the same under the name that `read` looks for. */
  value: SQL;
  column: SQL;
  read: RowReader<T>;
  /** Reads a row whose text has been parsed already. */
  unpack(stored: unknown[][]): T;
}

/**
 * Packs rows into one JSON text each, which takes much less CPU than their values one by one. `values`: the
 * SQL of each field, in any order; by default its column.
 */
export function packedRows<S extends Table | Fields>(
  source: S,
  values: Partial<Record<keyof FieldsOf<S>, SQL>> = {},
): PackedRows<Row<FieldsOf<S>>> {
  const fields = fieldsOf(source);
  const parts = once(() => toParts(fields));
  const given: Record<string, SQL | undefined> = values;
  const value = once(() => {
    const list = parts().map(({ property }) => given[property] ?? sql`${fields[property]}`);
    const lists = Array.from({ length: Math.ceil(list.length / MAX_ARGUMENTS) }, (_, i) =>
      arrayOf(list.slice(i * MAX_ARGUMENTS, (i + 1) * MAX_ARGUMENTS)),
    );
    return arrayOf(lists);
  });
  const unpack = (stored: unknown[][]) => {
    const model: RawRow = {};
    let i = 0;
    for (const list of stored) {
      for (const value of list) {
        const { property, decode } = parts()[i++] as Part;
        model[property] = decode === null || value === null ? value : decode(value);
      }
    }
    return model as Row<FieldsOf<S>>;
  };
  return {
    get value() {
      return value();
    },
    get column() {
      return sql`${value()} AS packed`;
    },
    read: ({ packed }) => unpack(JSON.parse(packed as string)),
    unpack,
  };
}

/** Reads the one value of each row. */
export function valueReader<F extends Field>(field: F): RowReader<FieldValue<F>> {
  const part = once(() => toPart("value", field));
  return (row) => read(row, part()) as FieldValue<F>;
}

/** The columns of a table with these properties. */
export function pickColumns<T extends Table, K extends keyof T["_"]["columns"] & string>(
  table: T,
  properties: readonly K[],
): Pick<T["_"]["columns"], K> {
  const columns: T["_"]["columns"] = getTableColumns(table);
  return Object.fromEntries(properties.map((property) => [property, columns[property]])) as Pick<
    T["_"]["columns"],
    K
  >;
}

/** Columns by the names that a statement answers them under. */
export const columnsByName = (columns: readonly Column[]): Record<string, Column> =>
  Object.fromEntries(columns.map((column) => [column.name, column]));

/** A column that the statement answers under another name. */
export const renamed = <C extends Column>(column: C, name: string): C =>
  Object.create(column, { name: { value: name } });
