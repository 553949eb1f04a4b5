import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { HOUR } from "../../core/time.ts";
import { insertIf } from "../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import { teams } from "../teams/table.ts";
import type { OwnershipRecord } from "./dns.ts";
import { MAX_DOMAINS, MAX_MISSES, RECHECK_MS } from "./rules.ts";
import { domains } from "./table.ts";

export type DomainRow = typeof domains.$inferSelect;

export const teamPlan = (team: number | SQL) =>
  sqlQuery(
    sql`SELECT coalesce(plan, base_plan) AS plan, has_legacy_domains FROM teams WHERE id = ${team}`,
    rowReader(pickColumns(teams, ["plan", "hasLegacyDomains"])),
  );

const readDomain = rowReader(domains);
const readNumber = valueReader(integer("value").notNull());

const domainColumns = getTableColumns(domains);

const readCounted = rowReader({
  ...pickColumns(domains, [
    "id",
    "host",
    "userId",
    "teamId",
    "isShared",
    "verifiedAt",
    "createdAt",
    "updatedAt",
  ]),
  links: integer("links").notNull(),
});

export type CountedDomain = ReturnType<typeof readCounted>;

/** Oldest first. */
export const domainsOf = (team: number | SQL, isShared: boolean): Query<CountedDomain[]> =>
  sqlQuery(
    sql`SELECT d.id, d.host, d.user_id, d.team_id, d.is_shared, d.verified_at, d.created_at, d.updated_at,
        (SELECT COUNT(*) FROM short_links WHERE domain_id = d.id AND slug_key IS NOT NULL
          AND deleted_at IS NULL) AS links
      FROM domains d WHERE d.team_id = ${team} AND d.is_shared = ${Number(isShared)}
        AND d.deleted_at IS NULL ORDER BY d.id`,
    readCounted,
  );

const readWithRecords = rowReader({ ...domainColumns, links: integer("links").notNull() });

export type DomainWithRecords = ReturnType<typeof readWithRecords>;

/** The personal ones too, by name. */
export const domainsWithRecords = (team: number | SQL): Query<DomainWithRecords[]> =>
  sqlQuery(
    sql`SELECT d.*, (SELECT COUNT(*) FROM short_links WHERE domain_id = d.id AND slug_key IS NOT NULL
        AND deleted_at IS NULL) AS links
      FROM domains d WHERE d.team_id = ${team} AND d.deleted_at IS NULL ORDER BY d.host`,
    readWithRecords,
  );

const isThis = (team: number | SQL, id: number): SQL =>
  sql`id = ${id} AND team_id = ${team} AND deleted_at IS NULL`;

export const findDomain = (team: number | SQL, id: number): Query<DomainRow[]> =>
  sqlQuery(sql`SELECT * FROM domains WHERE ${isThis(team, id)}`, readDomain);

