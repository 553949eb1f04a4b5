import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { LocalJob } from "./d1.ts";
import { inProject } from "./paths.ts";
import { sql } from "./sql.ts";
import { readTomlTables } from "./toml.ts";

/**
 * `wrangler d1 … --local` restarts the runtime for every migration, and Miniflare ends its process.
 * So this separate program works in the database of `npm start`. Standard input carries a job,
 * standard output the answer, both as JSON.
 */

const BINDING = "DB";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** `wrangler dev` derives its database file from the same id. */
async function readDatabaseId(): Promise<string> {
  const toml = await readFile(inProject("wrangler.toml"), "utf8");
  const table = readTomlTables(toml, "d1_databases").find(({ binding }) => binding === BINDING);
  if (table) return table.preview_database_id ?? table.database_id ?? BINDING;
  const { readWranglerConfig } = await import("./deploy-config.ts");
  const [database] = (await readWranglerConfig()).d1_databases;
  return String(database.preview_database_id ?? database.database_id);
}

/** Wrangler records applied migrations in this table. */
const CREATE_MIGRATIONS = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

async function migrate(database: Database, folder: string): Promise<void> {
  await database.prepare(CREATE_MIGRATIONS).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(results.map(({ name }) => name));
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  for (const name of files.sort().filter((file) => !applied.has(file))) {
    const migration = await readFile(join(folder, name), "utf8");
    const note = sql`INSERT INTO d1_migrations (name) VALUES (${name})`;
    await database.batch([database.prepare(`${migration}\n${note}`)]);
  }
}

const answer = (reply: object) => console.log(JSON.stringify(reply));

const { stateDir, migrations, statements } = JSON.parse(await text(process.stdin)) as LocalJob;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: "",
    cf: false,
    resourcePersistencePath: join(stateDir, "v3"),
    d1Databases: { [BINDING]: await readDatabaseId() },
    handleStructuredLogs: ({ message }) => console.error(message),
  }),
);
let isMigrated = migrations === null;
try {
  const database = await miniflare.getD1Database(BINDING);
  if (migrations !== null) await migrate(database, migrations);
  isMigrated = true;
  const results =
    statements.length > 0
      ? await database.batch(statements.map((one) => database.prepare(one)))
      : [];
  answer({ rows: results.map((result) => result.results) });
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  answer({ reason, isMigrated });
} finally {
  await miniflare.dispose();
}
