import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { domains } from "../../domains/table.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { linkClicks, linkDays, shortLinks } from "../table.ts";
import { OWN_DOMAIN } from "./places.ts";

export type LinkRow = typeof shortLinks.$inferSelect;

const LISTED = [
  ...(["id", "domainId", "slug", "destination", "clicks", "isActive", "useDeeplink"] as const),
  ...(["botProtection", "safeUrl", "title", "description", "imageUrl", "createdAt"] as const),
] as const;

const host = text("host");
interface Team {
  team: number | SQL;
}
type Wanted = Team & { id: number };

const readListed = rowReader({ ...pickColumns(shortLinks, LISTED), host });
const readWhole = rowReader({ ...pickColumns(shortLinks, [...LISTED, "rules"]), host });
const readNumber = valueReader(integer("value").notNull());

/** A link as lists show it. `host`: its domain's; null for one on the instance's own address. */
export type ListedLink = ReturnType<typeof readListed>;
export type WholeLink = ReturnType<typeof readWhole>;

const columns = sql.raw(
  Object.values(pickColumns(shortLinks, LISTED))
    .map(({ name }) => `l.${name}`)
    .join(", "),
);

/** A page of the team's links, newest first. */
export const linksOf = prepared(
  ({ team, limit, offset }: Params<Team & { limit: number; offset: number }>) =>
    sql`SELECT ${columns}, d.host FROM short_links l LEFT JOIN domains d ON d.id = l.domain_id
      WHERE l.team_id = ${team} AND l.deleted_at IS NULL ORDER BY l.id DESC LIMIT ${limit} OFFSET ${offset}`,
  readListed,
);

export const countLinks = prepared(
  ({ team }: Params<Team>) =>
    sql`SELECT COUNT(*) AS value FROM short_links WHERE team_id = ${team} AND deleted_at IS NULL`,
  readNumber,
);

const isThis = ({ team, id }: Wanted | Params<Wanted>): SQL =>
  sql`l.id = ${id} AND l.team_id = ${team} AND l.deleted_at IS NULL`;

/** The team's links by way of the team: for somebody unknown no row is read. */
const OF_TEAM = sql.raw("short_links l INDEXED BY short_links_of_team");

export const findLink = prepared(
  (wanted: Params<Wanted>) =>
    sql`SELECT ${columns}, l.rules, d.host FROM ${OF_TEAM} LEFT JOIN domains d ON d.id = l.domain_id
      WHERE ${isThis(wanted)}`,
  readWhole,
);

/** The newest messages of a link that bring `most` clicks together; the last may have more. */
export const newestClicks = prepared(
  ({ team, id, most }: Params<Wanted & { most: number }>) =>
    sql`SELECT clicks FROM (
        SELECT c.clicks, SUM(c.count) OVER (ORDER BY c.at DESC, c.message DESC) - c.count AS newer
        FROM ${OF_TEAM} CROSS JOIN link_clicks c ON c.link_id = l.id
        WHERE ${isThis({ team, id })} ORDER BY c.at DESC, c.message DESC LIMIT ${most})
      WHERE newer < ${most}`,
  rowReader(pickColumns(linkClicks, ["clicks"])),
);

/** The days of a link since one of them, newest first. */
export const daysOf = prepared(
  ({ team, id, since }: Params<Wanted & { since: number }>) =>
    sql`SELECT c.day, c.clicks, c.countries, c.devices, c.counted_only FROM ${OF_TEAM}
      CROSS JOIN link_days c ON c.link_id = l.id
      WHERE ${isThis({ team, id })} AND c.day >= ${since} ORDER BY c.day DESC`,
  rowReader(pickColumns(linkDays, ["day", "clicks", "countries", "devices", "countedOnly"])),
);

const readDomain = rowReader(pickColumns(domains, ["id", "host", "verifiedAt"]));

/** The domain of a link; the team's, or no row. */
export const findDomain = prepared(
  ({ team, id }: Params<Wanted>) =>
    sql`SELECT id, host, verified_at FROM domains
      WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL`,
  readDomain,
);

export type LinkDomain = ReturnType<typeof readDomain>;

/** Finds those of the hosts, a JSON list, on which short links stand: across all teams. */
export const shortHostsAmong = prepared(
  ({ hosts }: Params<{ hosts: string }>) =>
    sql`SELECT host FROM domains WHERE host IN (SELECT value FROM json_each(${hosts}))
      AND deleted_at IS NULL AND verified_at IS NOT NULL`,
  valueReader(domains.host),
);

