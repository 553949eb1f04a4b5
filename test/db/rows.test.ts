import { integer } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { flag } from "../../src/db/columns.ts";
import { pickColumns, renamed, rowReader, valueReader } from "../../src/db/rows.ts";
import { tokens } from "../../src/features/auth/table.ts";

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
