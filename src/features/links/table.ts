import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { Click } from "../../queue/messages.ts";
import type { StoredRule } from "./evaluate.ts";

export const shortLinks = sqliteTable("short_links", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** 0: the instance's own address. */
  domainId: integer("domain_id").notNull(),
  slug: text("slug").notNull(),
  /** The normalized slug. A deleted link keeps its slug until the team reuses it. */
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
  /** Highest priority first. */
  rules: json<StoredRule[]>("rules").notNull(),
});

/** The first team with a slug on the instance's own address. Outlives link and team. */
export const slugOwners = sqliteTable("slug_owners", {
  /** The normalized slug. */
  slugKey: text("slug_key").primaryKey(),
  teamId: integer("team_id").notNull(),
});

export const linkClicks = sqliteTable(
  "link_clicks",
  {
    linkId: integer("link_id").notNull(),
    /** Epoch ms of the first click. */
    at: integer("at").notNull(),
    message: text("message").notNull(),
    count: integer("count").notNull(),
    clicks: json<Click[]>("clicks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.at, table.message] })],
);

/** By country or device; an unknown country is "". */
export type Counts = Record<string, number>;

export const linkDays = sqliteTable(
  "link_days",
  {
    linkId: integer("link_id").notNull(),
    /** Days since 1970, UTC. */
    day: integer("day").notNull(),
    clicks: integer("clicks").notNull(),
    /** Without bots, as rules and quarters. */
    countries: json<Counts>("countries").notNull(),
    devices: json<Counts>("devices").notNull(),
    countedOnly: integer("counted_only").notNull(),
    /** By the key of the rule that matched; of links with rules alone. */
    rules: json<Counts>("rules").notNull(),
    /** By the quarter of an hour, from 0 to 95. */
    quarters: json<Counts>("quarters").notNull(),
    /** The day's last minute with a click, in minutes since 1970. */
    minute: integer("minute").notNull(),
    minuteClicks: integer("minute_clicks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.day] })],
);

/** Messages whose clicks were counted but not stored, to recognize repetitions. */
export const countedMessages = sqliteTable(
  "counted_messages",
  {
    /** Epoch ms of the first click. */
    at: integer("at").notNull(),
    linkId: integer("link_id").notNull(),
    message: text("message").notNull(),
  },
  (table) => [primaryKey({ columns: [table.at, table.linkId, table.message] })],
);
