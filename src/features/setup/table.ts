import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../core/platforms.ts";
import { instant } from "../../db/columns.ts";

export const TICK_SOURCES = ["owner", "platform"] as const;

export const setupTicks = sqliteTable(
  "setup_ticks",
  {
    platform: text("platform").$type<Platform>().notNull(),
    /** Id of a `SetupStep`, possibly of an earlier release. */
    step: text("step").notNull(),
    source: text("source", { enum: TICK_SOURCES }).notNull(),
    tickedAt: instant("ticked_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.platform, table.step] })],
);

export type SetupTick = typeof setupTicks.$inferSelect;
