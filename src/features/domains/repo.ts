import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { HOUR } from "../../core/time.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import { teams } from "../teams/table.ts";
import type { OwnershipRecord } from "./dns.ts";
import { MAX_DOMAINS, MAX_MISSES, RECHECK_MS } from "./rules.ts";
import { domains } from "./table.ts";

export type DomainRow = typeof domains.$inferSelect;

/** The team's plan, and its legacy flag. */
export const teamPlan = (team: number | SQL) =>
  sqlQuery(
    sql`SELECT coalesce(plan, base_plan) AS plan, has_legacy_domains FROM teams WHERE id = ${team}`,
    rowReader(pickColumns(teams, ["plan", "hasLegacyDomains"])),
  );

const readDomain = rowReader(domains);
const readNumber = valueReader(integer("value").notNull());

const readCounted = rowReader({
  ...pickColumns(domains, [
    ...([
      "id",
      "host",
      "userId",
      "teamId",
      "isShared",
      "verifiedAt",
      "createdAt",
      "updatedAt",
    ] as const),
  ]),
  links: integer("links").notNull(),
});

export type CountedDomain = ReturnType<typeof readCounted>;

/** The team's domains, oldest first: those that were added for it by name, or the others. */
export const domainsOf = (team: number | SQL, isShared: boolean): Query<CountedDomain[]> =>
  sqlQuery(
    sql`SELECT d.id, d.host, d.user_id, d.team_id, d.is_shared, d.verified_at, d.created_at, d.updated_at,
        (SELECT COUNT(*) FROM short_links WHERE domain_id = d.id AND slug_key IS NOT NULL
          AND deleted_at IS NULL) AS links
      FROM domains d WHERE d.team_id = ${team} AND d.is_shared = ${Number(isShared)}
        AND d.deleted_at IS NULL ORDER BY d.id`,
    readCounted,
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

/** Inserts a domain that nobody has, where the team has room for it. */
export const insertDomain = (row: NewDomain): Query<DomainRow[]> =>
  sqlQuery(
    sql`INSERT INTO domains (team_id, user_id, is_shared, host, edge_hostname_id, txt_name, txt_value,
        cname_target, check_at, created_at, updated_at)
      SELECT ${row.teamId}, ${row.userId}, ${Number(row.isShared)}, ${row.host}, ${row.edgeHostnameId},
        ${row.txtName}, ${row.txtValue}, ${row.cnameTarget}, ${row.checkAt?.getTime() ?? null},
        ${row.createdAt.getTime()}, ${row.createdAt.getTime()}
      WHERE (SELECT COUNT(*) FROM domains WHERE team_id = ${row.teamId} AND deleted_at IS NULL) < ${MAX_DOMAINS}
      ON CONFLICT DO NOTHING RETURNING *`,
    readDomain,
  );

const readHolder = rowReader(
  pickColumns(domains, ["id", "teamId", "host", "edgeHostnameId", "verifiedAt"]),
);

/** The domain that has a host. */
export type Holder = ReturnType<typeof readHolder>;

/** Finds the domain that has a host, whoever's it is. It goes across teams: a host is one for all. */
export const holderOf = (host: string) =>
  sqlQuery(
    sql`SELECT id, team_id, host, edge_hostname_id, verified_at FROM domains
      WHERE host = ${host} AND deleted_at IS NULL`,
    readHolder,
  );

/** Deletes a domain that nobody has shown to be theirs; the tick removes it from the edge. */
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

/** Counts a look that did not find the record of a verified domain, which is asked for from now on. */
export const noteMiss = (
  { id, misses }: Pick<DomainRow, "id" | "misses">,
  { txtName, txtValue }: OwnershipRecord,
): Query<number> =>
  sqlWrite(sql`UPDATE domains SET misses = ${misses + 1}, txt_name = ${txtName}, txt_value = ${txtValue}
    WHERE ${isVerified(id)} AND misses = ${misses}`);

/** Ends the verification of a domain that was missed too often. It waits to be verified as a new one does. */
export const endVerification = (id: number, at: Date): Query<number> =>
  sqlWrite(sql`UPDATE domains SET verified_at = NULL, updated_at = ${at.getTime()},
    check_at = ${at.getTime() + HOUR} WHERE ${isVerified(id)} AND misses >= ${MAX_MISSES}`);

/** Sets when the tick looks at a domain again; null: not any more. */
export const setCheck = (id: number, at: Date | null): Query<number> =>
  sqlWrite(sql`UPDATE domains SET check_at = ${at?.getTime() ?? null} WHERE id = ${id}`);

/** Deletes a domain and its links. The tick removes from the edge what the call itself does not. */
export const deleteDomain = (team: number, id: number, at: Date) =>
  [
    sqlWrite(sql`UPDATE domains SET deleted_at = ${at.getTime()}, updated_at = ${at.getTime()},
      check_at = ${at.getTime()} WHERE ${isThis(team, id)}`),
    sqlWrite(sql`UPDATE short_links SET deleted_at = ${at.getTime()}, is_active = 0
      WHERE domain_id = ${id} AND slug_key IS NOT NULL AND team_id = ${team} AND deleted_at IS NULL`),
  ] as const;

/** Domains that the tick is to look at by now, of all teams: the longest due first. */
export const domainsDue = (now: Date, most: number): Query<DomainRow[]> =>
  sqlQuery(
    sql`SELECT * FROM domains WHERE check_at <= ${now.getTime()} ORDER BY check_at LIMIT ${most}`,
    readDomain,
  );

/** Finds the domain that a name at the edge serves now. */
export const servedBy = ({ host, edgeHostnameId }: Pick<DomainRow, "host" | "edgeHostnameId">) =>
  sqlQuery(
    sql`SELECT id FROM domains WHERE host = ${host} AND edge_hostname_id = ${edgeHostnameId}
      AND deleted_at IS NULL`,
    rowReader(pickColumns(domains, ["id"])),
  );

/** Removes a deleted domain for good. */
export const removeDomain = (id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM domains WHERE id = ${id} AND deleted_at IS NOT NULL`);

/** Removes up to `most` domains of a team that the edge does not know; the tick removes the others. */
export const eraseDomains = (team: number, most: number): Query<number> =>
  sqlWrite(sql`DELETE FROM domains WHERE id IN (SELECT id FROM domains
    WHERE team_id = ${team} AND deleted_at IS NOT NULL AND edge_hostname_id IS NULL LIMIT ${most})`);
