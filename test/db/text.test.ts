import { and, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { assignments, insertInto } from "../../src/db/assignments.ts";
import { type Params, prepareText, textOf } from "../../src/db/text.ts";
import { tokens } from "../../src/features/auth/table.ts";

const AT = new Date(5);
const own = and(eq(tokens.userId, 1), eq(tokens.revokedAt, AT));

const STATEMENTS: [string, SQLWrapper][] = [
  [
    "a condition of operators",
    sql`SELECT * FROM ${tokens} WHERE ${own} ORDER BY ${desc(tokens.id)}`,
  ],
  [
    "an update",
    sql`UPDATE tokens SET ${assignments(tokens, { revokedAt: AT, scopes: ["*"] })} WHERE ${own}`,
  ],
  [
    "an insert",
    insertInto(tokens, {
      hash: "h",
      name: "it's",
      hint: "",
      userId: 1,
      scopes: ["*"],
      createdAt: AT,
    }),
  ],
  [
    "a list of values and names",
    sql`SELECT ${tokens.id}, '?' FROM ${tokens} WHERE ${own} AND ${undefined} name IN ${["a", null]}
      AND ${sql.identifier("hint")} = ${sql.raw("1")} AND ${sql.param(AT, tokens.createdAt)} > 0`,
  ],
];

test.each(STATEMENTS)("%s has the text that Drizzle gives it", (_, statement) => {
  const { sql: text, params } = new SQLiteSyncDialect().sqlToQuery(statement.getSQL());
  expect(textOf(statement)).toEqual({ sql: text, params });
});

test("a prepared statement is built once, and takes values as they are stored", () => {
  let builds = 0;
  const revoke = prepareText(
    ({ id, at, isOn }: Params<{ id: number; at: Date; isOn: boolean }>) => {
      builds++;
      return sql`UPDATE tokens SET ${assignments(tokens, { revokedAt: at })}
        WHERE ${tokens.id} = ${id} AND '?' <> ${at} AND ${isOn}`;
    },
  );
  expect(revoke({ id: 1, at: AT, isOn: true })).toEqual({
    sql: `UPDATE tokens SET revoked_at = ?
        WHERE "tokens"."id" = ? AND '?' <> ? AND ?`,
    params: [5, 1, 5, 1],
  });
  expect(revoke({ id: 2, at: new Date(6), isOn: false }).params).toEqual([6, 2, 6, 0]);
  expect(builds).toBe(1);
});

test("a value of a prepared statement may be SQL with values of its own", () => {
  const read = prepareText(
    ({ team, id }: Params<{ team: SQL; id: number }>) =>
      sql`SELECT 1 WHERE ${team} = ${id} AND ${team}`,
  );
  expect(read({ team: sql`(SELECT ${"a"})`, id: 3 })).toEqual({
    sql: "SELECT 1 WHERE (SELECT ?) = ? AND (SELECT ?)",
    params: ["a", 3, "a"],
  });
});

test("a value behind LIMIT stands in a sum, so that its statement is not prepared at each call", () => {
  const few = sql`SELECT id FROM tokens LIMIT ${3}`;
  expect(textOf(few)).toEqual({ sql: "SELECT id FROM tokens LIMIT (? + 0)", params: [3] });
  const page = prepareText(
    ({ limit, skipped }: Params<{ limit: number; skipped: number }>) =>
      sql`SELECT 1 LIMIT ${limit} OFFSET ${skipped}`,
  );
  expect(page({ limit: 5, skipped: 10 })).toEqual({
    sql: "SELECT 1 LIMIT (? + 0) OFFSET ?",
    params: [5, 10],
  });
});

test("a row is inserted by its columns; what else it has is left out", () => {
  const row = { hash: "h", name: "n", hint: "", userId: 1, scopes: ["*" as const], createdAt: AT };
  const wider = { ...row, teamId: null, revokedAt: undefined, service: "elsewhere" };
  expect(textOf(insertInto(tokens, wider))).toEqual({
    sql: 'INSERT INTO "tokens" (hash, name, hint, user_id, scopes, created_at, team_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
    params: ["h", "n", "", 1, '["*"]', 5, null],
  });
});
