import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the work of a night has come. */
export const chores = sqliteTable("chores", {
  name: text("name").primaryKey(),
  /** Name of the round that was worked on last. */
  round: text("day").notNull(),

  /** Where its next page begins; null once it is done. */
  cursor: text("cursor"),
});
