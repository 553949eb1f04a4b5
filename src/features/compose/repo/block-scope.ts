import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { BlockScope } from "../../blocks/rules.ts";

/** The variables that the blocks of a post have. */
export const scopeOfUpload = (team: SQL, id: number): Query<BlockScope[]> =>
  sqlQuery(
    sql`SELECT a.platform, a.account_name AS account FROM uploads u JOIN accounts a ON a.id = u.account_id
      WHERE u.id = ${id} AND u.team_id = ${team}`,
    rowReader({ platform: text("platform").notNull(), account: text("account").notNull() }),
  );
