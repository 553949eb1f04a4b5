import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "../../db/columns.ts";
import { BLOCK_KINDS } from "./rules.ts";

export const textBlocks = sqliteTable(
  "text_blocks",
  {
    teamId: integer("team_id").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: BLOCK_KINDS }).notNull(),
    text: text("text").notNull(),
    mayPublish: flag("may_publish").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.name] })],
);
