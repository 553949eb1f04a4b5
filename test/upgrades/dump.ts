import type { DatabaseSync } from "node:sqlite";

type Value = string | number | bigint | null | Uint8Array;

/** Numbers are read as bigint, so that none loses digits. */
function toSql(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  // The sandbox stores files in its tables. Videos are not worth their bytes here.
  return value.length > MAX_BLOB_BYTES ? "X''" : `X'${Buffer.from(value).toString("hex")}'`;
}

const MAX_BLOB_BYTES = 1_024;

/**
 * The whole database as JSON lines: a statement each. Tables come before rows, and indexes and triggers behind them, so
 * that loading rows sets off no trigger.
 */
export function dumpDatabase(database: DatabaseSync): {
  sql: string;
  counts: Record<string, number>;
} {
  const objects = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL
        AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' ORDER BY rowid`,
    )
    .all()
    .map(({ type, name, sql }) => ({ type, name: String(name), sql: String(sql) }));
  const tables = objects.filter(({ type }) => type === "table");
  const others = objects.filter(({ type }) => type !== "table");
  const statements: string[] = tables.map(({ sql }) => sql);
  const counts: Record<string, number> = {};
  const sequences = "sqlite_sequence";
  const hasSequences = tables.some(({ sql }) => /\bAUTOINCREMENT\b/.test(sql));
  const names = tables.map((table) => table.name);
  for (const name of hasSequences ? [...names, sequences] : names) {
    const statement = database.prepare(`SELECT * FROM "${name}"`);
    statement.setReadBigInts(true);
    const rows = statement.all();
    // Rows with their ids have moved the sequences, but not past ids of rows that are gone.
    if (name === sequences) statements.push(`DELETE FROM ${sequences}`);
    else counts[name] = rows.length;
    for (const row of rows) {
      const columns = Object.keys(row).map((column) => `"${column}"`);
      const values = Object.values(row).map((value) => toSql(value as Value));
      statements.push(
        `INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${values.join(", ")})`,
      );
    }
  }
  statements.push(...others.map(({ sql }) => sql));
  return { sql: statements.map((statement) => JSON.stringify(statement)).join("\n"), counts };
}
