import { type SQL, sql } from "drizzle-orm";
import type { Platform } from "../../core/platforms.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { type AccountRow, accounts } from "../accounts/table.ts";
import { emit } from "../events/repo.ts";

/** Accounts connected after `until` are not affected. */
export interface Withdrawn {
  platform: Platform;
  platformUserId: string;
  until: Date;
}

/** Includes disconnected accounts. */
const areTheirs = ({ platform, platformUserId, until }: Withdrawn): SQL =>
  sql`platform = ${platform} AND mode = 'live' AND connected_at <= ${until.getTime()}
    AND (platform_user_id = ${platformUserId} OR platform_account_id = ${platformUserId})`;

/** Disconnected accounts are found by the person's id only: no index holds them by account id. */
export const accountsOfPerson = (person: Withdrawn): Query<AccountRow[]> => {
  const { platform, platformUserId, until } = person;
  return sqlQuery(
    sql`SELECT * FROM accounts
        WHERE platform = ${platform} AND platform_user_id = ${platformUserId}
          AND mode = 'live' AND connected_at <= ${until.getTime()}
      UNION
      SELECT * FROM accounts
        WHERE platform = ${platform} AND platform_account_id = ${platformUserId}
          AND deleted_at IS NULL AND mode = 'live' AND connected_at <= ${until.getTime()}`,
    rowReader(accounts),
  );
};

/** Belongs before the change, in the same batch. */
export const emitDisconnected = (
  deps: Pick<Deps, "newEventId" | "now">,
  { id, teamId, platform, accountName }: AccountRow,
  person: Withdrawn,
): Query<number> =>
  emit(
    deps,
    {
      team: teamId,
      name: "connected_account.disconnected",
      data: { accountId: id, platform, accountName },
    },
    sql`EXISTS (SELECT 1 FROM accounts WHERE id = ${id} AND ${areTheirs(person)}
      AND status <> 'revoked' AND deleted_at IS NULL)`,
  );

/** Deletes the login; the account stays, to be connected again. */
export const revokeAccount = ({ id }: AccountRow, person: Withdrawn): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET status = 'revoked', credentials = NULL,
      credentials_expire_at = NULL, renew_at = NULL, login_ends_at = NULL,
      data_access_ends_at = NULL
    WHERE id = ${id} AND ${areTheirs(person)} AND deleted_at IS NULL`);

/** Precedes `eraseAccount` in its batch. */
export const eraseRehearsals = ({ id, teamId }: AccountRow, person: Withdrawn): Query<number> =>
  sqlWrite(sql`DELETE FROM rehearsals WHERE team_id = ${teamId} AND account_id = ${id}
    AND EXISTS (SELECT 1 FROM accounts WHERE id = ${id} AND ${areTheirs(person)})`);

/** Deletes the account's data. Its posts keep the account's id. */
export const eraseAccount = ({ id }: AccountRow, person: Withdrawn, now: Date): Query<number> =>
  sqlWrite(sql`UPDATE accounts SET status = 'revoked', credentials = NULL,
      credentials_expire_at = NULL, renew_at = NULL, login_ends_at = NULL,
      data_access_ends_at = NULL, platform_account_id = 'deleted ' || id, platform_user_id = NULL,
      account_name = 'Deleted account', handle = NULL, profile_image_url = NULL, service = NULL,
      missing_scopes = NULL, granted_scopes = NULL, deleted_at = coalesce(deleted_at, ${now.getTime()})
    WHERE id = ${id} AND ${areTheirs(person)}`);
