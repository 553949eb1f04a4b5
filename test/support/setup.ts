import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";
import { empty, OURS } from "./empty.ts";
import { refuseUnknownEvents } from "./events.ts";
import { answerKnownImports } from "./imports.ts";

answerKnownImports();

/** The statements that make the tables, indexes and triggers. Modules are evaluated anew for each file, this is kept. */
const kept = globalThis as { schema?: string[] };

const runAll = (statements: string[]) =>
  env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));

/** Applies all migrations once; later files get what came of them, in a third of the time. */
async function migrate(): Promise<void> {
  if (kept.schema) return void (await runAll(kept.schema));
  await runAll(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries));
  const { results } = await env.DB.prepare(
    `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${OURS} ORDER BY rowid`,
  ).all<{ sql: string }>();
  kept.schema = results.map(({ sql }) => sql);
}

beforeAll(async () => {
  await empty();
  await migrate();
});

afterAll(refuseUnknownEvents);
