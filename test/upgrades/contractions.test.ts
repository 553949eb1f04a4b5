import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type Contraction, findContractions } from "./contractions.ts";
import { EARLIER } from "./earlier.ts";

/**
 * Statements of new migrations that contract, by their beginnings, and why the script before them works on regardless.
 * They leave this list once a state is newer than their migration.
 */
const ALLOWED: Record<string, string> = {};

const newest = EARLIER.at(-1);

test("migrations since the newest state only expand: the script before them works on their schema", () => {
  const applied = (newest?.statements ?? []).flatMap((statement) => {
    const [, name] = /^INSERT INTO "d1_migrations" .*'(\d{4}_\w+\.sql)'/.exec(statement) ?? [];
    return name ?? [];
  });
  expect(applied.length).toBeGreaterThan(0);
  const fresh = env.TEST_MIGRATIONS.filter(({ name }) => !applied.includes(name));
  const contractions = findContractions(fresh.flatMap(({ queries }) => queries));
  const beginnings = Object.keys(ALLOWED);
  const isAllowed = ({ statement }: Contraction) =>
    beginnings.some((beginning) => statement.startsWith(beginning));
  expect(contractions.filter((one) => !isAllowed(one))).toEqual([]);
  const unused = beginnings.filter(
    (beginning) => !contractions.some(({ statement }) => statement.startsWith(beginning)),
  );
  expect(unused).toEqual([]);
});

test.each([
  ["DROP TABLE old", "drops a table"],
  ["drop table if exists old", "drops a table"],
  ["ALTER TABLE old DROP COLUMN a", "drops a column"],
  ["ALTER TABLE old RENAME TO new", "renames a table or a column"],
  ["ALTER TABLE old RENAME COLUMN a TO b", "renames a table or a column"],
  [
    "ALTER TABLE old ADD COLUMN a TEXT NOT NULL",
    "adds a column that every insert would have to name",
  ],
  [
    "-- Why.\nALTER TABLE old\n  ADD a INTEGER NOT NULL",
    "adds a column that every insert would have to name",
  ],
  ["ALTER TABLE old ADD COLUMN a TEXT CHECK (a IN ('x'))", "adds a column with a constraint"],
  ["CREATE UNIQUE INDEX once ON old (a)", "makes values unique that were not"],
  [
    "CREATE TRIGGER t AFTER INSERT ON old BEGIN SELECT 1; END",
    "adds a trigger to a table that the script before writes",
  ],
  [
    "CREATE TRIGGER t BEFORE UPDATE OF a, b ON old WHEN NEW.a = 1 BEGIN SELECT 1; END",
    "adds a trigger to a table that the script before writes",
  ],
  ["DROP TRIGGER t", "drops a trigger"],
  ["DELETE FROM old", "deletes rows"],
])("%j contracts: it %s", (statement, problem) => {
  expect(findContractions([statement]).map((one) => one.problem)).toEqual([problem]);
});

test.each([
  ["ALTER TABLE old ADD COLUMN a TEXT"],
  ["ALTER TABLE old ADD COLUMN a INTEGER NOT NULL DEFAULT 0"],
  ["CREATE INDEX by_a ON old (a)"],
  ["DROP INDEX by_a"],
  ["CREATE TABLE new (a TEXT NOT NULL UNIQUE) STRICT"],
  ["UPDATE old SET a = 1"],
  ["-- DROP TABLE old\nCREATE TABLE new (a TEXT) STRICT"],
])("%j expands", (statement) => {
  expect(findContractions([statement])).toEqual([]);
});

test("what a new migration has made itself, a new migration may change", () => {
  const made = [
    "CREATE TABLE new (a TEXT) STRICT",
    "CREATE TRIGGER t AFTER INSERT ON new BEGIN SELECT 1; END",
  ];
  const changes = ["CREATE UNIQUE INDEX once ON new (a)", "DROP TRIGGER t", "DROP TABLE new"];
  expect(findContractions([...made, ...changes])).toEqual([]);
});
