import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the work of a night has come. */
export const chores = sqliteTable("chores", {
  name: text("name").primaryKey(),
  day: text("day").notNull(),
  cursor: text("cursor"),
});
