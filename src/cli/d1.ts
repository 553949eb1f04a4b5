import * as z from "zod";
import { parseJson } from "./json.ts";
import { COMPILE_CACHE, inProject, PROJECT_DIR } from "./paths.ts";
import { runGroup } from "./process-group.ts";
import { Problem } from "./program.ts";
import { readComplaint, runWrangler } from "./wrangler.ts";

export type Row = Record<string, string | number | null>;

/** Which database: the local one under `stateDir`, or the deployed one that `config` names. */
export type Place = { kind: "local"; stateDir: string } | { kind: "remote"; config: string };

const reply = z.array(
  z.object({ results: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))) }),
);
const refusal = z.object({ error: z.object({ text: z.string() }) });

/** A job of the local database: statements, and before them the migrations that it lacks. */
export interface LocalJob {
  stateDir: string;
  /** The folder of the migrations; null where none are applied. */
  migrations: string | null;
  statements: string[];
}

const localReply = z.union([
  z.object({ rows: reply.element.shape.results.array() }),
  z.object({ reason: z.string(), isMigrated: z.boolean() }),
]);

const MIGRATION_FAILED = "Bringing the database up to date failed.";

/** @throws Problem in the database's own words */
export async function workLocally(job: LocalJob): Promise<Row[][]> {
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

function toProblem(reason: string, setUp: string): Problem {
  return new Problem(
    reason.startsWith("no such table")
      ? `The database has not been set up yet. Run \`${setUp}\` first.`
      : `The database said: ${reason}`,
  );
}

/**
 * Runs the statements one after another in a single call, which costs about a second however many
 * there are; the rows of each, in order.
 *
 * @throws Problem in the database's own words
 */
export async function execute(place: Place, statements: string[]): Promise<Row[][]> {
  if (place.kind === "local") {
    return workLocally({ stateDir: place.stateDir, migrations: null, statements });
  }
  const command = statements.join(";\n");
  const result = await runWrangler([
    ...["d1", "execute", "DB", "--remote", "--config", place.config],
    ...["--json", "--yes", "--command", command],
  ]);
  const parsed = reply.safeParse(parseJson(result.stdout));
  if (result.code === 0 && parsed.success) return parsed.data.map(({ results }) => results);
  const refused = refusal.safeParse(parseJson(result.stdout));
  throw toProblem(refused.data?.error.text ?? readComplaint(result), "npm run deploy");
}

/** Applies the migrations that the local database lacks, and then runs the statements, in one call. @throws Problem */
export const migrateAndExecute = (stateDir: string, statements: string[]): Promise<Row[][]> =>
  workLocally({ stateDir, migrations: inProject("migrations"), statements });

/** @throws Problem when a migration fails */
export async function applyMigrations(place: Place): Promise<void> {
  if (place.kind === "local") {
    await migrateAndExecute(place.stateDir, []);
    return;
  }
  const command = ["d1", "migrations", "apply", "DB", "--remote", "--config", place.config];
  const result = await runWrangler(command);
  if (result.code !== 0) throw new Problem(`${MIGRATION_FAILED}\n${readComplaint(result)}`);
}
