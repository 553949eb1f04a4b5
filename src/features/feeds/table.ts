import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";

export const FEED_STATUSES = ["draft", "pending_approval"] as const;

export const feeds = sqliteTable("feeds", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  url: text("url").notNull(),
  accountIds: json<string[]>("account_ids").notNull(),
  template: text("template").notNull(),
  /** Null: the posts go out at once. */
  status: text("status", { enum: FEED_STATUSES }),
  takesPicture: flag("takes_picture").notNull(),
  isActive: flag("is_active").notNull(),
  createdBy: integer("created_by").notNull(),
  mayPublish: flag("may_publish").notNull(),
  origin: text("origin").notNull(),
  createdAt: instant("created_at").notNull(),
  nextAt: instant("next_at").notNull(),
  checkedAt: instant("checked_at"),
  etag: text("etag"),
  lastModified: text("last_modified"),
  failures: integer("failures").notNull(),
  problem: text("problem"),
});

export type FeedRow = typeof feeds.$inferSelect;

export const feedEntries = sqliteTable(
  "feed_entries",
  {
    feedId: integer("feed_id").notNull(),
    key: text("key").notNull(),
    teamId: integer("team_id").notNull(),
    seenAt: instant("seen_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.feedId, table.key] })],
);
