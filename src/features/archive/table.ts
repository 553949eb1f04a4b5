import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";

export const archiveFiles = sqliteTable(
  "archive_files",
  {
    teamId: integer("team_id").notNull(),
    /** In UTC, such as 2025-03. */
    month: text("month").notNull(),
    part: integer("part").notNull(),
    fence: integer("fence").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    posts: integer("posts").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.month, table.part] })],
);

export type ArchiveFile = typeof archiveFiles.$inferSelect;

export const archiveMembers = sqliteTable(
  "archive_members",
  {
    teamId: integer("team_id").notNull(),
    month: text("month").notNull(),
    part: integer("part").notNull(),
    byteOffset: integer("byte_offset").notNull(),
    byteLength: integer("byte_length").notNull(),
    rawBytes: integer("raw_bytes").notNull(),
    posts: integer("posts").notNull(),
    firstId: integer("first_id").notNull(),
    lastId: integer("last_id").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    /** The lowest id, then the distance of each id from the one before. */
    ids: json<readonly number[]>("ids").notNull(),
    sha256: text("sha256").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.month, table.part, table.byteOffset] })],
);

export type ArchiveMember = typeof archiveMembers.$inferSelect;

/** What lists of posts read of a member. */
export const SPAN_PROPERTIES = [
  "teamId",
  "month",
  "part",
  "byteOffset",
  "byteLength",
  "posts",
  "firstAt",
  "lastAt",
  "sha256",
] as const satisfies (keyof ArchiveMember)[];

export type MemberSpan = Pick<ArchiveMember, (typeof SPAN_PROPERTIES)[number]>;
