/* SQL text for any table of the schema, which is why it is composed of names and has no Drizzle tables. */

export interface TableColumn {
  name: string;
  /** `plain`: the value as JSON. `typed`: text behind a letter for its type, or null. */
  as: "plain" | "typed";
}

/** D1's limit of arguments to one function. */
const MAX_ARGUMENTS = 32;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** JSON has neither bytes nor every number, so that values of these columns are text behind a letter for their type. */
const typedValue = (column: string): string => `CASE typeof(${column})
  WHEN 'null' THEN NULL WHEN 'integer' THEN 'i' || ${column} WHEN 'blob' THEN 'b' || hex(${column})
  WHEN 'real' THEN 'r' || printf('%!.17g', ${column}) ELSE 't' || hex(${column}) END`;

const untyped = (value: string): string => `CASE substr(${value}, 1, 1)
  WHEN 'i' THEN CAST(substr(${value}, 2) AS INTEGER) WHEN 'b' THEN unhex(substr(${value}, 2))
  WHEN 'r' THEN CASE substr(${value}, 2) WHEN 'Inf' THEN 9e999 WHEN '-Inf' THEN -9e999
    ELSE CAST(substr(${value}, 2) AS REAL) END
  WHEN 't' THEN CAST(unhex(substr(${value}, 2)) AS TEXT) END`;

/** Strict columns of these types hold nothing that JSON changes. */
export const encodingOf = (type: string, isStrict: boolean): TableColumn["as"] =>
  isStrict && /^(?:TEXT|INTEGER|INT)$/i.test(type) ? "plain" : "typed";

interface Named {
  name: string;
  columns: readonly TableColumn[];
  /** Names of the columns by which rows are ordered. */
  key: readonly string[];
}

const chunks = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / MAX_ARGUMENTS) }, (_, i) =>
    list.slice(i * MAX_ARGUMENTS, (i + 1) * MAX_ARGUMENTS),
  );

/** One row as the JSON text of a list of lists. SQLite writes it, because that takes no CPU of the Worker. */
const lineOf = (columns: readonly TableColumn[]): string => {
  const values = columns.map(({ name, as }) =>
    as === "plain" ? quoted(name) : typedValue(quoted(name)),
  );
  return `json_array(${chunks(values)
    .map((some) => `json_array(${some.join(", ")})`)
    .join(", ")})`;
};

/** The first rows of a table in the order of its key. `?1` is the most rows. */
export const firstLines = (shape: Named, from = shape.name): string =>
  linesWhere(shape, from, "TRUE", "?1");

/** `?1` is the place of the last row that was read before, as JSON; `?2` the most rows. */
export function nextLines(shape: Named, from = shape.name): string {
  const keys = shape.key.map(quoted).join(", ");
  const after = shape.key.map((_, i) => `?1 ->> ${i}`).join(", ");
  return linesWhere(shape, from, `(${keys}) > (${after})`, "?2");
}

function linesWhere({ columns, key }: Named, from: string, where: string, max: string): string {
  const keys = key.map(quoted).join(", ");
  return `SELECT ${lineOf(columns)} AS line, json_array(${keys}) AS place FROM ${quoted(from)}
    WHERE ${where} ORDER BY ${keys} LIMIT ${max}`;
}

/**
 * Inserts the lines of a JSON array. A copy of minutes may have a row twice, as it was before and after it got another
 * id: the second is left out where a unique index refuses it.
 *
 * @param source SQL for the array
 * @param parents rows without these parents are left out
 */
export function insertLines(
  { columns }: Pick<Named, "columns">,
  into: string,
  source: string,
  parents: readonly Parent[] = [],
): string {
  const names = columns.map(({ name }) => quoted(name)).join(", ");
  const elementOf = (i: number) => `part${Math.floor(i / MAX_ARGUMENTS)} ->> ${i % MAX_ARGUMENTS}`;
  const parts = chunks(columns).map((_, i) => `value -> ${i} AS part${i}`);
  const values = columns.map(({ as }, i) =>
    as === "plain" ? elementOf(i) : untyped(elementOf(i)),
  );
  const conditions = parents.map(({ column, table, parentColumn }) => {
    const value = elementOf(columns.findIndex(({ name }) => name === column));
    return ` AND (${value} IS NULL OR ${value} IN (SELECT ${quoted(parentColumn)} FROM ${quoted(table)}))`;
  });
  // Each part is taken from its line once: a path through the line for each column takes twice as long.
  return `INSERT OR IGNORE INTO ${quoted(into)} (${names})
    WITH lines AS MATERIALIZED (SELECT ${parts.join(", ")} FROM json_each(${source}))
    SELECT ${values.join(", ")} FROM lines WHERE TRUE${conditions.join("")}`;
}

export interface Parent {
  column: string;
  table: string;
  parentColumn: string;
}

/** Each table with its statement and its columns: [name, type, place in the key from 1, or 0]. */
export const SELECT_TABLES = `SELECT m.name, m.sql,
    (SELECT json_group_array(json_array(p.name, p.type, p.pk)) FROM pragma_table_info(m.name) p) AS columns
  FROM sqlite_master m
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '_cf_%' ORDER BY m.name`;

export const SELECT_MIGRATIONS = "SELECT name FROM d1_migrations ORDER BY id";

export const SELECT_SEQUENCES = "SELECT name, seq FROM sqlite_sequence";
