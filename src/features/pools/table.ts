import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { RawSettings } from "../compose/new-post.ts";

/** A queue of media that recurring slots take posts from. */
export const pools = sqliteTable("pools", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  name: text("name").notNull(),
  /** IANA zone, in which its slots tell the time. */
  timezone: text("timezone").notNull(),
  isActive: flag("is_active").notNull().default(true),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
});

export type PoolRow = typeof pools.$inferSelect;

export const poolSlots = sqliteTable("pool_slots", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  poolId: integer("pool_id").notNull(),
  teamId: integer("team_id").notNull(),
  /** HH:MM on the wall. */
  time: text("time").notNull(),
  /** 0 is Sunday. */
  days: json<number[]>("days").notNull(),
  accountIds: json<string[]>("account_ids").notNull(),
  /** When it fires next; null while its pool is switched off. */
  nextAt: instant("next_at"),
  /** The local day that it fires for next, as 2026-12-01. */
  nextDay: text("next_day"),
  lastAt: instant("last_at"),
  /** The local day that it fired for last. */
  lastDay: text("last_day"),
  createdAt: instant("created_at").notNull(),
  /** Since when it has waited for an account that can be used; null while it does not. */
  waitingSince: instant("waiting_since"),
});

export type SlotRow = typeof poolSlots.$inferSelect;

/** A file of an item: one in storage by its content, or one that the publishing job is to download. */
export type ItemFile = { role: "photo" | "video" } & ({ sha256: string } | { url: string });

type ItemState = "queued" | "posting" | "dispatched" | "skipped" | "removed";

export const poolItems = sqliteTable("pool_items", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  poolId: integer("pool_id").notNull(),
  teamId: integer("team_id").notNull(),
  position: integer("position").notNull(),
  /** `posting`: its posts are on their way. `removed`: kept for a repeated call, then forgotten. */
  state: text("state").$type<ItemState>().notNull(),
  title: text("title").notNull(),
  description: text("description"),
  settings: json<RawSettings>("settings").notNull(),
  media: json<ItemFile[]>("media").notNull(),
  origin: text("origin").notNull(),
  addedBy: integer("added_by").notNull(),
  /** It was added with a right to publish; else its posts are held for approval. */
  mayPublish: flag("may_publish").notNull(),
  /** The firing that took it. */
  slotId: integer("slot_id"),
  fireAt: instant("fire_at"),
  /** Its posts, whose ids follow each other. */
  firstUploadId: integer("first_upload_id"),
  lastUploadId: integer("last_upload_id"),
  /** Why accounts were refused, in words. */
  reason: text("reason"),
  createdAt: instant("created_at").notNull(),
});

export type ItemRow = typeof poolItems.$inferSelect;

/** Files that waiting items need. */
export const poolFiles = sqliteTable(
  "pool_files",
  {
    teamId: integer("team_id").notNull(),
    sha256: text("sha256").notNull(),
    itemId: integer("item_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256, table.itemId] })],
);

/** `due`: still to be done. `item`: as its item ended. */
type FiringOutcome = "due" | "item" | "empty" | "skipped" | "missed";

/** One firing of a slot, and its outcome. */
export const poolFirings = sqliteTable(
  "pool_firings",
  {
    slotId: integer("slot_id").notNull(),
    fireAt: instant("fire_at").notNull(),
    poolId: integer("pool_id").notNull(),
    teamId: integer("team_id").notNull(),
    localDay: text("local_day").notNull(),
    /** The slot as it was. */
    time: text("time").notNull(),
    timezone: text("timezone").notNull(),
    accountIds: json<string[]>("account_ids").notNull(),
    outcome: text("outcome").$type<FiringOutcome>().notNull(),
    itemId: integer("item_id"),
    reason: text("reason"),
    /** When its message was sent last. */
    wokenAt: instant("woken_at").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.slotId, table.fireAt] })],
);

export type FiringRow = typeof poolFirings.$inferSelect;
