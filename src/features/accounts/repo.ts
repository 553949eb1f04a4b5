import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { assignments } from "../../db/assignments.ts";
import { prepared, preparedWrite, type Query, sqlQuery } from "../../db/client.ts";
import { instant } from "../../db/columns.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { AccountFilter } from "./schema.ts";
import { type AccountRow, accounts } from "./table.ts";

const readAccount = rowReader(accounts);

const ofTeam = (team: number | SQL) => and(eq(accounts.teamId, team), isNull(accounts.deletedAt));

const one = (team: number | SQL, id: SQL | string) => and(ofTeam(team), eq(accounts.id, id));

export function accountsOfTeam(team: SQL, filter: AccountFilter) {
  const status = filter.status === "connected" ? "active" : filter.status;
  const where = and(
    ofTeam(team),
    filter.platform === undefined ? undefined : eq(accounts.platform, filter.platform),
    status && eq(accounts.status, status),
    filter.tags === undefined
      ? undefined
      : sql`instr(lower(${accounts.tags}), lower(${filter.tags})) > 0`,
  );
  return sqlQuery(
    sql`SELECT * FROM accounts WHERE ${where} ORDER BY platform, platform_account_id`,
    readAccount,
  );
}

const selectAccount = prepared(
  ({ team, id }: Params<{ team: number | SQL; id: string }>) =>
    sql`SELECT * FROM accounts WHERE ${one(team, id)}`,
  readAccount,
);

export function accountById(team: number | SQL, id: string) {
  return selectAccount({ team, id });
}

/**
 * Another account of the team that may have the same login as account `id`, which may already be disconnected. When the
 * platform does not say whose login it is, any account counts.
 */
export const accountSharingLogin = (team: number | SQL, id: string): Query<string[]> =>
  sqlQuery(
    sql`SELECT other.id FROM accounts own JOIN accounts other
        ON other.team_id = own.team_id AND other.platform = own.platform AND other.mode = own.mode
          AND other.app IS own.app AND other.id <> own.id AND other.deleted_at IS NULL AND other.credentials IS NOT NULL
          AND (other.platform_user_id = own.platform_user_id
            OR other.platform_user_id IS NULL OR own.platform_user_id IS NULL)
      WHERE own.id = ${id} AND own.team_id = ${team} LIMIT 1`,
    valueReader(accounts.id),
  );

export const connectedAgain = (team: number, id: string): Query<AccountRow[]> =>
  sqlQuery(
    sql`SELECT now.* FROM accounts own JOIN accounts now
        ON now.team_id = own.team_id AND now.platform = own.platform AND now.mode = own.mode
          AND now.platform_account_id = own.platform_account_id AND now.deleted_at IS NULL
      WHERE own.id = ${id} AND own.team_id = ${team}`,
    readAccount,
  );

export function lastUseOf(team: SQL, id: string): Query<Date[]> {
  return sqlQuery(
    sql`SELECT counted_at FROM uploads
      WHERE account_id = iif(${team} IS NULL, NULL, ${id}) AND counted_at IS NOT NULL
      ORDER BY counted_at DESC LIMIT 1`,
    valueReader(instant("counted_at").notNull()),
  );
}

export function updateAccount(
  team: number | SQL,
  id: string,
  set: Partial<AccountRow>,
  condition?: SQL,
) {
  return sqlQuery(
    sql`UPDATE accounts SET ${assignments(accounts, set)} WHERE ${and(one(team, id), condition)} RETURNING *`,
    readAccount,
  );
}

/** Of any team: the login itself is not handed on. */
export const newestLoginAt = ({
  platform,
  mode,
  server,
}: Pick<AccountRow, "platform" | "mode"> & { server: string }): Query<AccountRow[]> =>
  sqlQuery(
    sql`SELECT * FROM accounts
      WHERE platform = ${platform} AND mode = ${mode} AND service = ${server}
        AND credentials IS NOT NULL AND deleted_at IS NULL
      ORDER BY connected_at DESC LIMIT 1`,
    readAccount,
  );

/** Null where every account of the platform has the same limits. */
export const serverLimitsOf = (team: number, id: string): Query<AccountRow["serverLimits"][]> =>
  sqlQuery(
    sql`SELECT server_limits FROM accounts WHERE id = ${id} AND team_id = ${team}`,
    valueReader(accounts.serverLimits),
  );

type ById = Params<{ id: string }>;

export const countFailure = preparedWrite(
  ({ id }: ById) => sql`UPDATE accounts SET failure_count = failure_count + 1 WHERE id = ${id}`,
);

export const forgetFailures = preparedWrite(
  ({ id }: ById) => sql`UPDATE accounts SET failure_count = 0 WHERE id = ${id}`,
);
