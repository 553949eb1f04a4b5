import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { EventName } from "../events/catalogue.ts";

export const webhooks = sqliteTable("webhooks", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  url: text("url").notNull(),
  events: json<EventName[]>("events").notNull(),
  secret: text("secret").notNull(),
  isActive: flag("is_active").notNull(),
  /** Deliveries queued before this are skipped. */
  activeSince: instant("active_since").notNull(),
  /** Events in a row whose attempts all failed. */
  failureCount: integer("failure_count").notNull(),
  /** Attempts in a row without an answer in time. */
  timeouts: integer("timeouts").notNull(),
  /** When a slow endpoint gets its next event. */
  nextSlotAt: instant("next_slot_at").notNull(),
  /** Failures switched the webhook off, and a database trigger creates the notice. */
  isNoticeDue: flag("is_notice_due").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
});

export const deliveries = sqliteTable(
  "deliveries",
  {
    dueAt: instant("due_at").notNull(),
    eventId: text("event_id").notNull(),
    webhookId: integer("webhook_id").notNull(),
    teamId: integer("team_id").notNull(),
    /** Replays and tests never switch a webhook off. */
    kind: text("kind", { enum: ["event", "replay", "test"] }).notNull(),
    attempt: integer("attempt").notNull(),
    /** The delivery has a turn at a slow endpoint. */
    hasSlot: flag("has_slot").notNull(),
    queuedAt: instant("queued_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.dueAt, table.eventId, table.webhookId, table.queuedAt] }),
  ],
);

export type DeliveryKind = (typeof deliveries.$inferSelect)["kind"];

export const attempts = sqliteTable(
  "attempts",
  {
    webhookId: integer("webhook_id").notNull(),
    id: text("id").notNull(),
    teamId: integer("team_id").notNull(),
    eventId: text("event_id").notNull(),
    event: text("event").$type<EventName>().notNull(),
    attempt: integer("attempt").notNull(),
    success: flag("success").notNull(),
    statusCode: integer("status_code"),
    error: text("error"),
    durationMs: integer("duration_ms").notNull(),
    createdAt: instant("created_at").notNull(),
    /** The beginning of the body, of failed attempts. */
    answer: text("answer"),
  },
  (table) => [primaryKey({ columns: [table.webhookId, table.id] })],
);
