import texts from "texts:src";
import { expect, test } from "vitest";

const SOURCES = Object.entries(texts).map(([path, text]) => ({ path, text }));

const pathsOf = (pattern: RegExp, isAllowed: (path: string) => boolean): string[] =>
  SOURCES.flatMap(({ path, text }) => (!isAllowed(path) && pattern.test(text) ? [path] : []));

/** Where SQL stands: in a feature's repo and tables, and in what builds and sends it. */
const holdsSql = (path: string): boolean =>
  /(^|\/)(repo|table)\.ts$|\/repo\//.test(path) || path.startsWith("db/");

/** Programs with other databases than a feature's: the simulators' own, and the operator's, over wrangler. */
const isApart = (path: string): boolean => /^(sandbox|cli)\//.test(path);

/** A value of Drizzle, or one of `db/client.ts` that is no connection: what SQL is made of; and SQL as text. */
const MAKES_SQL = new RegExp(
  [
    `^import (?!type )[^;]*from "drizzle-orm[^"]*"`,
    String.raw`^import \{[^;]*\b(sqlQuery|sqlWrite|prepared|preparedWrite|orm)\b[^;]*db/client\.ts"`,
    String.raw`\b(SELECT\s[^;]+?\sFROM|INSERT( OR \w+)? INTO|DELETE FROM)\s[a-z_]+\b`,
    String.raw`\bUPDATE [a-z_]+( AS \w+)?\s+SET\b`,
    String.raw`\.DB\.`,
    "sql`",
  ].join("|"),
  "m",
);

/** Statements that write a table, by hand or by Drizzle. */
const writes = (table: string): RegExp =>
  new RegExp(
    String.raw`(INSERT( OR \w+)? INTO|UPDATE( OR \w+)?|DELETE FROM|REPLACE INTO)\s+"?(\$\{)?${table}\b` +
      String.raw`|\b(insertInto|insertIf)\(${table}\b`,
  );

test("every source is looked at", () => {
  expect(SOURCES.length).toBeGreaterThan(200);
  expect(pathsOf(MAKES_SQL, isApart).filter(holdsSql).length).toBeGreaterThan(20);
});

test("SQL stands in repos alone", () => {
  expect(pathsOf(MAKES_SQL, (path) => holdsSql(path) || isApart(path))).toEqual([]);
});

test.each([
  ["events", /^features\/events\/repo\.ts$/],
  ["uploads", /^features\/(compose\/repo\/insert|posts\/repo\/write)\.ts$/],
  ["media_uses", /^features\/(posts\/repo\/write|publishing\/repo\/spent-files)\.ts$/],
  ["posts", /^sandbox\/kit\/store\.ts$/],
])("the rows of %s have one writer", (table, writer) => {
  expect(pathsOf(writes(table), (path) => writer.test(path))).toEqual([]);
  expect(pathsOf(writes(table), (path) => !writer.test(path))).not.toEqual([]);
});

test.each(["failWaiting", "dropFromSlots"])(
  "an account's end is put together in one place: %s",
  (name) => {
    const named = new RegExp(String.raw`\b${name}\b`);
    const isDefinition = (path: string) => /^features\/(ending|pools)\//.test(path);
    expect(pathsOf(named, isDefinition)).toEqual(["features/disconnect/service.ts"]);
  },
);
