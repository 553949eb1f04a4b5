import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";
import type { StoredPost } from "./rules/snapshots.ts";
import type { Summary } from "./rules/summary.ts";
import type { StoredSeries } from "./stored.ts";

export interface CollectionBookmark {
  cursor: string;
  read: number;
  /** Refusals in a row at this cursor. */
  refusals: number;
}

export interface SyncError {
  message: string;
  /** In ms since 1970. */
  at: number;
}

export const analytics = sqliteTable(
  "analytics",
  {
    teamId: integer("team_id").notNull(),
    accountId: text("account_id").notNull(),
    version: integer("version").notNull(),
    /** The last collection. */
    night: text("night"),
    bookmark: json<CollectionBookmark>("bookmark"),
    syncedAt: instant("synced_at"),
    errors: json<SyncError[]>("errors").notNull(),
    series: json<StoredSeries>("series").notNull(),
    summary: json<Summary>("summary").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.accountId] })],
);

export const analyticsPosts = sqliteTable(
  "analytics_posts",
  {
    teamId: integer("team_id").notNull(),
    accountId: text("account_id").notNull(),
    posts: json<readonly StoredPost[]>("posts").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.accountId] })],
);
