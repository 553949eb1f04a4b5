import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import type { Level } from "./rules.ts";

export const databaseSizes = sqliteTable("database_sizes", {
  /** In UTC days since 1970. */
  day: integer("day").primaryKey(),
  sizeBytes: integer("size_bytes").notNull(),
  level: integer("level").$type<Level>().notNull(),
});
