import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql as drizzleSql } from "drizzle-orm";
import { SELECT_MIGRATIONS } from "../../db/lines.ts";
import type { Manifest, TableCopy } from "../../features/backup/manifest.ts";
import { deletePosts } from "../../features/posts/repo/write.ts";
import { selectArchivedTwice, setAside } from "../../features/restore/repo/hold.ts";
import type { Row } from "../d1.ts";
import { inProject } from "../paths.ts";
import { Problem } from "../program.ts";
import { quote, sql } from "../sql.ts";
import { toStatement } from "../team-database.ts";
import { type Database, PIECES } from "./database.ts";
import { holdAll } from "./hold.ts";
import { loadTable, verifyTable } from "./load.ts";
import { type Run, startedRun, stillOurs } from "./run.ts";
import { requireOwnTables } from "./schema.ts";

const quoted = (name: string): string => `"${name}"`;
/** While a restore runs, every table has another name, so that the instance can neither answer nor send anything. */
const loading = (table: string): string => `restoring_${table}`;

export interface Restored {
  manifest: Manifest;
  /** Rows left out by table, because their parents are missing or another row has their place. */
  dropped: Record<string, number>;
  held: { posts: number; items: number; approvals: number; planned: number };
  seconds: { load: number; verify: number };
}

/** @throws Problem when the instance is in use, or something differs from the backup */
export async function restoreInto(
  database: Database,
  folder: string,
  manifest: Manifest,
  { startOver, onStart }: { startOver: boolean; onStart?: () => void },
): Promise<Restored> {
  const files = await readMigrations(manifest);
  await requireOwnTables(manifest, files.old);
  const run = await startedRun(database, manifest.id, { id: randomUUID(), startOver });
  onStart?.();
  const seconds = { load: 0, verify: 0 };
  const dropped: Record<string, number> = {};
  // Read parents first: a row without its parent is left out.
  const tables = manifest.tables.toReversed();
  if (run.phase === "empty") await makeSchema(database, run, files.old);
  if (run.phase === "empty" || run.phase === "loading") {
    const begun = Date.now();
    for (const table of tables) await loadTable(database, run, folder, table);
    const loaded = Date.now();
    for (const table of tables) {
      const missing = await verifyTable(database, run, folder, table);
      if (missing > 0) dropped[table.name] = missing;
    }
    seconds.load = (loaded - begun) / 1_000;
    seconds.verify = (Date.now() - loaded) / 1_000;
    await switchOver(database, run, manifest);
  }
  await applyRest(database, files.later);
  const held = await holdAll(database, run, manifest);
  return { manifest, dropped, held, seconds };
}

const FOLDER = "migrations";

/** @throws Problem when the backup was made by a newer version, or names the migrations in another order */
async function readMigrations({ migrations, version }: Manifest) {
  const names = (await readdir(inProject(FOLDER))).filter((name) => name.endsWith(".sql")).sort();
  const unknown = migrations.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Problem(
      `The backup needs migrations that this version does not have (${unknown.join(", ")}). It was made by version ${version} or later: get the newest version, then restore again.`,
    );
  }
  const wrong = migrations.find((name, i) => name !== names[i]);
  if (wrong) {
    throw new Problem(
      `The manifest of the backup is not as the instance wrote it: ${wrong} does not follow the migrations before it. Nothing was written.`,
    );
  }
  const read = async (name: string) => ({
    name,
    text: await readFile(join(inProject(FOLDER), name), "utf8"),
  });
  return {
    old: await Promise.all(migrations.map(read)),
    later: await Promise.all(names.filter((name) => !migrations.includes(name)).map(read)),
  };
}

interface Migration {
  name: string;
  text: string;
}

