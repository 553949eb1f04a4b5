import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "../../db/columns.ts";

export const domains = sqliteTable("domains", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  teamId: integer("team_id").notNull(),
  /** The person who added it. */
  userId: integer("user_id").notNull(),
  /** It was added for the team by name. */
  isShared: flag("is_shared").notNull(),
  /** In lower case, as DNS has it. */
  host: text("host").notNull(),
  /** Its id at the edge; null where it is checked by DNS alone. */
  edgeHostnameId: text("edge_hostname_id"),
  txtName: text("txt_name").notNull(),
  txtValue: text("txt_value").notNull(),
  cnameTarget: text("cname_target").notNull(),
  verifiedAt: instant("verified_at"),
  /** When the tick looks at it again: at its records or, once it is deleted, to remove it from the edge. */
  checkAt: instant("check_at"),
  /** Times in a row that the daily look at a verified domain did not find the record of its team. */
  misses: integer("misses").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  deletedAt: instant("deleted_at"),
});
