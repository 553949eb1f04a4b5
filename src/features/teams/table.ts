import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanName } from "../../core/plans.ts";
import { flag, instant, json } from "../../db/columns.ts";
import type { Role } from "../../deps.ts";

export const teams = sqliteTable("teams", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  slug: text("slug").notNull(),
  ownerId: integer("owner_id").notNull(),
  plan: text("plan").$type<PlanName>(),
  blocklist: json<string[]>("blocklist"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export const members = sqliteTable(
  "members",
  {
    teamId: integer("team_id").notNull(),
    userId: integer("user_id").notNull(),
    role: text("role").$type<Role>().notNull(),
    isActive: flag("is_active").notNull().default(true),
    joinedAt: instant("joined_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId] })],
);
