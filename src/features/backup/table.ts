import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";

export const backups = sqliteTable("backups", {
  id: text("id").primaryKey(),
  startedAt: instant("started_at").notNull(),
  finishedAt: instant("finished_at"),
  rows: integer("rows").notNull().default(0),
  bytes: integer("bytes").notNull().default(0),
  error: text("error"),
  toldAt: instant("told_at"),
});

export type BackupRow = typeof backups.$inferSelect;

export const backupSlices = sqliteTable(
  "backup_slices",
  {
    backupId: text("backup_id").notNull(),
    number: integer("number").notNull(),
    source: text("source").notNull(),
    rows: integer("rows").notNull(),
    bytes: integer("bytes").notNull(),
    sha256: text("sha256").notNull(),
  },
  (table) => [primaryKey({ columns: [table.backupId, table.number] })],
);

export type SliceRow = typeof backupSlices.$inferSelect;
