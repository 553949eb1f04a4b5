import { and, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { orm } from "../../src/db/builder.ts";
import { type Params, prepareText, textOf } from "../../src/db/text.ts";
import { tokens } from "../../src/features/auth/table.ts";

const AT = new Date(5);
const own = and(eq(tokens.userId, 1), eq(tokens.revokedAt, AT));

const STATEMENTS: [string, SQLWrapper][] = [
  ["a select", orm.select().from(tokens).where(own).orderBy(desc(tokens.id))],
  [
    "an update",
    orm
      .update(tokens)
      .set({ revokedAt: AT, scopes: ["*"] })
      .where(own)
      .returning(),
  ],
  ["a delete", orm.delete(tokens).where(own)],
  [
    "an insert",
    orm
      .insert(tokens)
      .values({ hash: "h", name: "it's", hint: "", userId: 1, scopes: ["*"], createdAt: AT })
      .onConflictDoNothing(),
  ],
  [
    "SQL by hand",
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
      return orm
        .update(tokens)
        .set({ revokedAt: at })
        .where(sql`${tokens.id} = ${id} AND '?' <> ${at} AND ${isOn}`);
    },
  );
  expect(revoke({ id: 1, at: AT, isOn: true })).toEqual({
    sql: `update "tokens" set "revoked_at" = ? where "tokens"."id" = ? AND '?' <> ? AND ?`,
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
  const few = orm.select({ id: tokens.id }).from(tokens).limit(3);
  expect(textOf(few)).toEqual({ sql: 'select "id" from "tokens" limit (? + 0)', params: [3] });
  const page = prepareText(
    ({ limit, skipped }: Params<{ limit: number; skipped: number }>) =>
      sql`SELECT 1 LIMIT ${limit} OFFSET ${skipped}`,
  );
  expect(page({ limit: 5, skipped: 10 })).toEqual({
    sql: "SELECT 1 LIMIT (? + 0) OFFSET ?",
    params: [5, 10],
  });
});
