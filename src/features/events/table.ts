import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";
import type { EventData, EventName } from "./catalogue.ts";

export const events = sqliteTable(
  "events",
  {
    teamId: integer("team_id").notNull(),
    id: text("id").notNull(),
    name: text("name").$type<EventName>().notNull(),
    data: json<EventData>("data").notNull(),
    /** The acting member; null for a client, a job or a platform. */
    actorId: integer("actor_id"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
);
