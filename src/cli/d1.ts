import * as z from "zod";
import { parseJson } from "./json.ts";
import { Problem } from "./program.ts";
import { readComplaint, runWrangler } from "./wrangler.ts";

export type Row = Record<string, string | number | null>;

/** Which database: the local one under `stateDir`, or the deployed one that `config` names. */
export type Place = { kind: "local"; stateDir: string } | { kind: "remote"; config: string };

const reply = z.array(
  z.object({ results: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))) }),
);
const refusal = z.object({ error: z.object({ text: z.string() }) });

/** The arguments that point a `wrangler d1` command at the place. */
const placeArgs = (place: Place): string[] =>
  place.kind === "local"
    ? ["--local", "--persist-to", place.stateDir]
    : ["--remote", "--config", place.config];

/**
 * Runs the statements one after another in a single call, which costs about a second however many
 * there are; the rows of each, in order.
 *
 * @throws Problem in the database's own words
 */
export async function execute(place: Place, statements: string[]): Promise<Row[][]> {
  const command = statements.join(";\n");
  const result = await runWrangler([
    "d1",
    "execute",
    "DB",
    ...placeArgs(place),
    "--json",
    "--yes",
    "--command",
    command,
  ]);
  const parsed = reply.safeParse(parseJson(result.stdout));
  if (result.code === 0 && parsed.success) return parsed.data.map(({ results }) => results);
  const refused = refusal.safeParse(parseJson(result.stdout));
  const reason = refused.data?.error.text ?? readComplaint(result);
  if (reason.startsWith("no such table")) {
    const setUp = place.kind === "local" ? "npm start" : "npm run deploy";
    throw new Problem(`The database has not been set up yet. Run \`${setUp}\` first.`);
  }
  throw new Problem(`The database said: ${reason}`);
}

/** @throws Problem when a migration fails */
export async function applyMigrations(place: Place): Promise<void> {
  const result = await runWrangler(["d1", "migrations", "apply", "DB", ...placeArgs(place)]);
  if (result.code !== 0) {
    throw new Problem(`Bringing the database up to date failed.\n${readComplaint(result)}`);
  }
}
