import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { quote, sql } from "../../src/cli/sql.ts";

const HOSTILE = [
  "it's",
  "'",
  "''",
  "'; DROP TABLE users; --",
  "\\'; DELETE FROM users; --",
  '"; DROP TABLE users; --',
  "/* comment",
  "-- comment",
  "line\nbreak;\r\n",
  "‘ ʼ ＇ ́",
  "emoji 🧡 \u{10FFFF}",
  "$1 ? :name @name {x}",
  "%s %_ \\",
  "",
];

for (const text of HOSTILE) {
  test(`the database reads ${JSON.stringify(text)} back as it was`, () => {
    const database = new DatabaseSync(":memory:");
    const row = database.prepare(`SELECT ${quote(text)} AS text, 1 AS end`).get();
    assert.deepEqual({ ...row }, { text, end: 1 });
  });
}

test("refuses NUL, at which the statement would end", () => {
  assert.throws(() => quote("a\0' OR 1"), /NUL/);
});

for (const number of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
  test(`refuses ${number}, which is not exactly whole`, () => {
    assert.throws(() => quote(number), /whole number/);
  });
}

test("a statement quotes each of its values", () => {
  assert.equal(
    sql`SELECT * FROM t WHERE a = ${"o'neil"} AND b = ${-7} AND c IS ${null}`,
    "SELECT * FROM t WHERE a = 'o''neil' AND b = -7 AND c IS NULL",
  );
});
