import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";

export const events = sqliteTable(
  "events",
  {
    teamId: integer("team_id").notNull(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    data: json<Record<string, unknown>>("data").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
);
