import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";
import type { PeriodFilter } from "../analytics/period.ts";

export const reports = sqliteTable("reports", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  createdBy: integer("created_by").notNull(),
  tokenId: integer("token_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  title: text("title"),
  filter: json<PeriodFilter>("filter").notNull(),
  /** Null for the newest days, whenever it is opened. */
  lastDay: integer("last_day"),
});

export type ReportRow = typeof reports.$inferSelect;
