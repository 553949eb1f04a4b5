import { and, eq, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { assignments } from "../../db/assignments.ts";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Deps } from "../../deps.ts";
import { type AccountRow, accounts } from "../accounts/table.ts";
import { emitIfChanged } from "../events/repo.ts";
import type { SealedLogin } from "./platform-access.ts";

const readAccount = rowReader(accounts);

type RenewedLogin = Pick<AccountRow, "credentialsExpireAt"> &
  Partial<Pick<AccountRow, "renewAt" | "loginEndsAt" | "dataAccessEndsAt" | "serverLimits">> & {
    credentials: string;
  };

interface DueLogins {
  now: Date;
  limit: number;
  without: readonly string[];
}

export function accountsToRenew(order: "oldest" | "newest", { now, limit, without }: DueLogins) {
  return sqlQuery(
    sql`SELECT * FROM accounts
      WHERE status = 'active' AND renew_at IS NOT NULL AND deleted_at IS NULL
        AND renew_at <= ${now.getTime()}
        AND platform NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))
      ORDER BY renew_at ${sql.raw(order === "oldest" ? "ASC" : "DESC")} LIMIT ${limit}`,
    readAccount,
  );
}

export const postponeRenewal = ({ id, renewAt }: AccountRow, until: Date): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET renew_at = ${until.getTime()}
    WHERE id = ${id} AND renew_at = ${renewAt?.getTime() ?? null}`);

export const accountsEnded = prepared(
  ({ now, limit }: Params<{ now: Date; limit: number }>) =>
    sql`SELECT * FROM accounts
      WHERE status = 'active' AND login_ends_at IS NOT NULL AND deleted_at IS NULL
        AND login_ends_at <= ${now}
      ORDER BY login_ends_at LIMIT ${limit}`,
  readAccount,
);

/** The next round of renewals asks the platform about the login. */
export const askAtEnd = ({ id, credentials }: AccountRow, now: Date): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET login_ends_at = NULL, renew_at = ${now.getTime()}
    WHERE id = ${id} AND credentials = ${credentials} AND status = 'active'`);

const untold = (now: Date, until: Date): SQL =>
  sql`status = 'active' AND login_ends_at IS NOT NULL AND deleted_at IS NULL
    AND login_ends_at > ${now.getTime()} AND login_ends_at <= ${until.getTime()}
    AND ending_told_for IS NOT login_ends_at
    AND (renew_at IS NULL OR renew_at > ${now.getTime()})`;

/** Returns accounts of one team only. */
export const accountsEnding = (now: Date, until: Date, limit: number) =>
  sqlQuery(
    sql`SELECT * FROM accounts WHERE ${untold(now, until)} AND team_id =
        (SELECT team_id FROM accounts WHERE ${untold(now, until)} ORDER BY login_ends_at LIMIT 1)
      ORDER BY login_ends_at LIMIT ${limit}`,
    readAccount,
  );

/** SQL condition: an active account's data access ends soon, without a notice or a due check. */
const accessUntold = (now: Date, until: Date): SQL =>
  sql`status = 'active' AND data_access_ends_at IS NOT NULL AND deleted_at IS NULL
    AND data_access_ends_at > ${now.getTime()} AND data_access_ends_at <= ${until.getTime()}
    AND access_told_for IS NOT data_access_ends_at
    AND (renew_at IS NULL OR renew_at > ${now.getTime()})`;

/** Returns accounts of one team only. */
export const accountsLosingAccess = (now: Date, until: Date, limit: number) =>
  sqlQuery(
    sql`SELECT * FROM accounts WHERE ${accessUntold(now, until)} AND team_id =
        (SELECT team_id FROM accounts WHERE ${accessUntold(now, until)}
          ORDER BY data_access_ends_at LIMIT 1)
      ORDER BY data_access_ends_at LIMIT ${limit}`,
    readAccount,
  );

/** Answers 0 if the team was already notified, or if the end of the access has changed. */
export const markAccessTold = preparedWrite(
  ({ id, endsAt }: Params<{ id: string; endsAt: Date }>) =>
    sql`UPDATE accounts SET access_told_for = data_access_ends_at
      WHERE id = ${id} AND status = 'active' AND deleted_at IS NULL
        AND data_access_ends_at = ${endsAt} AND access_told_for IS NOT data_access_ends_at`,
);