/** Wrangler records applied migrations in this table. */
const CREATE_MIGRATIONS = `CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

const apply = (database: Database, { name, text }: Migration): Promise<void> =>
  database.runScript(`${text}\n;${sql`INSERT INTO d1_migrations (name) VALUES (${name})`};`);

const SELECT_OURS = `SELECT type, name, sql FROM sqlite_master
  WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT IN ('restoring_run')`;

/** Makes the schema of the backup, without rows, triggers and views, under the names of a restore. */
async function makeSchema(database: Database, run: Run, migrations: Migration[]): Promise<void> {
  const before = await database.read(SELECT_OURS);
  const drop = (type: string, rows: Row[]) =>
    rows.flatMap((row) => (row.type === type ? [`DROP ${type} ${quoted(String(row.name))}`] : []));
  await database.write([
    stillOurs(run),
    "PRAGMA defer_foreign_keys = on",
    ...drop("trigger", before),
    ...drop("view", before),
    ...drop("table", before),
    CREATE_MIGRATIONS,
  ]);
  for (const migration of migrations) await apply(database, migration);
  const made = await database.read(SELECT_OURS);
  const tables = made.flatMap(({ type, name }) =>
    type === "table" && name !== "d1_migrations" ? [String(name)] : [],
  );
  const kept = made.filter(({ type }) => type === "trigger" || type === "view");
  await database.write([
    stillOurs(run),
    "CREATE TABLE restoring_objects (n INTEGER PRIMARY KEY, type TEXT, name TEXT, statement TEXT)",
    "CREATE TABLE restoring_slices (name TEXT PRIMARY KEY)",
    `CREATE TABLE ${PIECES} (n INTEGER PRIMARY KEY, piece TEXT)`,
    ...kept.map(
      (one) =>
        sql`INSERT INTO restoring_objects (type, name, statement) VALUES (${one.type ?? ""}, ${one.name ?? ""}, ${one.sql ?? ""})`,
    ),
    ...drop("trigger", made),
    ...drop("view", made),
    "PRAGMA defer_foreign_keys = on",
    ...tables.map((name) => `DELETE FROM ${quoted(name)}`),
    ...tables.map((name) => `ALTER TABLE ${quoted(name)} RENAME TO ${quoted(loading(name))}`),
    "UPDATE restoring_run SET phase = 'loading'",
  ]);
}

/** Gives the tables their names back, and takes what is due out of the way in the same transaction. */
async function switchOver(database: Database, run: Run, manifest: Manifest): Promise<void> {
  const objects = await database.read("SELECT type, statement FROM restoring_objects ORDER BY n");
  const statementsOf = (type: string) =>
    objects.flatMap((one) => (one.type === type ? [String(one.statement)] : []));
  const made = await database.read(SELECT_OURS);
  const renamed = made.flatMap(({ type, name }) => {
    const original = String(name).replace(/^restoring_/, "");
    return type === "table" && name !== original && !OWN.has(original) ? [original] : [];
  });
  const names = new Set(renamed);
  const twice = names.has("archive_members") ? await findArchivedTwice(database) : [];
  await database.write([
    stillOurs(run),
    ...renamed.map((name) => `ALTER TABLE ${quoted(loading(name))} RENAME TO ${quoted(name)}`),
    ...twice.flatMap(({ team, ids }) => deletePosts(team, ids, TRUE).map(toStatement)),
    ...statementsOf("view"),
    ...sequences(manifest.sequences),
    ...setAside(names, new Date()).map(toStatement),
    ...statementsOf("trigger"),
    "UPDATE restoring_run SET phase = 'switched'",
  ]);
}

const TRUE = drizzleSql`TRUE`;

/** One statement of D1 has at most 100,000 bytes, and the ids stand in it twice. */
const MAX_IDS = 2_000;

async function findArchivedTwice(database: Database): Promise<{ team: number; ids: number[] }[]> {
  const [posts, members] = ["uploads", "archive_members"].map(loading) as [string, string];
  const rows = await database.read(selectArchivedTwice(posts, members));
  const byTeam = Map.groupBy(rows, ({ team_id }) => Number(team_id));
  return [...byTeam].flatMap(([team, all]) =>
    Array.from({ length: Math.ceil(all.length / MAX_IDS) }, (_, i) => ({
      team,
      ids: all.slice(i * MAX_IDS, (i + 1) * MAX_IDS).map(({ id }) => Number(id)),
    })),
  );
}

const OWN = new Set(["run", "objects", "slices", "pieces", "held", "slots"]);

const sequences = (values: Record<string, number>): string[] =>
  Object.entries(values).flatMap(([name, seq]) => [
    `DELETE FROM sqlite_sequence WHERE name = ${quote(name)}`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES (${quote(name)}, ${seq})`,
  ]);

async function applyRest(database: Database, later: Migration[]): Promise<void> {
  const applied = new Set((await database.read(SELECT_MIGRATIONS)).map(({ name }) => name));
  for (const migration of later) {
    if (!applied.has(migration.name)) await apply(database, migration);
  }
}

export const bySize = (tables: readonly TableCopy[]): TableCopy[] =>
  tables.filter(({ rows }) => rows > 0).toSorted((a, b) => b.rows - a.rows);
