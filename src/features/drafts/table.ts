import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";

export type When = "now" | "at" | "pool" | "draft" | "approval" | "review";

/** Empty where nothing is written yet. */
export interface DraftContent {
  accountIds: string[];
  title: string;
  description: string;
  /** By names of the API; one of a single platform or account has its name in front: `facebook.link`. */
  fields: Record<string, string | string[]>;
  /** By platform or account id. */
  overrides: Record<string, DraftOverride>;
  /** `media`: numbers of files in `media`, from 0. */
  thread: { text: string; media: number[] }[];
  firstComment: string;
  media: { mediaId: string; altText: string }[];
  thumbnailMediaId: string | null;
  /** `at`: wall time of the workspace, such as 2026-12-01T10:00. */
  when: { kind: When; at: string; poolId: number | null };
}

export type DraftOverride = Partial<
  Record<"title" | "caption" | "first_comment" | "thread", string>
>;

export const drafts = sqliteTable("drafts", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  createdBy: integer("created_by").notNull(),
  content: json<DraftContent>("content").notNull(),
  version: integer("version").notNull().default(1),
  updatedBy: integer("updated_by").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export type DraftRow = typeof drafts.$inferSelect;

export const draftFiles = sqliteTable(
  "draft_files",
  {
    teamId: integer("team_id").notNull(),
    sha256: text("sha256").notNull(),
    draftId: integer("draft_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.sha256, table.draftId] })],
);
