import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runLocalJob } from "../../src/cli/d1.ts";

const stateDir = await mkdtemp(join(tmpdir(), "akimbo-d1-"));
const migrations = join(stateDir, "migrations");
await mkdir(migrations);
after(() => rm(stateDir, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(migrations, name), text);
const work = (...statements: string[]) => runLocalJob({ stateDir, migrations, statements });

const APPLIED = "SELECT name FROM d1_migrations ORDER BY id";
const TABLES =
  "SELECT group_concat(name) AS names FROM sqlite_master WHERE name IN ('one', 'two', 'three')";

test("a new database gets its migrations in order, and then what is asked of it", async () => {
  await write("0002_two.sql", "INSERT INTO one VALUES (2); CREATE TABLE two (id INTEGER);\n-- End");
  await write("0001_one.sql", "CREATE TABLE one (id INTEGER);\n");
  const rows = await work(APPLIED, "INSERT INTO two VALUES (7) RETURNING id", "SELECT * FROM one");
  assert.deepEqual(rows, [
    [{ name: "0001_one.sql" }, { name: "0002_two.sql" }],
    [{ id: 7 }],
    [{ id: 2 }],
  ]);
});

test("a migration that fails leaves nothing of itself, and nothing else is done", async () => {
  await write("0003_three.sql", "CREATE TABLE three (id INTEGER); INSERT INTO nowhere VALUES (1);");
  await assert.rejects(work("DELETE FROM one"), {
    message: /^Bringing the database up to date failed\.\nno such table: nowhere/,
  });
});

test("put right, only that one is applied to what is there; statements succeed together or not at all", async () => {
  await write("0003_three.sql", "CREATE TABLE three (id INTEGER);");
  await assert.rejects(work("DELETE FROM one", "DELETE FROM one WHERE nonsense"), {
    message: /^The database said: no such column: nonsense/,
  });
  const [names, tables, ones] = await work(APPLIED, TABLES, "SELECT * FROM one");
  assert.equal(names?.length, 3);
  assert.deepEqual([tables, ones], [[{ names: "one,two,three" }], [{ id: 2 }]]);
});
