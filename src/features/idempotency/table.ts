import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../db/columns.ts";

export const idempotency = sqliteTable(
  "idempotency",
  {
    teamId: integer("team_id").notNull(),
    route: text("route").notNull(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    answer: json<unknown>("answer").notNull(),
    firstUploadId: integer("first_upload_id"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.route, table.key] })],
);
