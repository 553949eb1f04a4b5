import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, json } from "../../db/columns.ts";
import type { EventName } from "../events/catalogue.ts";

export const webhooks = sqliteTable("webhooks", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  url: text("url").notNull(),
  events: json<EventName[]>("events").notNull(),
  /** Encrypted. */
  secret: text("secret").notNull(),
  isActive: flag("is_active").notNull(),
  /** When it was switched on last: what waited before that is not sent any more. */
  activeSince: instant("active_since").notNull(),
  /** Events in a row that ran out of attempts. */
  failureCount: integer("failure_count").notNull(),
  /** Attempts in a row that were not answered in time; any answer ends the row. */
  timeouts: integer("timeouts").notNull(),
  /** When the next event of an endpoint that keeps timing out is sent. */
  nextSlotAt: instant("next_slot_at").notNull(),
  /** It was switched off by its failures: a trigger leaves the notice of that. */
  isNoticeDue: flag("is_notice_due").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
});

/** Replays and tests are sent at somebody's wish: they do not count to switching a webhook off. */
export type DeliveryKind = "event" | "replay" | "test";

/** The attempts that are still to be made. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    dueAt: instant("due_at").notNull(),
    eventId: text("event_id").notNull(),
    webhookId: integer("webhook_id").notNull(),
    teamId: integer("team_id").notNull(),
    kind: text("kind").$type<DeliveryKind>().notNull(),
    /** Number of the attempt that is due; 1 is the first. */
    attempt: integer("attempt").notNull(),
    /** Its turn at an endpoint that keeps timing out has been given out. */
    hasSlot: flag("has_slot").notNull(),
    queuedAt: instant("queued_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.dueAt, table.eventId, table.webhookId, table.queuedAt] }),
  ],
);

/** The attempts that were made. */
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
  },
  (table) => [primaryKey({ columns: [table.webhookId, table.id] })],
);
