import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";
import { theSandbox } from "../../src/sandbox/state.ts";
import { refuseUnknownEvents } from "./events.ts";
import { answerKnownImports } from "./imports.ts";

answerKnownImports();

const OURS = "name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'";

const countObjects = () =>
  env.DB.prepare(`SELECT count(*) FROM sqlite_master WHERE ${OURS}`).first<number>("count(*)");

const isEmpty = async () => {
  const posts = await theSandbox(env.SANDBOX_STATE).listPosts({ teamId: "all" });
  const { objects: files } = await env.MEDIA.list({ limit: 1 });
  return posts.length === 0 && files.length === 0 && (await countObjects()) === 0;
};

const MAX_RESETS = 10;

/**
 * Empties the database, the storage and the Durable Objects. One `reset` in fifty leaves one of them as it is,
 * though it says nothing; and what the file before had still under way may be written behind the first.
 */
async function empty(): Promise<void> {
  for (let resets = 1; resets <= MAX_RESETS; resets++) {
    await reset();
    if ((await isEmpty()) && resets > 1) return;
  }
  throw new Error("What the file before has written is still there.");
}

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