const readHolder = rowReader({
  ...pickColumns(shortLinks, ["teamId"]),
  isUsed: flag("is_used").notNull(),
});

/** A team that has a slug, and whether a link of it uses the slug. */
export type SlugHolder = ReturnType<typeof readHolder>;

type SlugPlace = { domainId: number; slugKey: string };

/** Finds who has a slug, of whatever team. */
export const holdersOf = prepared(
  ({ domainId, slugKey }: Params<SlugPlace>) =>
    sql`SELECT team_id, deleted_at IS NULL AS is_used FROM short_links
      WHERE domain_id = ${domainId} AND slug_key = ${slugKey}
      UNION ALL SELECT team_id, 0 FROM slug_owners WHERE slug_key = ${slugKey} AND ${domainId} = ${OWN_DOMAIN}`,
  readHolder,
);

/** Takes the slug of a link that the same team deleted away from it. */
export const releaseSlug = preparedWrite(
  ({ teamId, domainId, slugKey }: Params<SlugPlace & { teamId: number }>) =>
    sql`UPDATE short_links SET slug_key = NULL WHERE domain_id = ${domainId} AND slug_key = ${slugKey}
      AND team_id = ${teamId} AND deleted_at IS NOT NULL`,
);

/** Fields of a link that callers set. */
export type LinkFields = Pick<
  LinkRow,
  | "domainId"
  | "slug"
  | "slugKey"
  | "destination"
  | "isActive"
  | "useDeeplink"
  | "botProtection"
  | "safeUrl"
  | "title"
  | "description"
  | "imageUrl"
  | "rules"
>;

/** Holds where the domain is still there and verified. */
const isServed = (domainId: number): SQL =>
  domainId === OWN_DOMAIN
    ? sql`TRUE`
    : sql`EXISTS (SELECT 1 FROM domains WHERE id = ${domainId} AND deleted_at IS NULL
        AND verified_at IS NOT NULL)`;

/**
 * Holds where no other link has a slug and, on the instance's own address, no other team ever had it.
 *
 * Spec is silent: links that were shared or printed live longer than their rows. The team that proves a custom
 * domain may use every slug of it.
 */
function isFree({ domainId, slugKey }: LinkPlace, team: number, exceptId = 0): SQL {
  const hasNoLink = sql`NOT EXISTS (SELECT 1 FROM short_links
    WHERE domain_id = ${domainId} AND slug_key = ${slugKey} AND id <> ${exceptId})`;
  if (domainId !== OWN_DOMAIN) return hasNoLink;
  return sql`${hasNoLink} AND NOT EXISTS (SELECT 1 FROM slug_owners
    WHERE slug_key = ${slugKey} AND team_id <> ${team})`;
}

/** The id of the link that the statement before inserted. */
export const NEW_ID = sql`last_insert_rowid()`;

/** Inserts a link where `isNew` holds and its slug is free. */
export const insertLink = (
  row: LinkFields & Pick<LinkRow, "teamId" | "createdBy" | "createdAt">,
  isNew: FirstTime["isNew"],
): Query<number[]> =>
  sqlQuery(
    sql`INSERT INTO short_links (team_id, domain_id, slug, slug_key, destination, is_active, use_deeplink,
        bot_protection, safe_url, title, description, image_url, created_by, created_at, updated_at, rules)
      SELECT ${row.teamId}, ${row.domainId}, ${row.slug}, ${row.slugKey}, ${row.destination},
        ${Number(row.isActive)}, ${Number(row.useDeeplink)}, ${Number(row.botProtection)}, ${row.safeUrl},
        ${row.title}, ${row.description}, ${row.imageUrl}, ${row.createdBy}, ${row.createdAt.getTime()},
        ${row.createdAt.getTime()}, ${JSON.stringify(row.rules)}
      WHERE ${isNew} AND ${isServed(row.domainId)} AND ${isFree(row, row.teamId)}
      RETURNING id AS value`,
    readNumber,
  );

