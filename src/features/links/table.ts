import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { Click } from "../../queue/messages.ts";

import type { StoredRule } from "./evaluate.ts";

export type { Click };

export const shortLinks = sqliteTable("short_links", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** 0: the instance's own address. */
  domainId: integer("domain_id").notNull(),
  slug: text("slug").notNull(),
  /** The slug as it is compared. A deleted link keeps it, until its team gives it to another. */
  slugKey: text("slug_key"),
  destination: text("destination").notNull(),
  clicks: integer("clicks").notNull(),
  isActive: flag("is_active").notNull(),
  useDeeplink: flag("use_deeplink").notNull(),
  botProtection: flag("bot_protection").notNull(),
  safeUrl: text("safe_url"),
  title: text("title"),
  description: text("description"),
  imageUrl: text("image_url"),
  createdBy: integer("created_by").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
  /** The highest priority first. */
  rules: json<StoredRule[]>("rules").notNull(),
});

/** The team that had a slug of the instance's own address first. A row outlives its link and its team. */
export const slugOwners = sqliteTable("slug_owners", {
  /** The slug as it is compared. */
  slugKey: text("slug_key").primaryKey(),
  teamId: integer("team_id").notNull(),
});

/** The clicks of a link that one message brought. */
export const linkClicks = sqliteTable(
  "link_clicks",
  {
    linkId: integer("link_id").notNull(),
    /** When the first of them was, ms. */
    at: integer("at").notNull(),
    message: text("message").notNull(),
    count: integer("count").notNull(),
    clicks: json<Click[]>("clicks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.at, table.message] })],
);

/** Clicks by their country or device; an unknown country is "". */
export type Counts = Record<string, number>;

/** The clicks of a link on one day. */
export const linkDays = sqliteTable(
  "link_days",
  {
    linkId: integer("link_id").notNull(),
    /** Days since 1970, UTC. */
    day: integer("day").notNull(),
    clicks: integer("clicks").notNull(),
    countries: json<Counts>("countries").notNull(),
    devices: json<Counts>("devices").notNull(),
    /** Clicks of the day that were counted and not kept singly. */
    countedOnly: integer("counted_only").notNull(),
    /** The newest minute of the day that had a click (minutes since 1970), and the clicks in it so far. */
    minute: integer("minute").notNull(),
    minuteClicks: integer("minute_clicks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.day] })],
);

/** The messages whose clicks of a link were counted and not kept: one that comes again finds its row. */
export const countedMessages = sqliteTable(
  "counted_messages",
  {
    /** When the first of the clicks was, ms. */
    at: integer("at").notNull(),
    linkId: integer("link_id").notNull(),
    message: text("message").notNull(),
  },
  (table) => [primaryKey({ columns: [table.at, table.linkId, table.message] })],
);
