import { getTableColumns } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { flag } from "../../src/db/columns.ts";
import { packedRows, pickColumns, renamed, rowReader, valueReader } from "../../src/db/rows.ts";
import { textOf } from "../../src/db/text.ts";
import { tokens } from "../../src/features/auth/table.ts";
import { uploads } from "../../src/features/posts/table.ts";

test("a row is read as its columns say, whatever the statement calls them", () => {
  const read = rowReader({
    ...pickColumns(tokens, ["id", "scopes", "revokedAt"]),
    createdAt: renamed(tokens.createdAt, "made"),
    total: integer().notNull(),
    isNew: flag("is_new").notNull(),
  });
  const row = { id: 1, scopes: '["*"]', revoked_at: null, made: 5, total: 2, is_new: 1 };
  expect(read(row)).toEqual({
    id: 1,
    scopes: ["*"],
    revokedAt: null,
    createdAt: new Date(5),
    total: 2,
    isNew: true,
  });
});

test("a column that the statement does not answer is a fault, and never read as null", () => {
  expect(() => valueReader(tokens.revokedAt)({ revoked: 5 })).toThrow("no column revoked_at");
});

test("a packed row is read as its columns say", () => {
  const { read } = packedRows(pickColumns(tokens, ["id", "scopes", "createdAt", "revokedAt"]));
  const row = { packed: JSON.stringify([[1, '["*"]', 5, null]]) };
  expect(read(row)).toEqual({ id: 1, scopes: ["*"], createdAt: new Date(5), revokedAt: null });
});

test("a packed row gives no function more arguments than the database takes", () => {
  const [, ...calls] = textOf(packedRows(uploads).column).sql.split("json_array(").slice(1);
  const counts = calls.map((call) => call.split(", ").filter((part) => part !== "").length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(32);
  expect(counts.reduce((sum, count) => sum + count)).toBe(
    Object.keys(getTableColumns(uploads)).length,
  );
});
