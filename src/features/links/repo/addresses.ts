import type { LinkAddress } from "../../../core/link-address.ts";
import type { Query } from "../../../db/client.ts";
import { plainQuery, type StoredRow } from "../../../db/plain.ts";
import type { shortLinks } from "../table.ts";

export const OWN_DOMAIN = 0;

const HOST = `substr(u.rest, 1, instr(replace(replace(replace(u.rest, '?', '/'), '#', '/'), ':', '/') || '/', '/') - 1)`;

/** JSON list of destination hosts with short links. */
export const SHORT_HOSTS = `(SELECT json_group_array(d.host) FROM (
    SELECT substr(url, instr(url, '//') + 2) AS rest FROM (
      SELECT l.destination AS url UNION ALL SELECT l.safe_url WHERE l.safe_url IS NOT NULL
      UNION ALL SELECT value ->> 'destination' FROM json_each(l.rules))) u
  CROSS JOIN domains d ON d.host = rtrim(${HOST}, '.') AND d.deleted_at IS NULL AND d.verified_at IS NOT NULL)`;

const COLUMNS = `l.id, l.destination, l.use_deeplink, l.bot_protection, l.safe_url, l.title, l.description,
  l.image_url, l.rules, ${SHORT_HOSTS} AS short_hosts`;

const IS_LIVE = "l.is_active = 1 AND l.deleted_at IS NULL";

const OWN_LINK = `SELECT ${COLUMNS} FROM short_links l
  WHERE l.domain_id = ${OWN_DOMAIN} AND l.slug_key = ? AND ${IS_LIVE}`;

const LINK_ON_HOST = `SELECT ${COLUMNS} FROM domains d
  CROSS JOIN short_links l ON l.domain_id = d.id
  WHERE d.host = ? AND d.deleted_at IS NULL AND d.verified_at IS NOT NULL AND l.slug_key = ? AND ${IS_LIVE}`;

type FoundRow = Pick<
  StoredRow<typeof shortLinks>,
  | ("id" | "destination" | "use_deeplink" | "bot_protection" | "safe_url")
  | ("title" | "description" | "image_url" | "rules")
> & { short_hosts: string };

type LinkRow = typeof shortLinks.$inferSelect;

const readLink = (row: FoundRow) => ({
  id: row.id,
  destination: row.destination,
  useDeeplink: row.use_deeplink === 1,
  botProtection: row.bot_protection === 1,
  safeUrl: row.safe_url,
  title: row.title,
  description: row.description,
  imageUrl: row.image_url,
  rules: JSON.parse(row.rules) as LinkRow["rules"],
  shortHosts: JSON.parse(row.short_hosts) as string[],
  /** The link's size in the cache. */
  characters: row.rules.length + row.destination.length,
});

export type FoundLink = ReturnType<typeof readLink>;

const toParam = ({ host, slug }: LinkAddress) => [host, slug];

const LINKS_AT = `SELECT p.key AS position, ${COLUMNS} FROM json_each(?) p
  CROSS JOIN short_links l ON l.slug_key = p.value ->> 1 AND l.domain_id = iif(p.value ->> 0 IS NULL, ${OWN_DOMAIN},
    (SELECT id FROM domains WHERE host = p.value ->> 0 AND deleted_at IS NULL AND verified_at IS NOT NULL))
  WHERE ${IS_LIVE}`;

/** `position`: index of the requested address. */
export const linksAt = (
  addresses: readonly LinkAddress[],
): Query<{ position: number; link: FoundLink }[]> =>
  plainQuery(
    LINKS_AT,
    [JSON.stringify(addresses.map(toParam))],
    (row: FoundRow & { position: number }) => ({
      position: row.position,
      link: readLink(row),
    }),
  );

export const linkAt = ({ host, slug }: LinkAddress): Query<FoundLink[]> =>
  host === null
    ? plainQuery(OWN_LINK, [slug], readLink)
    : plainQuery(LINK_ON_HOST, [host, slug], readLink);
