import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";
import type { RouteName } from "./rules.ts";

/** A file that its sender puts into storage without us. */
export const presigns = sqliteTable("presigns", {
  id: integer("id").primaryKey(),
  teamId: integer("team_id").notNull(),
  userId: integer("user_id").notNull(),
  /** The token that it was presigned by; null for a person who was signed in. */
  tokenId: integer("token_id"),
  route: text("route").$type<RouteName>().notNull(),
  objectKey: text("object_key").notNull(),
  name: text("name").notNull(),
  /** As declared; storage takes nothing else. */
  sizeBytes: integer("size_bytes").notNull(),
  mime: text("mime").notNull(),
  /** Size of its parts but the last; null for a single PUT. */
  partBytes: integer("part_bytes"),
  /** The storage's name for the multipart upload; null for a single PUT. */
  uploadId: text("upload_id"),
  createdAt: instant("created_at").notNull(),
  /** Nothing is accepted for it after this. */
  expiresAt: instant("expires_at").notNull(),
  /** Its parts were put together. */
  completedAt: instant("completed_at"),
  abortedAt: instant("aborted_at"),
  /** Its object went, or was about to go. */
  removedAt: instant("removed_at"),
});
