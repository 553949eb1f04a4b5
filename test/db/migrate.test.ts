import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { runTick } from "../../src/cron/tick.ts";
import { MIGRATIONS } from "../../src/db/.generated/migrations.ts";
import { connect } from "../../src/db/client.ts";
import { applyMigrations } from "../../src/db/migrate.ts";
import { bringUpToDate, theInstallation } from "../../src/durable/installation.ts";
import worker from "../../src/worker.ts";
import { Harness } from "../support/harness.ts";
import { Browser } from "../support/person.ts";

const OURS = "name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'";

async function listObjects(): Promise<{ name: string; sql: string; type: string }[]> {
  const { results } = await env.DB.prepare(
    `SELECT type, name, sql FROM sqlite_master
      WHERE sql IS NOT NULL AND ${OURS} AND name <> 'd1_migrations' ORDER BY type, name`,
  ).all<{ name: string; sql: string; type: string }>();
  return results;
}

/** The database of an installation that was deployed without migrations. */
async function empty(): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND ${OURS}`,
  ).all<{ type: string; name: string }>();
  await env.DB.batch([
    env.DB.prepare("PRAGMA defer_foreign_keys = on"),
    ...results.map(({ type, name }) => env.DB.prepare(`DROP ${type} IF EXISTS "${name}"`)),
  ]);
}

const applied = async () =>
  (
    await env.DB.prepare("SELECT id, name, applied_at FROM d1_migrations ORDER BY id").all<{
      name: string;
      applied_at: string;
    }>()
  ).results;

beforeEach(async () => {
  await empty();
  await runInDurableObject(theInstallation(env.INSTALLATION), (object, state) => {
    (object as unknown as { failure: null }).failure = null;
    return state.storage.deleteAll();
  });
});

const NAMES = MIGRATIONS.map(({ name }) => name);

test("an empty database becomes what the migrations make, in wrangler's own list", async () => {
  expect(await bringUpToDate(env.INSTALLATION)).toEqual({ remaining: 0, failure: null });
  expect((await applied()).map(({ name }) => name)).toEqual(NAMES);
  const own = await listObjects();
  await empty();
  await env.DB.batch(
    env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((one) => env.DB.prepare(one)),
  );
  const squeeze = (objects: typeof own) =>
    objects.map(({ sql, ...rest }) => ({ ...rest, sql: withoutComments(sql) }));
  expect(squeeze(own)).toEqual(squeeze(await listObjects()));
});

const withoutComments = (sql: string): string =>
  sql
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[,)])|(?<=\() /g, "");

test("many callers at once apply each migration once", async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => bringUpToDate(env.INSTALLATION)));
  for (const progress of all) expect(progress).toEqual({ remaining: 0, failure: null });
  expect(await applied()).toHaveLength(NAMES.length);
});

test("a database that wrangler brought half way is brought on from there", async () => {
  const half = MIGRATIONS.slice(0, 20);
  await applyMigrations(env.DB, half);
  const before = await applied();
  expect(before.map(({ name }) => name)).toEqual(NAMES.slice(0, 20));
  await bringUpToDate(env.INSTALLATION);
  expect((await applied()).slice(0, 20)).toEqual(before);
});

test("one call of the object stays below the queries of the free plan", async () => {
  const batch = vi.spyOn(env.DB, "batch");
  const progress = await applyMigrations(env.DB, MIGRATIONS);
  expect(batch.mock.calls.length).toBeLessThan(50);
  batch.mockRestore();
  expect(progress.remaining).toBeGreaterThan(0);
});

test("a migration that fails changes nothing, is named, and is tried again", async () => {
  const broken = [
    { name: "0001_good.sql", statements: ["CREATE TABLE one (id INTEGER)"] },
    {
      name: "0002_bad.sql",
      statements: ["CREATE TABLE two (id INTEGER)", "INSERT INTO nowhere VALUES (1)"],
    },
  ];
  const { failure, remaining } = await applyMigrations(env.DB, broken);
  expect(failure).toMatch(/^0002_bad\.sql: .*no such table: nowhere/);
  expect(remaining).toBe(2);
  expect((await listObjects()).map(({ name }) => name)).toEqual(["one"]);
  await env.DB.prepare("CREATE TABLE nowhere (id INTEGER)").run();
  expect(await applyMigrations(env.DB, broken)).toEqual({ remaining: 0, failure: null });
});

test("while a backup is restored, the instance applies nothing", async () => {
  await env.DB.prepare("CREATE TABLE restoring_run (backup TEXT)").run();
  const { failure } = await bringUpToDate(env.INSTALLATION);
  expect(failure).toBe("A backup is being restored.");
  expect((await listObjects()).map(({ name }) => name)).toEqual(["restoring_run"]);
});

test("of two programs that apply the same migration, one does", async () => {
  const [slow] = MIGRATIONS;
  const progress = await Promise.all([
    applyMigrations(env.DB, slow ? [slow] : []),
    applyMigrations(env.DB, slow ? [slow] : []),
  ]);
  expect(progress.filter(({ failure }) => failure === null).length).toBeGreaterThan(0);
  expect(await applied()).toHaveLength(1);
});

const freshHarness = () => new Harness({ db: connect(env.DB) });

test("a call before that is answered with 503 in the envelope, and the next one works", async () => {
  const harness = freshHarness();
  const token = `kmb_${"0".repeat(64)}`;
  const { status, body, headers } = await harness.call("GET", "/accounts", { token });
  expect(status).toBe(503);
  expect(body).toMatchObject({ success: false, code: "UNAVAILABLE" });
  expect(body.error).toContain("/claim");
  expect(headers.get("retry-after")).toBe("5");
  await harness.settle();
  expect((await harness.call("GET", "/accounts", { token })).status).toBe(401);
});

test("the page of the claim brings the database up to date and opens", async () => {
  const harness = freshHarness();
  const page = await new Browser(harness).get("/claim");
  expect(page.status).toBe(200);
  expect(page.html).toContain('name="code"');
  expect(await applied()).toHaveLength(NAMES.length);
});

test("the front page of an empty database leads to the claim", async () => {
  const response = await freshHarness().request("/");
  expect(response.headers.get("location")).toBe("/claim");
});

test("a tick that finds no tables leaves a database for the next", async () => {
  const { deps } = freshHarness();
  await expect(runTick(deps)).rejects.toThrow(/no such table/);
  await runTick(deps);
});

test("an instance with keys of its own is up to date before its first answer", async () => {
  const { ENCRYPTION_KEYS: _, ...bindings } = env as typeof env & { ENCRYPTION_KEYS: string };
  const request = new Request("https://akimbo.test/api/v1/accounts", {
    headers: { "x-api-key": `kmb_${"0".repeat(64)}` },
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const response = await worker.fetch(request, bindings, createExecutionContext());
  log.mockRestore();
  expect(response.status).toBe(401);
});

test("a database that is up to date costs one look, and later ones none", async () => {
  await bringUpToDate(env.INSTALLATION);
  expect((await theInstallation(env.INSTALLATION).open()).isCurrent).toBe(true);
});
