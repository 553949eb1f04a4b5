import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inProject } from "../../src/cli/paths.ts";

/** Applies the migrations behind one and up to another, by their numbers. */
export function migrate(database: DatabaseSync, after = "", to = "9999"): void {
  const files = readdirSync(inProject("migrations")).sort();
  for (const file of files) {
    const number = file.slice(0, 4);
    if (file.endsWith(".sql") && number > after && number <= to) {
      database.exec(readFileSync(join(inProject("migrations"), file), "utf8"));
    }
  }
}

export function openDatabase(to?: string): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  migrate(database, "", to);
  return database;
}

type Row = Record<string, string | number | null>;

export const ask = (database: DatabaseSync, sql: string): Row[] =>
  database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }) as Row);
