import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../../core/platforms.ts";
import { assignments } from "../../../db/assignments.ts";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag, instant } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { type Starter, stillMay } from "../../auth/repo/people.ts";
import type { SealedLogin } from "../platform-access.ts";
import type { AccountFilter } from "../schema.ts";
import { type AccountRow, accounts } from "../table.ts";

/** A renewed login as it is stored; without its ends where those of the one before stand. */
type RenewedLogin = Pick<AccountRow, "credentialsExpireAt"> &
  Partial<Pick<AccountRow, "renewAt" | "loginEndsAt">> & { credentials: string };

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

/** No row for another team's account, or a disconnected one. */
export function accountById(team: number | SQL, id: string) {
  return selectAccount({ team, id });
}

/**
 * Another account of the team whose login may have been given by the same person: on some platforms nobody
 * knows who that was. Also answers for an account that has just been disconnected.
 */
export const accountSharingLogin = (team: number | SQL, id: string): Query<string[]> =>
  sqlQuery(
    sql`SELECT other.id FROM accounts own JOIN accounts other
        ON other.team_id = own.team_id AND other.platform = own.platform AND other.mode = own.mode
          AND other.id <> own.id AND other.deleted_at IS NULL AND other.credentials IS NOT NULL
          AND (other.platform_user_id = own.platform_user_id
            OR other.platform_user_id IS NULL OR own.platform_user_id IS NULL)
      WHERE own.id = ${id} AND own.team_id = ${team} LIMIT 1`,
    valueReader(accounts.id),
  );

/** When an account last took a place under its daily cap: its last publish. */
export function lastUseOf(team: SQL, id: string): Query<Date[]> {
  return sqlQuery(
    sql`SELECT counted_at FROM uploads
      WHERE account_id = iif(${team} IS NULL, NULL, ${id}) AND counted_at IS NOT NULL
      ORDER BY counted_at DESC LIMIT 1`,
    valueReader(instant("counted_at").notNull()),
  );
}

/** The account of the team that stands for this one at the platform. */
export function accountByPlatformId(team: number | SQL, platform: Platform, platformId: string) {
  const where = and(
    ofTeam(team),
    eq(accounts.platform, platform),
    eq(accounts.platformAccountId, platformId),
  );
  return sqlQuery(sql`SELECT * FROM accounts WHERE ${where}`, readAccount);
}

/** Changes nothing when the team has that account already, or `condition` does not hold. */
export function insertAccount(row: typeof accounts.$inferInsert, condition: SQL) {
  const columns = getTableColumns(accounts);
  const fields = Object.entries(columns).flatMap(([name, column]) => {
    const value = row[name as keyof typeof row];
    return value === undefined ? [] : [{ column, value }];
  });
  const names = fields.map(({ column }) => sql.identifier(column.name));
  const values = fields.map(({ column, value }) =>
    value === null ? sql`NULL` : sql`${sql.param(value, column)}`,
  );
  return sqlWrite(sql`INSERT INTO accounts (${sql.join(names, sql`, `)})
    SELECT ${sql.join(values, sql`, `)} WHERE ${condition} ON CONFLICT DO NOTHING`);
}

/** Changes an account where `condition` holds too. */
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

/** Accounts at a platform that a team wants for itself alone. */
interface Wanted {
  teamId: number;
  platform: Platform;
  /** Their ids at the platform, and their servers where it has many. */
  identities: readonly { id: string; service: string | null }[];
}

/**
 * Finds accounts that other teams use for one of these identities. An account counts only at the server that this
 * team has proven: a row with another server locks out no owner.
 */
const elsewhere = ({ teamId, platform, identities }: Wanted): SQL =>
  sql`FROM json_each(${JSON.stringify(identities)}) wanted
    JOIN accounts a ON a.platform_account_id = wanted.value ->> 'id'
      AND a.service IS wanted.value ->> 'service'
    JOIN teams t ON t.id = a.team_id
    WHERE a.platform = ${platform} AND a.deleted_at IS NULL AND a.status = 'active'
      AND a.mode = 'live' AND a.team_id <> ${teamId} AND t.deleted_at IS NULL`;

/** Finds the accounts that another team uses: their ids at the platform. */
export const takenElsewhere = (wanted: Wanted): Query<string[]> =>
  sqlQuery(
    sql`SELECT a.platform_account_id ${elsewhere(wanted)}`,
    valueReader(accounts.platformAccountId),
  );

interface Terms {
  /** Null where a client began it, by a link. */
  starter: Starter<number> | null;
  isExclusive: boolean;
}

/**
 * Holds while the team lives, and its starter may act for it; for `isExclusive` while no other team uses one of the
 * accounts.
 */
export const mayStore = (wanted: Wanted, { starter, isExclusive }: Terms): SQL =>
  sql`EXISTS (SELECT 1 FROM teams WHERE id = ${wanted.teamId} AND deleted_at IS NULL)${
    starter ? sql` AND ${stillMay(starter)}` : sql``
  }${isExclusive ? sql` AND NOT EXISTS (SELECT 1 ${elsewhere(wanted)})` : sql``}`;

/** Answers a condition in the batch that it guards. */
export const holds = (condition: SQL): Query<boolean[]> =>
  sqlQuery(sql`SELECT ${condition} AS holds`, valueReader(flag("holds").notNull()));

interface DueLogins {
  now: Date;
  limit: number;
  /** Platforms that are left out. */
  without: readonly string[];
}

/** Accounts in use whose logins are to be renewed by now. @param order of the moments they became due */
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

