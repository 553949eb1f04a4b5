import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";

export const reviewLinks = sqliteTable("review_links", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** In the order of the page. */
  uploadIds: json<number[]>("upload_ids").notNull(),
  createdBy: integer("created_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export type ReviewLinkRow = typeof reviewLinks.$inferSelect;

export const reviewPosts = sqliteTable(
  "review_posts",
  {
    teamId: integer("team_id").notNull(),
    uploadId: integer("upload_id").notNull(),
    linkId: integer("link_id").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.uploadId, table.linkId] })],
);

export type ReviewPostRow = typeof reviewPosts.$inferSelect;
