import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Platform } from "../../../core/platforms.ts";
import { insertIf } from "../../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { rowReader, valueReader } from "../../../db/rows.ts";
import { accounts } from "../../accounts/table.ts";
import { type Starter, stillMay } from "../../auth/repo/people.ts";

export function accountByPlatformId(team: number | SQL, platform: Platform, platformId: string) {
  const where = and(
    eq(accounts.teamId, team),
    isNull(accounts.deletedAt),
    eq(accounts.platform, platform),
    eq(accounts.platformAccountId, platformId),
  );
  return sqlQuery(sql`SELECT * FROM accounts WHERE ${where}`, rowReader(accounts));
}

export const insertAccount = (row: typeof accounts.$inferInsert, condition: SQL): Query<number> =>
  sqlWrite(sql`${insertIf(accounts, row, condition)} ON CONFLICT DO NOTHING`);

interface Identities {
  teamId: number;
  platform: Platform;
  /** `service`: the account's server; null on platforms with only one. */
  identities: readonly { id: string; service: string | null }[];
}

/**
 * Other teams' accounts with these identities. The server must match, so that an account stored with a false server
 * cannot lock out the real owner.
 */
const elsewhere = ({ teamId, platform, identities }: Identities): SQL =>
  sql`FROM json_each(${JSON.stringify(identities)}) own
    JOIN accounts a ON a.platform_account_id = own.value ->> 'id'
      AND a.service IS own.value ->> 'service'
    JOIN teams t ON t.id = a.team_id
    WHERE a.platform = ${platform} AND a.deleted_at IS NULL AND a.status = 'active'
      AND a.mode = 'live' AND a.team_id <> ${teamId} AND t.deleted_at IS NULL`;

export const takenElsewhere = (own: Identities): Query<string[]> =>
  sqlQuery(
    sql`SELECT a.platform_account_id ${elsewhere(own)}`,
    valueReader(accounts.platformAccountId),
  );

interface Terms {
  /** Null when a client connects by a link. */
  starter: Starter<number> | null;
  isExclusive: boolean;
}

/**
 * SQL condition: the team exists and the person may act for it. With `isExclusive`, no other team uses the accounts.
 */
export const mayStore = (own: Identities, { starter, isExclusive }: Terms): SQL =>
  sql`EXISTS (SELECT 1 FROM teams WHERE id = ${own.teamId} AND deleted_at IS NULL)${
    starter ? sql` AND ${stillMay(starter)}` : sql``
  }${isExclusive ? sql` AND NOT EXISTS (SELECT 1 ${elsewhere(own)})` : sql``}`;

export const holds = (condition: SQL): Query<boolean[]> =>
  sqlQuery(sql`SELECT ${condition} AS holds`, valueReader(flag("holds").notNull()));
