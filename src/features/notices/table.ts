import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Channel } from "../../core/notices.ts";
import { instant } from "../../db/columns.ts";

/** Browsers and chats that notices go to. */
export const noticeTargets = sqliteTable("notice_targets", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** 0 for what is a person's own. */
  teamId: integer("team_id").notNull(),
  /** 0 for what is a team's. */
  userId: integer("user_id").notNull(),
  channel: text("channel").$type<Exclude<Channel, "email">>().notNull(),
  /** SHA-256 of a browser's address, by which it is known again; null for a chat. */
  digest: text("digest"),
  /** Encrypted: the address and what else is needed to send to it. */
  sealed: text("sealed").notNull(),
  /** The name by which people know it: the browser, or the address without its secret. */
  label: text("label").notNull(),
  /** Why the last notice was not taken; null once one was. */
  error: text("error"),
  createdAt: instant("created_at").notNull(),
});

/** The notices that are still to be sent: one row for each recipient and each of their channels. */
export const notices = sqliteTable(
  "notices",
  {
    dueAt: instant("due_at").notNull(),
    /** Id of the event, of the webhook that was switched off, or of the account whose login ends. */
    subject: text("subject").notNull(),
    /** 0: nobody is addressed yet, or a team's chat is. */
    userId: integer("user_id").notNull(),
    /** 0: nobody is addressed yet, or the mail of the person is. */
    targetId: integer("target_id").notNull(),
    channel: text("channel").$type<Channel | "unaddressed">().notNull(),
    teamId: integer("team_id").notNull(),
    /** Number of the attempt that is due; 1 is the first. */
    attempt: integer("attempt").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.dueAt, table.subject, table.userId, table.targetId] })],
);

export type NoticeRow = typeof notices.$inferSelect;
export type TargetRow = typeof noticeTargets.$inferSelect;