/** Answers 0 if the team was already notified, or if the end of the login has changed. */
export const markEndingTold = preparedWrite(
  ({ id, endsAt }: Params<{ id: string; endsAt: Date }>) =>
    sql`UPDATE accounts SET ending_told_for = login_ends_at
      WHERE id = ${id} AND status = 'active' AND deleted_at IS NULL
        AND login_ends_at = ${endsAt} AND ending_told_for IS NOT login_ends_at`,
);

/** Answers 0 while another invocation has the lease, or if the login has changed. */
export function takeRefreshLease(account: AccountRow, now: Date, until: Date) {
  return sqlWrite(sql`UPDATE accounts SET refresh_lease_until = ${until.getTime()} WHERE ${sameLogin(account)}
    AND (refresh_lease_until IS NULL OR refresh_lease_until <= ${now.getTime()})`);
}

/** Does nothing if the login was replaced meanwhile. */
export function finishRefresh(account: AccountRow, set: Partial<AccountRow>) {
  const ended = { ...set, refreshLeaseUntil: null };
  return sqlWrite(
    sql`UPDATE accounts SET ${assignments(accounts, ended)} WHERE ${sameLogin(account)}`,
  );
}

/** Repeating this write answers 1 again. */
export function storeRenewed(account: AccountRow, set: RenewedLogin) {
  const renewed = { ...set, refreshLeaseUntil: null };
  return sqlWrite(sql`UPDATE accounts SET ${assignments(accounts, renewed)}
    WHERE id = ${account.id} AND credentials IN (${account.credentials ?? ""}, ${set.credentials})`);
}

/** A separate statement, because naming `status` writes each index that contains it. */
export const reviveAccount = ({ id }: AccountRow, credentials: string): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET status = 'active'
    WHERE id = ${id} AND credentials = ${credentials} AND status <> 'active'`);

export const isTakenForExpired = ({ id, credentials }: AccountRow): SQL =>
  sql`EXISTS (SELECT 1 FROM accounts
    WHERE id = ${id} AND credentials = ${credentials} AND status = 'expired')`;

/** Does nothing if the account was reconnected meanwhile. */
export const expireAccount = (account: AccountRow) =>
  sqlWrite(sql`UPDATE accounts SET status = 'expired'
    WHERE ${sameLogin(account)} AND status = 'active'`);

const sameLogin = (account: AccountRow) =>
  and(eq(accounts.id, account.id), eq(accounts.credentials, account.credentials ?? ""));

const readSealedLogin = rowReader(
  pickColumns(accounts, ["id", "teamId", "platform", "credentials"]),
);

export const sealedLogins = (afterId: string, limit: number) =>
  sqlQuery(
    sql`SELECT id, team_id, platform, credentials FROM accounts
      WHERE id > ${afterId} AND credentials IS NOT NULL ORDER BY id LIMIT ${limit}`,
    readSealedLogin,
  );

export const replaceCredentials = (
  { login, credentials }: { login: SealedLogin; credentials: string },
  freeSince: Date,
): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET credentials = ${credentials}
    WHERE id = ${login.id} AND credentials = ${login.credentials}
      AND (refresh_lease_until IS NULL OR refresh_lease_until <= ${freeSince.getTime()})`);

export const countLoginsNotUnder = (prefix: string): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS logins FROM accounts WHERE credentials IS NOT NULL
      AND substr(credentials, 1, ${prefix.length}) <> ${prefix}`,
    valueReader(integer("logins").notNull()),
  );

type LoginEvent = `connected_account.${"connected" | "expired" | "refresh_failed"}`;

export const eventOf = (account: AccountRow, name: LoginEvent, reason: string) => ({
  team: account.teamId,
  name,
  data: {
    accountId: account.id,
    platform: account.platform,
    accountName: account.accountName,
    reason,
  },
});

export const expireLogin = (deps: Deps, account: AccountRow, reason: string): Query<number>[] => [
  expireAccount(account),
  emitIfChanged(deps, eventOf(account, "connected_account.expired", reason)),
];
