import type { Query } from "../../db/client.ts";
import type { RawRow } from "../../db/rows.ts";
import type { StoredRule } from "./evaluate.ts";

/*
 * The statements that go across teams: slugs and hosts belong to the whole instance. They are plain text, so
 * that a redirect loads nothing that builds SQL.
 */

/** The domain of links that stand on the instance's own address. */
export const OWN_DOMAIN = 0;

/** The parts of a link that a redirect needs. */
export interface FoundLink {
  id: number;
  destination: string;
  useDeeplink: boolean;
  botProtection: boolean;
  safeUrl: string | null;
  title: string | null;
  description: string | null;
  imageUrl: string | null;
  rules: StoredRule[];
  /** Size of what was read. */
  characters: number;
}

const COLUMNS = `l.id, l.destination, l.use_deeplink, l.bot_protection, l.safe_url, l.title, l.description,
  l.image_url, l.rules`;
const IS_LIVE = "l.is_active = 1 AND l.deleted_at IS NULL";

const OWN_LINK = `SELECT ${COLUMNS} FROM short_links l
  WHERE l.domain_id = ${OWN_DOMAIN} AND l.slug_key = ? AND ${IS_LIVE}`;

const LINK_ON_HOST = `SELECT ${COLUMNS} FROM domains d
  CROSS JOIN short_links l ON l.domain_id = d.id
  WHERE d.host = ? AND d.deleted_at IS NULL AND d.verified_at IS NOT NULL AND l.slug_key = ? AND ${IS_LIVE}`;

const text = (value: unknown): string | null => value as string | null;

const readLink = (row: RawRow): FoundLink => ({
  id: row.id as number,
  destination: row.destination as string,
  useDeeplink: row.use_deeplink === 1,
  botProtection: row.bot_protection === 1,
  safeUrl: text(row.safe_url),
  title: text(row.title),
  description: text(row.description),
  imageUrl: text(row.image_url),
  rules: JSON.parse(row.rules as string) as StoredRule[],
  characters: (row.rules as string).length + (row.destination as string).length,
});

const query = <T>(sql: string, params: unknown[], read: (row: RawRow) => T): Query<T[]> => ({
  sql,
  params,
  read: ({ results }) => results.map(read),
});

/** Where a link stands. */
export interface Place {
  /** Null: the instance's own address. */
  host: string | null;
  /** As slugs are compared. */
  slug: string;
}

/** Finds the link that stands at a place, switched on. */
export const linkAt = ({ host, slug }: Place): Query<FoundLink[]> =>
  host === null ? query(OWN_LINK, [slug], readLink) : query(LINK_ON_HOST, [host, slug], readLink);

/** Finds those of the hosts on which short links stand. */
export const shortHostsAmong = (hosts: readonly string[]): Query<string[]> =>
  query(
    `SELECT host FROM domains WHERE host IN (SELECT value FROM json_each(?))
      AND deleted_at IS NULL AND verified_at IS NOT NULL`,
    [JSON.stringify(hosts)],
    ({ host }) => host as string,
  );

/** Who has a slug: its link's team, and whether that link was deleted. */
export interface SlugHolder {
  id: number;
  teamId: number;
  isDeleted: boolean;
}

export const holderOf = (domainId: number, slug: string): Query<SlugHolder[]> =>
  query(
    `SELECT id, team_id, deleted_at IS NOT NULL AS is_deleted FROM short_links
      WHERE domain_id = ? AND slug_key = ?`,
    [domainId, slug],
    (row) => ({
      id: row.id as number,
      teamId: row.team_id as number,
      isDeleted: row.is_deleted === 1,
    }),
  );

/** Takes the slug of a link that the same team deleted away from it. */
export const releaseSlug = (teamId: number, domainId: number, slug: string): Query<number> => ({
  sql: `UPDATE short_links SET slug_key = NULL
    WHERE domain_id = ? AND slug_key = ? AND team_id = ? AND deleted_at IS NOT NULL`,
  params: [domainId, slug, teamId],
  read: ({ meta }) => meta.changes,
});
