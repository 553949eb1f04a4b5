import {
  Column,
  getTableName,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLWrapper,
  StringChunk,
  sql,
  Table,
} from "drizzle-orm";

export interface Text {
  sql: string;
  params: unknown[];
}

/** Placeholders by name; a value may be SQL itself. */
export type Params<P> = { [K in keyof P]: SQL<P[K]> };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * `pieces` has one more entry than `values`. A LIMIT is written as a sum, because SQLite prepares a statement again
 * when its LIMIT is a bare value.
 *
 * Source: SQLite, `sqlite3ExprIsInteger`.
 */
class Template {
  pieces: string[] = [""];
  values: unknown[] = [];

  add(text: string): void {
    this.pieces[this.values.length] += text;
  }

  addValue(value: unknown): void {
    const isLimit = /\bLIMIT $/i.test(this.pieces.at(-1) ?? "");
    if (isLimit) this.add("(");
    this.values.push(value);
    this.pieces.push(isLimit ? " + 0)" : "");
  }
}

/** Replaces Drizzle's own dialect, which used more CPU than any other step of a request. */
function render(chunk: unknown, into: Template): void {
  if (typeof chunk !== "object" || chunk === null) {
    if (chunk !== undefined) into.addValue(chunk);
  } else if (chunk instanceof StringChunk) {
    for (const text of chunk.value) into.add(text);
  } else if (chunk instanceof SQL) {
    for (const part of chunk.queryChunks) render(part, into);
  } else if (chunk instanceof Param) {
    renderParam(chunk, into);
  } else if (chunk instanceof Name) {
    into.add(quoted(chunk.value));
  } else if (chunk instanceof Placeholder) {
    into.addValue(chunk);
  } else if (chunk instanceof Column) {
    into.add(`${quoted(getTableName(chunk.table))}.${quoted(chunk.name)}`);
  } else if (chunk instanceof Table) {
    into.add(quoted(getTableName(chunk)));
  } else if (Array.isArray(chunk)) {
    into.add("(");
    for (const [i, part] of chunk.entries()) {
      if (i > 0) into.add(", ");
      render(part, into);
    }
    into.add(")");
  } else {
    throw new Error("SQL of a kind that is not rendered here.");
  }
}

function renderParam(param: Param, into: Template): void {
  const { value, encoder } = param;
  if (value instanceof Placeholder) into.addValue(param);
  else render(value === null ? null : encoder.mapToDriverValue(value), into);
}

function toTemplate(statement: SQLWrapper): Template {
  const template = new Template();
  render(statement.getSQL(), template);
  return template;
}

export function textOf(statement: SQLWrapper): Text {
  const { pieces, values } = toTemplate(statement);
  return { sql: pieces.join("?"), params: values };
}

/** When the column of a value is known, the column encodes the value. */
function storedValue(slot: unknown, values: Record<string, unknown>): unknown {
  if (slot instanceof Param && slot.value instanceof Placeholder) {
    const value = values[slot.value.name];
    if (value === null || value instanceof SQL) return value;
    return slot.encoder.mapToDriverValue(value);
  }
  if (!(slot instanceof Placeholder)) return slot;
  const value = values[slot.name];
  if (value instanceof Date) return value.getTime();
  return typeof value === "boolean" ? Number(value) : value;
}

function fill({ pieces, values: slots }: Template, values: Record<string, unknown>): Text {
  let text = pieces[0] as string;
  const params: unknown[] = [];
  for (const [i, slot] of slots.entries()) {
    const value = storedValue(slot, values);
    if (value instanceof SQL) {
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

const PLACEHOLDERS = new Proxy(
  {},
  {
    get: (_, name) => sql.placeholder(String(name)),
    ownKeys: () => {
      throw new Error("Names of values are asked for one by one.");
    },
  },
);

/** Builds the SQL text on first use. */
export function prepareText<P extends object>(
  build: (params: Params<P>) => SQLWrapper,
): (values: P) => Text {
  let template: Template | null = null;
  return (values) => {
    template ??= toTemplate(build(PLACEHOLDERS as Params<P>));
    return fill(template, values as Record<string, unknown>);
  };
}
