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

/** A row of D1, keyed by the names in the statement. */
export type RawRow = Record<string, unknown>;
export type RowReader<T> = (row: RawRow) => T;

/** A column, or the type of a computed value: `integer("total").notNull()`. */
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
  /** Null when the stored value needs no decoding. */
  decode: ((value: unknown) => unknown) | null;
}

/** The column of a computed value has the property's name. */
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

/** Computes on first use, because a request uses few of the loaded readers. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function rowReader<S extends Table | Fields>(source: S): RowReader<Row<FieldsOf<S>>> {
  const parts = once(() => toParts(fieldsOf(source)));
  return (row) => {
    const model: RawRow = {};
    for (const part of parts()) model[part.property] = read(row, part);
    return model as Row<FieldsOf<S>>;
  };
}

/** D1's limit of arguments to one function. */
const MAX_ARGUMENTS = 32;

const arrayOf = (values: readonly SQL[]): SQL => sql`json_array(${sql.join([...values], sql`, `)})`;

interface PackedRows<T> {
  /** `column` is `value` under the alias that `read` expects. */
  value: SQL;
  column: SQL;
  read: RowReader<T>;
  unpack(stored: unknown[][]): T;
}

/**
 * One JSON text per row costs far less CPU than separate values.
 *
 * @param values SQL for fields that are no plain columns
 */
export function packedRows<S extends Table | Fields>(
  source: S,
  values: Partial<Record<keyof FieldsOf<S>, SQL>> = {},
): PackedRows<Row<FieldsOf<S>>> {
  const fields = fieldsOf(source);
  const parts = once(() => toParts(fields));
  const expressions: Record<string, SQL | undefined> = values;
  const value = once(() => {
    const list = parts().map(({ property }) => expressions[property] ?? sql`${fields[property]}`);
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

export function valueReader<F extends Field>(field: F): RowReader<FieldValue<F>> {
  const part = once(() => toPart("value", field));
  return (row) => read(row, part()) as FieldValue<F>;
}

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

/** Maps the names in the answer to their columns. */
export const columnsByName = (columns: readonly Column[]): Record<string, Column> =>
  Object.fromEntries(columns.map((column) => [column.name, column]));

/** For a column that the statement returns under an alias. */
export const renamed = <C extends Column>(column: C, name: string): C =>
  Object.create(column, { name: { value: name } });
