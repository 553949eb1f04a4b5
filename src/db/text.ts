import { is, Param, Placeholder, SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

/** A statement, or a part of one, as the database takes it. */
export interface Text {
  sql: string;
  params: unknown[];
}

/** The values of a prepared statement as its SQL names them; one may be SQL itself. */
export type Params<P> = { [K in keyof P]: SQL<P[K]> };

/** Stands where a value goes, so that no question mark of a literal is taken for one. */
const MARK = "\u0000";

class MarkingDialect extends SQLiteSyncDialect {
  override escapeParam(): string {
    return MARK;
  }
}

const dialect = new MarkingDialect();

/** Text around values: one piece more than there are values. */
interface Template {
  pieces: string[];
  values: unknown[];
}

function toTemplate(statement: SQLWrapper): Template {
  const { sql: marked, params } = dialect.sqlToQuery(statement.getSQL());
  return { pieces: marked.split(MARK), values: params };
}

/** Text of SQL that was built before: the same part stands in several statements of a call. */
const known = new WeakMap<SQL, Text>();

/** Builds the text of a statement or a part of one. */
export function textOf(statement: SQLWrapper): Text {
  const part = statement.getSQL();
  const built = known.get(part);
  if (built) return built;
  const { pieces, values } = toTemplate(part);
  const text = { sql: pieces.join("?"), params: values };
  known.set(part, text);
  return text;
}

/** The value of a placeholder as it is stored: a column's own way where one is known. */
function storedValue(slot: unknown, values: Record<string, unknown>): unknown {
  if (is(slot, Param) && is(slot.value, Placeholder)) {
    const value = values[slot.value.name];
    if (value === null || is(value, SQL)) return value;
    return slot.encoder.mapToDriverValue(value);
  }
  if (!is(slot, Placeholder)) return slot;
  const value = values[slot.name];
  if (value instanceof Date) return value.getTime();
  return typeof value === "boolean" ? Number(value) : value;
}

function fill({ pieces, values: slots }: Template, values: Record<string, unknown>): Text {
  let text = pieces[0] as string;
  const params: unknown[] = [];
  for (const [i, slot] of slots.entries()) {
    const value = storedValue(slot, values);
    if (is(value, SQL)) {
      const part = textOf(value);
      text += part.sql;
      params.push(...part.params);
    } else {
      text += "?";
      params.push(value);
    }
    text += pieces[i + 1];
  }
  return { sql: text, params };
}

/** Gives every name its placeholder, which Drizzle takes wherever it takes SQL. */
const PLACEHOLDERS = new Proxy(
  {},
  {
    get: (_, name) => sql.placeholder(String(name)),
    ownKeys: () => {
      throw new Error("Names of values are asked for one by one.");
    },
  },
);

/** Builds the text of a statement once, at its first use; then only its values are put in. */
export function prepareText<P extends object>(
  build: (params: Params<P>) => SQLWrapper,
): (values: P) => Text {
  let template: Template | null = null;
  return (values) => {
    template ??= toTemplate(build(PLACEHOLDERS as Params<P>));
    return fill(template, values as Record<string, unknown>);
  };
}
