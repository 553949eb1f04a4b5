import type { Query } from "../../../db/client.ts";
import { plainQuery, type StoredRow } from "../../../db/plain.ts";
import type { shortLinks } from "../table.ts";

/** The domain of links that stand on the instance's own address. */
export const OWN_DOMAIN = 0;

const COLUMNS = `l.id, l.destination, l.use_deeplink, l.bot_protection, l.safe_url, l.title, l.description,
  l.image_url, l.rules`;
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
>;

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
  /** Size of what was read. */
  characters: row.rules.length + row.destination.length,
});

/** The parts of a link that a redirect needs. */
export type FoundLink = ReturnType<typeof readLink>;

/** Where a link stands. */
export interface Place {
  /** Null: the instance's own address. */
  host: string | null;
  /** As slugs are compared. */
  slug: string;
}

/** Finds the link that stands at a place, switched on. */
export const linkAt = ({ host, slug }: Place): Query<FoundLink[]> =>
  host === null
    ? plainQuery(OWN_LINK, [slug], readLink)
    : plainQuery(LINK_ON_HOST, [host, slug], readLink);
