import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../core/platforms.ts";
import { flag, instant, json } from "../../db/columns.ts";
import type { Bookmark } from "../../platforms/connector.ts";
import type { RehearsalPlan, Removal } from "../../platforms/rehearsal.ts";
import type { Outcome, Stage } from "./rules.ts";

export interface StoredPlan extends RehearsalPlan {
  /** Absent in rows of earlier versions. */
  removal?: Removal;
}

export const rehearsals = sqliteTable("rehearsals", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  accountId: text("account_id").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  text: text("text").notNull(),
  stage: text("stage").$type<Stage>().notNull(),
  outcome: text("outcome").$type<Outcome>(),
  plan: json<StoredPlan>("plan"),
  sampleSha256: text("sample_sha256"),
  bookmark: json<Bookmark>("bookmark"),
  platformPostId: text("platform_post_id"),
  shareUrl: text("share_url"),
  message: text("message"),
  /** The platform has shown the post to this login. */
  wasSeen: flag("was_seen").notNull().default(false),
  /** Failed tries to delete the post. */
  removals: integer("removals").notNull().default(0),
  submittedAt: instant("submitted_at"),
  busyUntil: instant("busy_until"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export type RehearsalRow = typeof rehearsals.$inferSelect;
