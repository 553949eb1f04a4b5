import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Database } from "../../src/cli/backup/database.ts";
import { restoreInto } from "../../src/cli/backup/restore.ts";
import { inProject } from "../../src/cli/paths.ts";
import { SELECT_TABLES } from "../../src/db/lines.ts";
import type { Manifest } from "../../src/features/backup/manifest.ts";
import { type StoredTable, tablesOf } from "../../src/features/backup/manifest.ts";

const folder = inProject("migrations");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();

const schema = new DatabaseSync(":memory:");
for (const name of names) schema.exec(readFileSync(join(folder, name), "utf8"));
const stored = schema.prepare(SELECT_TABLES).all() as unknown as StoredTable[];

/** Of a backup without rows. */
const wholeManifest = (): Manifest => ({
  format: 1,
  id: "2026-11-28T030412Z",
  version: "1.0.0",
  from: "2026-11-28T03:04:12.000Z",
  to: "2026-11-28T03:04:13.000Z",
  migrations: [...names],
  sequences: {},
  tables: tablesOf(stored).map(({ name, columns, key }) => ({
    name,
    columns,
    key,
    rows: 0,
    slices: [],
  })),
  objects: null,
  settings: { values: {}, secrets: [] },
  encryptionKeys: [],
  lacks: "",
});

function tableOf(tables: Manifest["tables"], name: string): Manifest["tables"][number] {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`The backup has no table ${name}.`);
  return table;
}

const nameTokens = (tables: Manifest["tables"], name: string): void => {
  tableOf(tables, "tokens").name = name;
};

/** A restore that looks into it or writes to it fails by another error. */
const untouched = new Proxy({} as Database, {
  get: (_, name) => () => {
    throw new Error(`${String(name)} was called.`);
  },
});

const TAMPERED: [string, (manifest: Manifest) => void, RegExp][] = [
  ...["sqlite_sequence", "sqlite_master", "restoring_run", "backups", "_cf_KV", "other"].map(
    (name): (typeof TAMPERED)[number] => [
      `a table ${name}`,
      ({ tables }) => nameTokens(tables, name),
      new RegExp(`nothing was written\\.\\n- ${name} is not a table of a backup`),
    ],
  ),
  [
    "one table twice",
    ({ tables }) => tables.push({ ...tableOf(tables, "teams"), rows: 0, slices: [] }),
    /- teams is listed twice/,
  ],
  [
    "another column",
    ({ tables }) => tableOf(tables, "tokens").columns.push({ name: "more", as: "plain" }),
    /- tokens has other columns/,
  ],
  [
    "a column less",
    ({ tables }) => tableOf(tables, "tokens").columns.pop(),
    /- tokens has other columns/,
  ],
  [
    "another kind of column",
    ({ tables }) => {
      for (const column of tableOf(tables, "tokens").columns) column.as = "typed";
    },
    /- tokens has other columns/,
  ],
  [
    "another key",
    ({ tables }) => {
      tableOf(tables, "tokens").key = ['hash" FROM tokens; --'];
    },
    /- tokens has other columns or another key/,
  ],
  [
    "no first migration",
    ({ migrations: names }) => names.shift(),
    /0002\w+\.sql does not follow the migrations before it\. Nothing was written/,
  ],
  [
    "a migration left out",
    ({ migrations: names }) => names.splice(2, 1),
    /0005\w+\.sql does not follow/,
  ],
  [
    "a migration twice",
    ({ migrations: names }) => names.splice(1, 0, names[0] ?? ""),
    /0001\w+\.sql does not follow/,
  ],
  [
    "migrations in another order",
    ({ migrations: names }) => names.reverse(),
    /does not follow the migrations/,
  ],
  [
    "an older schema than its tables",
    ({ migrations: names }) => names.splice(1),
    /is not a table of a backup with these migrations/,
  ],
];

for (const [what, change, reason] of TAMPERED) {
  test(`a manifest with ${what} is refused before the database is touched`, async () => {
    const manifest = wholeManifest();
    change(manifest);
    await assert.rejects(
      restoreInto(untouched, "no-folder", manifest, { startOver: false }),
      reason,
    );
  });
}

test("a manifest as the instance wrote it gets as far as the database", () =>
  assert.rejects(
    restoreInto(untouched, "no-folder", wholeManifest(), { startOver: false }),
    /read was called/,
  ));
