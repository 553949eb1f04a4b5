import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";

export const calendarFeeds = sqliteTable("calendar_feeds", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  createdBy: integer("created_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
});

export type FeedRow = typeof calendarFeeds.$inferSelect;
