import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";
import type { RouteName } from "./rules.ts";

export const presigns = sqliteTable("presigns", {
  id: integer("id").primaryKey(),
  teamId: integer("team_id").notNull(),
  userId: integer("user_id").notNull(),
  /** Null for a person who was signed in. */
  tokenId: integer("token_id"),
  route: text("route").$type<RouteName>().notNull(),
  objectKey: text("object_key").notNull(),
  name: text("name").notNull(),
  /** The declared size, which storage enforces. */
  sizeBytes: integer("size_bytes").notNull(),
  mime: text("mime").notNull(),
  /** Null for a single PUT. */
  partBytes: integer("part_bytes"),
  /** Null for a single PUT. */
  uploadId: text("upload_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  completedAt: instant("completed_at"),
  abortedAt: instant("aborted_at"),
  /** Set before the object is deleted. */
  removedAt: instant("removed_at"),
});
