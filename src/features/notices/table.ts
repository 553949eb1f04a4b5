import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";

export const noticeTargets = sqliteTable("notice_targets", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** 0 for a person's target. */
  teamId: integer("team_id").notNull(),
  /** 0 for a team's target. */
  userId: integer("user_id").notNull(),
  channel: text("channel", { enum: ["push", "messaging"] }).notNull(),
  /** SHA-256 of a browser's address; null for a chat. */
  digest: text("digest"),
  /** Encrypted address and keys. */
  sealed: text("sealed").notNull(),
  label: text("label").notNull(),
  /** The last notice's refusal; null after a success. */
  error: text("error"),
  createdAt: instant("created_at").notNull(),
});

/** One row per recipient and channel. */
export const notices = sqliteTable(
  "notices",
  {
    dueAt: instant("due_at").notNull(),
    /** Id of an event, webhook, account, domain or slot. */
    subject: text("subject").notNull(),
    /** 0 before the notice has a recipient, and for a team's chat channel. */
    userId: integer("user_id").notNull(),
    /** 0 before the notice has a recipient, and for mail. */
    targetId: integer("target_id").notNull(),
    channel: text("channel", { enum: ["unaddressed", "email", "push", "messaging"] }).notNull(),
    teamId: integer("team_id").notNull(),
    attempt: integer("attempt").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.dueAt, table.subject, table.userId, table.targetId] })],
);

export type NoticeRow = typeof notices.$inferSelect;
export type TargetRow = typeof noticeTargets.$inferSelect;
