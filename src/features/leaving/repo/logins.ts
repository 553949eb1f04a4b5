import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";

interface Slice {
  teamId: number;
  max: number;
}

const leftLogins = (columns: SQL, { teamId, max }: Params<Slice>): SQL =>
  sql`SELECT ${columns} FROM accounts
    WHERE team_id = ${teamId} AND deleted_at IS NOT NULL AND credentials IS NOT NULL
    ORDER BY id LIMIT ${max}`;

export const loginsOf = prepared(
  (slice: Params<Slice>) => leftLogins(sql`*`, slice),
  rowReader(accounts),
);

/** Deletes the logins that `loginsOf` read earlier in the batch. */
export const forgetLogins = preparedWrite(
  (slice: Params<Slice>) =>
    sql`UPDATE accounts SET credentials = NULL WHERE id IN (${leftLogins(sql`id`, slice)})`,
);
