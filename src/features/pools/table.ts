import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { RawSettings } from "../compose/new-post.ts";

export const pools = sqliteTable("pools", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  name: text("name").notNull(),
  /** IANA zone. */
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
  /** Local time, as HH:MM. */
  time: text("time").notNull(),
  /** 0 is Sunday. */
  days: json<number[]>("days").notNull(),
  accountIds: json<string[]>("account_ids").notNull(),
  /** Null while the pool is off. */
  nextAt: instant("next_at"),
  /** Local, such as 2026-12-01. */
  nextDay: text("next_day"),
  lastAt: instant("last_at"),
  lastDay: text("last_day"),
  createdAt: instant("created_at").notNull(),
  /** Null unless the slot waits for a usable account. */
  waitingSince: instant("waiting_since"),
});

export type SlotRow = typeof poolSlots.$inferSelect;

export type ItemFile = { role: "photo" | "video" } & ({ sha256: string } | { url: string });

export const poolItems = sqliteTable("pool_items", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  poolId: integer("pool_id").notNull(),
  teamId: integer("team_id").notNull(),
  position: integer("position").notNull(),
  /** `posting`: its posts are in progress. `removed`: kept for a repeated call, then deleted. */
  state: text("state", {
    enum: ["queued", "posting", "dispatched", "skipped", "removed"],
  }).notNull(),
  title: text("title").notNull(),
  description: text("description"),
  settings: json<RawSettings>("settings").notNull(),
  media: json<ItemFile[]>("media").notNull(),
  origin: text("origin").notNull(),
  addedBy: integer("added_by").notNull(),
  /** If false, the item's posts await approval. */
  mayPublish: flag("may_publish").notNull(),
  slotId: integer("slot_id"),
  fireAt: instant("fire_at"),
  /** The item's post ids are consecutive. */
  firstUploadId: integer("first_upload_id"),
  lastUploadId: integer("last_upload_id"),
  reason: text("reason"),
  createdAt: instant("created_at").notNull(),
  repeatDays: integer("repeat_days"),
  /** Publications in total. */
  repeatTimes: integer("repeat_times"),
  variants: json<string[]>("variants"),
  dispatches: integer("dispatches").notNull().default(0),
  failures: integer("failures").notNull().default(0),
  lastLocal: text("last_local"),
  excluded: json<Record<string, string>>("excluded"),
});

export type ItemRow = typeof poolItems.$inferSelect;

export const poolFiles = sqliteTable(
  "pool_files",
  {
    teamId: integer("team_id").notNull(),
    sha256: text("sha256").notNull(),
    itemId: integer("item_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256, table.itemId] })],
);

/** `due`: not carried out yet. `item`: the item's `state` tells how the firing ended. */
export const poolFirings = sqliteTable(
  "pool_firings",
  {
    slotId: integer("slot_id").notNull(),
    fireAt: instant("fire_at").notNull(),
    poolId: integer("pool_id").notNull(),
    teamId: integer("team_id").notNull(),
    localDay: text("local_day").notNull(),
    /** Time, zone and accounts when the slot fired. */
    time: text("time").notNull(),
    timezone: text("timezone").notNull(),
    accountIds: json<string[]>("account_ids").notNull(),
    outcome: text("outcome", { enum: ["due", "item", "empty", "skipped", "missed"] }).notNull(),
    itemId: integer("item_id"),
    reason: text("reason"),
    /** When the last queue message was sent. */
    wokenAt: instant("woken_at").notNull(),
    createdAt: instant("created_at").notNull(),
    firstUploadId: integer("first_upload_id"),
    lastUploadId: integer("last_upload_id"),
  },
  (table) => [primaryKey({ columns: [table.slotId, table.fireAt] })],
);

export type FiringRow = typeof poolFirings.$inferSelect;
