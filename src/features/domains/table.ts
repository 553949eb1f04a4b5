import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "../../db/columns.ts";

export const domains = sqliteTable("domains", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  userId: integer("user_id").notNull(),
  /** False for a personal domain, added without naming the team. */
  isShared: flag("is_shared").notNull(),
  host: text("host").notNull(),
  /** Null when the domain is checked by DNS alone. */
  edgeHostnameId: text("edge_hostname_id"),
  txtName: text("txt_name").notNull(),
  txtValue: text("txt_value").notNull(),
  cnameTarget: text("cname_target").notNull(),
  verifiedAt: instant("verified_at"),
  /** When the records are checked next, or a deleted domain is removed from Cloudflare. */
  checkAt: instant("check_at"),
  /** Failed daily checks in a row. */
  misses: integer("misses").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
});
