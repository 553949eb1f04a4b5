import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";
import type { StoredPost } from "./rules/snapshots.ts";
import type { Summary } from "./rules/summary.ts";
import type { StoredSeries } from "./stored.ts";

/** Where the collection of a night goes on. */
export interface CollectionBookmark {
  /** Place in the platform's own listing. */
  cursor: string;
  /** Posts read so far. */
  read: number;
  /** Refusals in a row at this place. */
  refusals: number;
}

/** A part of a sync that could not be read, and why. */
export interface SyncError {
  message: string;
  /** In ms. */
  at: number;
}

/** The part of an account's figures that an overview reads. */
export const analytics = sqliteTable(
  "analytics",
  {
    teamId: integer("team_id").notNull(),
    accountId: text("account_id").notNull(),
    /** Rises with every write. */
    version: integer("version").notNull(),
    /** The night whose collection was worked on last; null before the first. */
    night: text("night"),
    /** Null once that night's collection is done. */
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
