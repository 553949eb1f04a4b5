import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../core/platforms.ts";
import { orm, prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { instant } from "../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { SealedLogin } from "./platform-access.ts";
import type { AccountFilter } from "./schema.ts";
import { type AccountRow, accounts } from "./table.ts";

/** A renewed login as it is stored. */
type RenewedLogin = Pick<AccountRow, "credentialsExpireAt" | "renewAt"> & {
  credentials: string;
};

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
  const oldestFirst = [asc(accounts.platform), asc(accounts.platformAccountId)];
  return sqlQuery(
    orm
      .select()
      .from(accounts)
      .where(where)
      .orderBy(...oldestFirst),
    readAccount,
  );
}

const selectAccount = prepared(
  ({ team, id }: Params<{ team: number | SQL; id: string }>) =>
    orm.select().from(accounts).where(one(team, id)),
  readAccount,
);

/** No row for another team's account, or a disconnected one. */
export function accountById(team: number | SQL, id: string) {
  return selectAccount({ team, id });
}

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
export function accountByPlatformId(team: SQL, platform: Platform, platformId: string) {
  const where = and(
    ofTeam(team),
    eq(accounts.platform, platform),
    eq(accounts.platformAccountId, platformId),
  );
  return sqlQuery(orm.select().from(accounts).where(where), readAccount);
}

/** Changes nothing when the team has that account already. */
export function insertAccount(row: typeof accounts.$inferInsert) {
  return sqlWrite(orm.insert(accounts).values(row).onConflictDoNothing());
}

export function updateAccount(team: SQL, id: string, set: Partial<AccountRow>) {
  return sqlQuery(orm.update(accounts).set(set).where(one(team, id)).returning(), readAccount);
}

/** Accounts in use whose logins are to be renewed by now, after `after`: by time, then id. */
export function accountsToRenew(after: { at: number; id: string }, now: Date, limit: number) {
  return sqlQuery(
    sql`SELECT * FROM accounts
      WHERE status = 'active' AND renew_at IS NOT NULL AND deleted_at IS NULL
        AND (renew_at, id) > (${after.at}, ${after.id}) AND renew_at <= ${now.getTime()}
      ORDER BY renew_at, id LIMIT ${limit}`,
    readAccount,
  );
}

/** Takes the right to refresh a login; 0 while another holds it, or once the login has changed. */
export function takeRefreshLease(account: AccountRow, now: Date, until: Date) {
  return sqlWrite(
    orm
      .update(accounts)
      .set({ refreshLeaseUntil: until })
      .where(
        and(
          sameLogin(account),
          sql`(${accounts.refreshLeaseUntil} IS NULL OR ${accounts.refreshLeaseUntil} <= ${now.getTime()})`,
        ),
      ),
  );
}

/** Writes what a refresh led to, if the login is still the one that was refreshed. */
export function finishRefresh(account: AccountRow, set: Partial<AccountRow>) {
  return sqlWrite(
    orm
      .update(accounts)
      .set({ ...set, refreshLeaseUntil: null })
      .where(sameLogin(account)),
  );
}

/**
 * Writes a renewed login in the place of the one that was renewed. The same write once more changes
 * nothing and answers 1 again. An account that was taken for expired in between is not.
 */
export function storeRenewed(account: AccountRow, set: RenewedLogin) {
  const logins = [account.credentials ?? "", set.credentials];
  return sqlWrite(
    orm
      .update(accounts)
      .set({ ...set, status: "active", refreshLeaseUntil: null })
      .where(and(eq(accounts.id, account.id), inArray(accounts.credentials, logins))),
  );
}

/** Holds where an account was taken for expired because of a login that has been renewed since. */
export const isTakenForExpired = ({ id, credentials }: AccountRow): SQL =>
  sql`EXISTS (SELECT 1 FROM accounts
    WHERE id = ${id} AND credentials = ${credentials} AND status = 'expired')`;

/** Marks an account as in need of reconnection, unless that has happened, or been done, since. */
export function expireAccount(account: AccountRow) {
  const write = orm.update(accounts).set({ status: "expired" });
  return sqlWrite(write.where(and(sameLogin(account), eq(accounts.status, "active"))));
}

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

type ById = Params<{ id: string }>;

export const countFailure = preparedWrite(
  ({ id }: ById) => sql`UPDATE accounts SET failure_count = failure_count + 1 WHERE id = ${id}`,
);

export const forgetFailures = preparedWrite(({ id }: ById) =>
  orm.update(accounts).set({ failureCount: 0 }).where(eq(accounts.id, id)),
);
