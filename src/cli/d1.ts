import { readdir } from "node:fs/promises";
import * as z from "zod";
import { parseJson } from "./json.ts";
import { COMPILE_CACHE, inProject, PROJECT_DIR } from "./paths.ts";
import { runGroup } from "./process-group.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";
import { readComplaint, runWrangler } from "./wrangler.ts";

export type Row = Record<string, string | number | null>;

export type Place = { kind: "local"; stateDir: string } | { kind: "remote"; config: string };

const reply = z.array(
  z.object({ results: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))) }),
);
const refusal = z.object({ error: z.object({ text: z.string() }) });

export interface LocalJob {
  stateDir: string;
  migrations: string | null;
  statements: string[];
}

const localReply = z.union([
  z.object({ rows: reply.element.shape.results.array() }),
  z.object({ reason: z.string(), isMigrated: z.boolean() }),
]);

const MIGRATION_FAILED = "Bringing the database up to date failed.";

/** @throws Problem with the database's own message */
export async function runLocalJob(job: LocalJob): Promise<Row[][]> {
  const program = inProject("src/cli/local-d1.ts");
  const result = await runGroup(process.execPath, [program], {
    cwd: PROJECT_DIR,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
    input: JSON.stringify(job),
  });
  const { data } = localReply.safeParse(parseJson(result.stdout));
  if (!data) throw new Problem(`The database could not be opened.\n${result.stderr.trim()}`);
  if ("rows" in data) return data.rows;
  if (!data.isMigrated) throw new Problem(`${MIGRATION_FAILED}\n${data.reason}`);
  throw toProblem(data.reason, "npm start");
}

export function toProblem(reason: string, setUp: string): Problem {
  return new Problem(
    reason.startsWith("no such table")
      ? `The database has not been set up yet. Run \`${setUp}\` first.`
      : `The database said: ${reason}`,
  );
}

/**
 * One call costs about a second, however many statements it has.
 *
 * @throws Problem with the database's own message
 */
export async function execute(place: Place, statements: string[]): Promise<Row[][]> {
  if (place.kind === "local") {
    return runLocalJob({ stateDir: place.stateDir, migrations: null, statements });
  }
  const command = statements.join(";\n");
  const result = await runWrangler([
    "d1",
    "execute",
    "DB",
    "--remote",
    "--config",
    place.config,
    "--json",
    "--yes",
    "--command",
    command,
  ]);
  const parsed = reply.safeParse(parseJson(result.stdout));
  if (result.code === 0 && parsed.success) return parsed.data.map(({ results }) => results);
  const refused = refusal.safeParse(parseJson(result.stdout));
  throw toProblem(refused.data?.error.text ?? readComplaint(result), "npm run deploy");
}

/**
 * In a deployed database, the statements may run before and again after the migrations, so they must only read.
 *
 * @throws Problem when a migration or a statement fails
 */
export async function migrateAndExecute(place: Place, statements: string[]): Promise<Row[][]> {
  if (place.kind === "local") {
    const { stateDir } = place;
    return runLocalJob({ stateDir, migrations: inProject("migrations"), statements });
  }
  const reading = execute(place, [sql`SELECT name FROM d1_migrations`, ...statements]);
  const [applied = [], ...results] = await reading.catch(() => []);
  if (await isUpToDate(applied)) return results;
  const command = ["d1", "migrations", "apply", "DB", "--remote", "--config", place.config];
  const result = await runWrangler(command);
  if (result.code !== 0) throw new Problem(`${MIGRATION_FAILED}\n${readComplaint(result)}`);
  return statements.length > 0 ? execute(place, statements) : [];
}

export async function readMigrationNames(): Promise<string[]> {
  return (await readdir(inProject("migrations"))).filter((name) => name.endsWith(".sql")).sort();
}

async function isUpToDate(applied: Row[]): Promise<boolean> {
  const names = new Set(applied.map(({ name }) => name));
  return (await readMigrationNames()).every((name) => names.has(name));
}
