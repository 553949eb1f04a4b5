import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "../../db/columns.ts";
import type { MediaKind } from "../../platforms/connector.ts";

/** A file, stored once per team and content. */
export const media = sqliteTable(
  "media",
  {
    teamId: integer("team_id").notNull(),
    sha256: text("sha256").notNull(),
    objectKey: text("object_key").notNull(),
    kind: text("kind").$type<MediaKind>().notNull(),
    mime: text("mime").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    width: integer("width"),
    height: integer("height"),
    isDamaged: flag("is_damaged").notNull().default(false),
    createdAt: instant("created_at").notNull(),
    /** Pins the object of a presigned file, whose `sha256` is that of key, ETag and size; null for others. */
    etag: text("etag"),
    /** SHA-256 of a presigned file's bytes, once it was needed. */
    contentSha256: text("content_sha256"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256] })],
);

/** Which posts need a file: `posts` of them, their ids following each other from `uploadId` on. */
export const mediaUses = sqliteTable(
  "media_uses",
  {
    teamId: integer("team_id").notNull(),
    sha256: text("sha256").notNull(),
    uploadId: integer("upload_id").notNull(),
    posts: integer("posts").notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256, table.uploadId] })],
);

/** A file as a post's row names it, and what became of it once the post needed it no more. */
export interface FileRef {
  sha256: string;
  kind: MediaKind;
  /** SHA-256 of a presigned file's bytes, where posts are compared by that. */
  content?: string;
  /** The URL from which it was downloaded for the post. */
  from?: string;
  isGone?: true;
  /** It was an image whose thumbnail is kept. */
  hasThumbnail?: true;
}
