import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "../../db/columns.ts";
import type { MediaItem, MediaKind } from "../../platforms/connector.ts";

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
    /** Only for presigned files, whose `sha256` hashes the object's key, ETag and size. */
    etag: text("etag"),
    /** SHA-256 of a presigned file's bytes, once computed. */
    contentSha256: text("content_sha256"),
    name: text("name"),
    keptAt: instant("kept_at"),
    /** A file that no post needs stays until then; null for files that came with a post. */
    expiresAt: instant("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256] })],
);

export interface StoredFile extends MediaItem {
  objectKey: string;
  isDamaged: boolean;
  /** Presigned files only: a replaced object has another ETag. */
  etag?: string;
  /** SHA-256 of a presigned file's bytes, unlike `sha256`; null when unknown. */
  contentSha256?: string | null;
  /** Null when unknown. */
  name?: string | null;
}

/** Posts that need a file: `posts` consecutive ids from `uploadId` on. */
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

/** Stays in the post's row after the file is deleted. */
export interface FileRef {
  sha256: string;
  kind: MediaKind;
  /** SHA-256 of a presigned file's bytes, to compare posts. */
  content?: string;
  from?: string;
  isGone?: true;
  hasThumbnail?: true;
}