export const countDomains = (team: number | SQL): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS value FROM domains WHERE team_id = ${team} AND deleted_at IS NULL`,
    readNumber,
  );

type NewDomain = Omit<DomainRow, "id" | "verifiedAt" | "misses" | "updatedAt" | "deletedAt">;

/** No row if the host is taken or the team has too many domains. */
export function insertDomain(row: NewDomain): Query<DomainRow[]> {
  const hasRoom = sql`(SELECT COUNT(*) FROM domains
    WHERE team_id = ${row.teamId} AND deleted_at IS NULL) < ${MAX_DOMAINS}`;
  const insert = insertIf(domains, { ...row, updatedAt: row.createdAt }, hasRoom);
  return sqlQuery(sql`${insert} ON CONFLICT DO NOTHING RETURNING *`, readDomain);
}

const readHolder = rowReader(
  pickColumns(domains, ["id", "teamId", "host", "edgeHostnameId", "verifiedAt"]),
);

export type Holder = ReturnType<typeof readHolder>;

export const holderOf = (host: string) =>
  sqlQuery(
    sql`SELECT id, team_id, host, edge_hostname_id, verified_at FROM domains
      WHERE host = ${host} AND deleted_at IS NULL`,
    readHolder,
  );

/** The next cron tick removes the unverified domain from Cloudflare. */
export const endClaim = (id: number, at: Date): Query<number> =>
  sqlWrite(sql`UPDATE domains SET deleted_at = ${at.getTime()}, updated_at = ${at.getTime()},
    check_at = ${at.getTime()} WHERE id = ${id} AND deleted_at IS NULL AND verified_at IS NULL`);

export const markVerified = (id: number, at: Date): Query<number> =>
  sqlWrite(sql`UPDATE domains SET verified_at = ${at.getTime()}, misses = 0,
    check_at = ${at.getTime() + RECHECK_MS}, updated_at = ${at.getTime()} WHERE id = ${id} AND deleted_at IS NULL AND verified_at IS NULL`);

const isVerified = (id: number): SQL =>
  sql`id = ${id} AND verified_at IS NOT NULL AND deleted_at IS NULL`;

export const forgetMisses = (id: number): Query<number> =>
  sqlWrite(sql`UPDATE domains SET misses = 0 WHERE ${isVerified(id)}`);

/** Counts a failed check, and stores the TXT record that is now expected. */
export const noteMiss = (
  { id, misses }: Pick<DomainRow, "id" | "misses">,
  { txtName, txtValue }: OwnershipRecord,
): Query<number> =>
  sqlWrite(sql`UPDATE domains SET misses = ${misses + 1}, txt_name = ${txtName}, txt_value = ${txtValue}
    WHERE ${isVerified(id)} AND misses = ${misses}`);

export const endVerification = (id: number, at: Date): Query<number> =>
  sqlWrite(sql`UPDATE domains SET verified_at = NULL, updated_at = ${at.getTime()},
    check_at = ${at.getTime() + HOUR} WHERE ${isVerified(id)} AND misses >= ${MAX_MISSES}`);

/** Null stops the checks. */
export const setCheck = (id: number, at: Date | null): Query<number> =>
  sqlWrite(sql`UPDATE domains SET check_at = ${at?.getTime() ?? null} WHERE id = ${id}`);

/** The next cron tick removes the domain from Cloudflare if the call does not. */
export const deleteDomain = (team: number, id: number, at: Date, line: Query<number>) =>
  [
    sqlWrite(sql`UPDATE domains SET deleted_at = ${at.getTime()}, updated_at = ${at.getTime()},
      check_at = ${at.getTime()} WHERE ${isThis(team, id)}`),
    line,
    sqlWrite(sql`UPDATE short_links SET deleted_at = ${at.getTime()}, is_active = 0
      WHERE domain_id = ${id} AND slug_key IS NOT NULL AND team_id = ${team} AND deleted_at IS NULL`),
  ] as const;

/** Domains of all teams, longest due first. */
export const domainsDue = (now: Date, max: number): Query<DomainRow[]> =>
  sqlQuery(
    sql`SELECT * FROM domains WHERE check_at <= ${now.getTime()} ORDER BY check_at LIMIT ${max}`,
    readDomain,
  );

/** The active domain with the same hostname at Cloudflare. */
export const servedBy = ({ host, edgeHostnameId }: Pick<DomainRow, "host" | "edgeHostnameId">) =>
  sqlQuery(
    sql`SELECT id FROM domains WHERE host = ${host} AND edge_hostname_id = ${edgeHostnameId}
      AND deleted_at IS NULL`,
    rowReader(pickColumns(domains, ["id"])),
  );

export const removeDomain = (id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM domains WHERE id = ${id} AND deleted_at IS NOT NULL`);

/** Leaves out domains that a cron tick has to remove from Cloudflare. */
export const eraseDomains = (team: number, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM domains WHERE id IN (SELECT id FROM domains
    WHERE team_id = ${team} AND deleted_at IS NOT NULL AND edge_hostname_id IS NULL LIMIT ${max})`);
