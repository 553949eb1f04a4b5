import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { unstable_splitSqlQuery as splitAsWrangler } from "wrangler";
import { inProject } from "../../src/cli/paths.ts";
import { splitSql } from "../../src/cli/split-sql.ts";

test("migrations split into the statements that wrangler sees", async () => {
  const squeeze = (statements: string[]) =>
    statements
      .map((one) =>
        one
          .replaceAll(/--[^\n]*/g, "")
          .replaceAll(/\s+/g, " ")
          .trim(),
      )
      .map((one) => one.replace(/;$/, ""))
      .filter((one) => one !== "");
  for (const name of await readdir(inProject("migrations"))) {
    if (!name.endsWith(".sql")) continue;
    const text = await readFile(inProject("migrations", name), "utf8");
    assert.deepEqual(squeeze(splitSql(text)), squeeze(splitAsWrangler(text)), name);
  }
});

const SPLITS: [string, string[]][] = [
  ["SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]],
  ["SELECT ';' -- a; b\n;", ["SELECT ';'"]],
  ["SELECT 'it''s; one'; /* ; */ SELECT \"a;b\";", ["SELECT 'it''s; one'", 'SELECT "a;b"']],
  [
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; SELECT 1; END; SELECT 3",
    [
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; SELECT 1; END",
      "SELECT 3",
    ],
  ],
];

for (const [text, statements] of SPLITS) {
  test(`splits ${text.slice(0, 40)}`, () => assert.deepEqual(splitSql(text), statements));
}
