import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../db/columns.ts";
import type { Action, ActorKind, SubjectKind } from "./actions.ts";

export const activity = sqliteTable(
  "activity",
  {
    teamId: integer("team_id").notNull(),
    id: text("id").notNull(),
    at: instant("at").notNull(),
    actorKind: text("actor_kind").$type<ActorKind>().notNull(),
    actorId: integer("actor_id"),
    actorName: text("actor_name").notNull(),
    action: text("action").$type<Action>().notNull(),
    subjectKind: text("subject_kind").$type<SubjectKind>().notNull(),
    subjectId: text("subject_id"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
);