/** Puts a renewal off, unless its time has changed. */
export const postponeRenewal = ({ id, renewAt }: AccountRow, until: Date): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET renew_at = ${until.getTime()}
    WHERE id = ${id} AND renew_at = ${renewAt?.getTime() ?? null}`);

/** Accounts in use whose logins have ended, the first that ended first. */
export const accountsEnded = prepared(
  ({ now, limit }: Params<{ now: Date; limit: number }>) =>
    sql`SELECT * FROM accounts
      WHERE status = 'active' AND login_ends_at IS NOT NULL AND deleted_at IS NULL
        AND login_ends_at <= ${now}
      ORDER BY login_ends_at LIMIT ${limit}`,
  readAccount,
);

/** Holds for accounts in use whose logins end soon, none of which is about to be renewed, or has had its notice. */
const untold = (now: Date, until: Date): SQL =>
  sql`status = 'active' AND login_ends_at IS NOT NULL AND deleted_at IS NULL
    AND login_ends_at > ${now.getTime()} AND login_ends_at <= ${until.getTime()}
    AND ending_told_for IS NOT login_ends_at
    AND (renew_at IS NULL OR renew_at > ${now.getTime()})`;

/** The accounts of one team whose logins end by then, and of which it has had no notice. */
export const accountsEnding = (now: Date, until: Date, limit: number) =>
  sqlQuery(
    sql`SELECT * FROM accounts WHERE ${untold(now, until)} AND team_id =
        (SELECT team_id FROM accounts WHERE ${untold(now, until)} ORDER BY login_ends_at LIMIT 1)
      ORDER BY login_ends_at LIMIT ${limit}`,
    readAccount,
  );

/** Notes that a team gets a notice of an end; 0 when it had one, or the login has another end now. */
export const markEndingTold = preparedWrite(
  ({ id, endsAt }: Params<{ id: string; endsAt: Date }>) =>
    sql`UPDATE accounts SET ending_told_for = login_ends_at
      WHERE id = ${id} AND status = 'active' AND deleted_at IS NULL
        AND login_ends_at = ${endsAt} AND ending_told_for IS NOT login_ends_at`,
);

/** Takes the right to refresh a login; 0 while another holds it, or once the login has changed. */
export function takeRefreshLease(account: AccountRow, now: Date, until: Date) {
  return sqlWrite(sql`UPDATE accounts SET refresh_lease_until = ${until.getTime()} WHERE ${sameLogin(account)}
    AND (refresh_lease_until IS NULL OR refresh_lease_until <= ${now.getTime()})`);
}

/** Writes what a refresh led to, if the login is still the one that was refreshed. */
export function finishRefresh(account: AccountRow, set: Partial<AccountRow>) {
  const ended = { ...set, refreshLeaseUntil: null };
  return sqlWrite(
    sql`UPDATE accounts SET ${assignments(accounts, ended)} WHERE ${sameLogin(account)}`,
  );
}

/**
 * Writes a renewed login in the place of the one that was renewed. The same write once more changes
 * nothing and answers 1 again.
 */
export function storeRenewed(account: AccountRow, set: RenewedLogin) {
  const renewed = { ...set, refreshLeaseUntil: null };
  return sqlWrite(sql`UPDATE accounts SET ${assignments(accounts, renewed)}
    WHERE id = ${account.id} AND credentials IN (${account.credentials ?? ""}, ${set.credentials})`);
}

/**
 * Takes an account with this login into use again that was taken for expired. By itself, as naming the status
 * writes a row for each index that depends on it.
 */
export const reviveAccount = ({ id }: AccountRow, credentials: string): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET status = 'active'
    WHERE id = ${id} AND credentials = ${credentials} AND status <> 'active'`);

/** Holds where an account was taken for expired because of a login that has been renewed since. */
export const isTakenForExpired = ({ id, credentials }: AccountRow): SQL =>
  sql`EXISTS (SELECT 1 FROM accounts
    WHERE id = ${id} AND credentials = ${credentials} AND status = 'expired')`;

/** Marks an account as in need of reconnection, unless that has happened, or been done, since. */
export const expireAccount = (account: AccountRow) =>
  sqlWrite(sql`UPDATE accounts SET status = 'expired'
    WHERE ${sameLogin(account)} AND status = 'active'`);

const sameLogin = (account: AccountRow) =>
  and(eq(accounts.id, account.id), eq(accounts.credentials, account.credentials ?? ""));

const readSealedLogin = rowReader(
  pickColumns(accounts, ["id", "teamId", "platform", "credentials"]),
);

/** The stored logins after this id, in the order of ids. */
export const sealedLogins = (afterId: string, limit: number) =>
  sqlQuery(
    sql`SELECT id, team_id, platform, credentials FROM accounts
      WHERE id > ${afterId} AND credentials IS NOT NULL ORDER BY id LIMIT ${limit}`,
    readSealedLogin,
  );

/** Writes a login encrypted anew, if it is still the one that was read and nobody refreshes it. */
export const replaceCredentials = (
  { login, credentials }: { login: SealedLogin; credentials: string },
  freeSince: Date,
): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET credentials = ${credentials}
    WHERE id = ${login.id} AND credentials = ${login.credentials}
      AND (refresh_lease_until IS NULL OR refresh_lease_until <= ${freeSince.getTime()})`);

/** Counts the stored logins that do not begin with this prefix. */
export const countLoginsNotUnder = (prefix: string): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS logins FROM accounts WHERE credentials IS NOT NULL
      AND substr(credentials, 1, ${prefix.length}) <> ${prefix}`,
    valueReader(integer("logins").notNull()),
  );
