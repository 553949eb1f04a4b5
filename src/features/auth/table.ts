import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Scope } from "../../core/scopes.ts";
import { instant, json } from "../../db/columns.ts";

export const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull(),
  name: text("name"),
  createdAt: instant("created_at").notNull(),
});

export const tokens = sqliteTable("tokens", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the whole token, hex: the token itself is shown once and never stored. */
  hash: text("hash").notNull(),
  name: text("name").notNull(),
  hint: text("hint").notNull(),
  userId: integer("user_id").notNull(),
  teamId: integer("team_id"),
  scopes: json<Scope[]>("scopes").notNull(),
  createdAt: instant("created_at").notNull(),
  revokedAt: instant("revoked_at"),
});
