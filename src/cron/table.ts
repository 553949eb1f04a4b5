import { sqliteTable, text } from "drizzle-orm/sqlite-core";

export const chores = sqliteTable("chores", {
  name: text("name").primaryKey(),
  /** Name of the last round. */
  round: text("day").notNull(),

  /** Cursor of the next page; null when the round is done. */
  cursor: text("cursor"),
});