const STORED: { [F in keyof LinkFields]: string } = {
  domainId: "domain_id",
  slug: "slug",
  slugKey: "slug_key",
  destination: "destination",
  isActive: "is_active",
  useDeeplink: "use_deeplink",
  botProtection: "bot_protection",
  safeUrl: "safe_url",
  title: "title",
  description: "description",
  imageUrl: "image_url",
  rules: "rules",
};

function toStored(value: LinkFields[keyof LinkFields]): string | number | null {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** Sets fields of a link where its place stays free for it and a new domain is verified. */
export function updateLink(
  team: number,
  id: number,
  { fields, place, at }: { fields: Partial<LinkFields>; place: LinkPlace; at: Date },
): Query<number> {
  const sets = Object.entries(fields).map(
    ([name, value]) => sql`${sql.raw(STORED[name as keyof LinkFields])} = ${toStored(value)}`,
  );
  const list = sql.join([...sets, sql`updated_at = ${at.getTime()}`], sql`, `);
  return sqlWrite(sql`UPDATE short_links AS l SET ${list} WHERE ${isThis({ team, id })}
    AND ${isServed(fields.domainId ?? OWN_DOMAIN)} AND ${isFree(place, team, id)}`);
}

export type LinkPlace = Pick<LinkRow, "domainId" | "slugKey">;

export const deleteLink = preparedWrite(
  ({ team, id, at }: Params<Wanted & { at: Date }>) =>
    sql`UPDATE short_links AS l SET deleted_at = ${at}, is_active = 0 WHERE ${isThis({ team, id })}`,
);

/** Finds the link that comes `count` links after the first with an id of `from` or more. */
export const linkAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id AS value FROM short_links WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    readNumber,
  );

/** The next `count` links, those that were deleted included. */
const nextLinks = (from: number, count: number): SQL =>
  sql`(SELECT id, deleted_at FROM short_links WHERE id >= ${from} ORDER BY id LIMIT ${count})`;

const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** A slice of the clicks of the next `count` links, beginning with `from`: `most` rows. */
interface Slice {
  from: number;
  count: number;
  most: number;
}

/** Removes the clicks before a moment; all of a link that was deleted. */
export const removeClicks = ({ from, count, most }: Slice, before: Date): Query<number> =>
  sqlWrite(sql`DELETE FROM link_clicks WHERE (link_id, at, message) IN (
    SELECT c.link_id, c.at, c.message FROM ${nextLinks(from, count)} l
      CROSS JOIN link_clicks c ON c.link_id = l.id
        AND c.at < CASE WHEN l.deleted_at IS NULL THEN ${before.getTime()} ELSE ${END_OF_TIME} END
      LIMIT ${most})`);

/** Removes up to `most` messages of clicks that were counted before a moment. */
export const removeCounted = (before: Date, most: number): Query<number> =>
  sqlWrite(sql`DELETE FROM counted_messages WHERE (at, link_id, message) IN (
    SELECT at, link_id, message FROM counted_messages WHERE at < ${before.getTime()} LIMIT ${most})`);

/** Removes the days of links that were deleted. */
export const removeDays = ({ from, count, most }: Slice): Query<number> =>
  sqlWrite(sql`DELETE FROM link_days WHERE (link_id, day) IN (
    SELECT c.link_id, c.day FROM ${nextLinks(from, count)} l
      CROSS JOIN link_days c ON c.link_id = l.id WHERE l.deleted_at IS NOT NULL LIMIT ${most})`);

/** Removes up to `most` rows of a team from each table: a link only once its clicks are gone. */
export const eraseLinks = (team: number, most: number): Query<number>[] =>
  [
    sql`DELETE FROM link_clicks WHERE (link_id, at, message) IN (SELECT c.link_id, c.at, c.message
      FROM short_links l CROSS JOIN link_clicks c ON c.link_id = l.id WHERE l.team_id = ${team} LIMIT ${most})`,
    sql`DELETE FROM link_days WHERE (link_id, day) IN (SELECT c.link_id, c.day
      FROM short_links l CROSS JOIN link_days c ON c.link_id = l.id WHERE l.team_id = ${team} LIMIT ${most})`,
    sql`DELETE FROM short_links WHERE id IN (SELECT id FROM short_links l WHERE team_id = ${team}
      AND NOT EXISTS (SELECT 1 FROM link_clicks WHERE link_id = l.id)
      AND NOT EXISTS (SELECT 1 FROM link_days WHERE link_id = l.id) LIMIT ${most})`,
  ].map(sqlWrite);
