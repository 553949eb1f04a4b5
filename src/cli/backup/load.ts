import { firstLines, insertLines, nextLines, type Parent } from "../../db/lines.ts";
import type { Slice, TableCopy } from "../../features/backup/manifest.ts";
import { Problem } from "../program.ts";
import { quote, sql } from "../sql.ts";
import type { Database } from "./database.ts";
import { ahead, readSlice } from "./folder.ts";
import { type Run, stillOurs } from "./run.ts";
import type { Write } from "./write.ts";

const loading = (table: string): string => `restoring_${table}`;

/** Text of one statement, and of one transaction. */
const STATEMENT_CHARACTERS = 1_000_000;
const BATCH_CHARACTERS = 6_000_000;

/** Writes the slices that are not in yet. Each is noted in the transaction that writes it. */
export async function loadTable(
  database: Database,
  run: Run,
  folder: string,
  table: TableCopy,
): Promise<void> {
  const done = new Set(
    (await database.read("SELECT name FROM restoring_slices")).map(({ name }) => name),
  );
  const parents = await parentsOf(database, table.name);
  const insert = (source: string) => insertLines(table, loading(table.name), source, parents);
  let batch: Write[] = [];
  let size = 0;
  const send = async () => {
    if (batch.length > 0) await database.write([stillOurs(run), ...batch]);
    batch = [];
    size = 0;
  };
  const left = table.slices.filter(({ name }) => !done.has(name));
  for await (const [slice, lines] of ahead(left, (one) => readSlice(folder, one))) {
    for (const some of inStatements(lines)) batch.push({ insert, lines: some });
    batch.push(sql`INSERT INTO restoring_slices (name) VALUES (${slice.name})`);
    size += lines.reduce((sum, line) => sum + line.length, 0);
    if (size > BATCH_CHARACTERS) await send();
  }
  await send();
}

function inStatements(lines: readonly string[]): string[][] {
  const statements: string[][] = [];
  let size = Infinity;
  for (const line of lines) {
    if (size + line.length > STATEMENT_CHARACTERS) {
      statements.push([]);
      size = 0;
    }
    statements.at(-1)?.push(line);
    size += line.length;
  }
  return statements;
}

async function parentsOf(database: Database, table: string): Promise<Parent[]> {
  const keys = await database.read(
    `SELECT "table", "from", "to" FROM pragma_foreign_key_list(${quote(loading(table))})`,
  );
  return keys.map((key) => ({
    column: String(key.from),
    table: String(key.table),
    parentColumn: String(key.to),
  }));
}

/**
 * Compares every row with the backup.
 *
 * @returns the number of rows that were left out, because their parents are missing or a unique index refuses them
 * @throws Problem when a row differs
 */
export async function verifyTable(
  database: Database,
  run: Run,
  folder: string,
  table: TableCopy,
): Promise<number> {
  await database.write([stillOurs(run)]);
  const mayLack =
    (await parentsOf(database, table.name)).length > 0 || (await isUnique(database, table.name));
  let place: string | null = null;
  let missing = 0;
  for await (const [slice, expected] of ahead(table.slices, (one) => readSlice(folder, one))) {
    const stored = await readBack(database, table, place, slice);
    let i = 0;
    for (const line of expected) {
      if (stored[i]?.line === line) i++;
      else if (mayLack) missing++;
      else throw differs(table.name);
    }
    place = stored[i - 1]?.place ?? place;
    if (!mayLack && i !== stored.length) throw differs(table.name);
  }
  const [count] = await database.read(`SELECT count(*) AS n FROM "${loading(table.name)}"`);
  if (Number(count?.n) !== table.rows - missing) throw differs(table.name);
  return missing;
}

/** Has a unique index besides its key. */
async function isUnique(database: Database, table: string): Promise<boolean> {
  const indexes = await database.read(
    `SELECT 1 FROM pragma_index_list(${quote(loading(table))}) WHERE "unique" = 1 AND origin <> 'pk'`,
  );
  return indexes.length > 0;
}

async function readBack(
  database: Database,
  table: TableCopy,
  place: string | null,
  { rows }: Slice,
): Promise<{ line: string; place: string }[]> {
  const from = loading(table.name);
  const statement =
    place === null
      ? firstLines(table, from).replace("?1", String(rows))
      : nextLines(table, from).replaceAll("?1", quote(place)).replace("?2", String(rows));
  const stored = await database.read(statement);
  return stored.map((one) => ({ line: String(one.line), place: String(one.place) }));
}

const differs = (table: string): Problem =>
  new Problem(
    `After loading, ${table} differs from the backup. The instance is still closed. Run the command again with --start-over; if it happens again, report it.`,
  );
