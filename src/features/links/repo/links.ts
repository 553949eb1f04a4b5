import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { assignments, insertIf } from "../../../db/assignments.ts";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag, json } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { domains } from "../../domains/table.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { linkClicks, linkDays, shortLinks } from "../table.ts";
import { OWN_DOMAIN, SHORT_HOSTS } from "./addresses.ts";

export type LinkRow = typeof shortLinks.$inferSelect;

const LISTED = [
  "id",
  "domainId",
  "slug",
  "destination",
  "clicks",
  "isActive",
  "useDeeplink",
  "botProtection",
  "safeUrl",
  "title",
  "description",
  "imageUrl",
  "createdAt",
] as const;

const host = text("host");
interface Team {
  team: number | SQL;
}
type LinkId = Team & { id: number };

const readListed = rowReader({ ...pickColumns(shortLinks, LISTED), host });
const readWhole = rowReader({
  ...pickColumns(shortLinks, [...LISTED, "rules", "updatedAt"]),
  host,
});
const readNumber = valueReader(integer("value").notNull());

/** `host`: null on the instance's own address. */
export type ListedLink = ReturnType<typeof readListed>;
export type WholeLink = ReturnType<typeof readWhole>;

const columns = sql.raw(
  Object.values(pickColumns(shortLinks, LISTED))
    .map(({ name }) => `l.${name}`)
    .join(", "),
);

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

const hasWords = (words: string): SQL =>
  sql`instr(lower(l.slug || char(10) || l.destination || char(10) || coalesce(l.title, '')), ${words}) > 0`;

interface Search extends Team {
  words: string;
}

export const linksWith = ({
  team,
  words,
  limit,
  offset,
}: Search & { limit: number; offset: number }): Query<ListedLink[]> =>
  sqlQuery(
    sql`SELECT ${columns}, d.host FROM short_links l LEFT JOIN domains d ON d.id = l.domain_id
      WHERE l.team_id = ${team} AND l.deleted_at IS NULL AND ${hasWords(words)}
      ORDER BY l.id DESC LIMIT ${limit} OFFSET ${offset}`,
    readListed,
  );

export const countLinksWith = ({ team, words }: Search): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS value FROM short_links l
      WHERE l.team_id = ${team} AND l.deleted_at IS NULL AND ${hasWords(words)}`,
    readNumber,
  );

const isThis = ({ team, id }: LinkId | Params<LinkId>): SQL =>
  sql`l.id = ${id} AND l.team_id = ${team} AND l.deleted_at IS NULL`;

/** With this index, the query reads no link for an unknown caller. */
const OF_TEAM = sql.raw("short_links l INDEXED BY short_links_of_team");

export const findLink = prepared(
  (link: Params<LinkId>) =>
    sql`SELECT ${columns}, l.rules, l.updated_at, d.host FROM ${OF_TEAM} LEFT JOIN domains d ON d.id = l.domain_id
      WHERE ${isThis(link)}`,
  readWhole,
);

const readOnPage = rowReader({
  ...pickColumns(shortLinks, [...LISTED, "rules", "updatedAt"]),
  ...pickColumns(domains, ["verifiedAt"]),
  host,
  shortHosts: json<string[]>("shortHosts").notNull(),
});

export type LinkOnPage = ReturnType<typeof readOnPage>;

export const linkOnPage = ({ team, id }: LinkId): Query<LinkOnPage[]> =>
  sqlQuery(
    sql`SELECT ${columns}, l.rules, l.updated_at, d.host, d.verified_at, ${sql.raw(SHORT_HOSTS)} AS "shortHosts"
      FROM ${OF_TEAM} LEFT JOIN domains d ON d.id = l.domain_id WHERE ${isThis({ team, id })}`,
    readOnPage,
  );

/** The result may exceed `max`, because a row holds several clicks. */
export const newestClicks = prepared(
  ({ team, id, max }: Params<LinkId & { max: number }>) =>
    sql`SELECT clicks FROM (
        SELECT c.clicks, SUM(c.count) OVER (ORDER BY c.at DESC, c.message DESC) - c.count AS newer
        FROM ${OF_TEAM} CROSS JOIN link_clicks c ON c.link_id = l.id
        WHERE ${isThis({ team, id })} ORDER BY c.at DESC, c.message DESC LIMIT ${max})
      WHERE newer < ${max}`,
  rowReader(pickColumns(linkClicks, ["clicks"])),
);

export const daysOf = prepared(
  ({ team, id, since }: Params<LinkId & { since: number }>) =>
    sql`SELECT c.day, c.clicks, c.countries, c.devices, c.rules, c.quarters, c.counted_only FROM ${OF_TEAM}
      CROSS JOIN link_days c ON c.link_id = l.id
      WHERE ${isThis({ team, id })} AND c.day >= ${since} ORDER BY c.day DESC`,
  rowReader(
    pickColumns(linkDays, [
      "day",
      "clicks",
      "countries",
      "devices",
      "rules",
      "quarters",
      "countedOnly",
    ]),
  ),
);

const readDomain = rowReader(pickColumns(domains, ["id", "host", "verifiedAt"]));

export const domainsForLinks = ({ team }: Team): Query<LinkDomain[]> =>
  sqlQuery(
    sql`SELECT id, host, verified_at FROM domains WHERE team_id = ${team} AND deleted_at IS NULL
      ORDER BY host`,
    readDomain,
  );

export const findDomain = prepared(
  ({ team, id }: Params<LinkId>) =>
    sql`SELECT id, host, verified_at FROM domains
      WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL`,
  readDomain,
);

export type LinkDomain = ReturnType<typeof readDomain>;

/** @param hosts JSON list */
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

/** `isUsed`: an existing link has the slug. */
export type SlugHolder = ReturnType<typeof readHolder>;

type SlugPlace = { domainId: number; slugKey: string };

/** Teams that hold or held a slug. */
export const holdersOf = prepared(
  ({ domainId, slugKey }: Params<SlugPlace>) =>
    sql`SELECT team_id, deleted_at IS NULL AS is_used FROM short_links
      WHERE domain_id = ${domainId} AND slug_key = ${slugKey}
      UNION ALL SELECT team_id, 0 FROM slug_owners WHERE slug_key = ${slugKey} AND ${domainId} = ${OWN_DOMAIN}`,
  readHolder,
);

/** Takes the slug from the team's own deleted link. */
export const releaseSlug = preparedWrite(
  ({ teamId, domainId, slugKey }: Params<SlugPlace & { teamId: number }>) =>
    sql`UPDATE short_links SET slug_key = NULL WHERE domain_id = ${domainId} AND slug_key = ${slugKey}
      AND team_id = ${teamId} AND deleted_at IS NOT NULL`,
);

export type LinkFields = Omit<
  LinkRow,
  "id" | "teamId" | "clicks" | "createdBy" | "createdAt" | "updatedAt" | "deletedAt"
>;

const isServed = (domainId: number): SQL =>
  domainId === OWN_DOMAIN
    ? sql`TRUE`
    : sql`EXISTS (SELECT 1 FROM domains WHERE id = ${domainId} AND deleted_at IS NULL
        AND verified_at IS NOT NULL)`;

/**
 * On the instance's own address, a slug stays with its first team.
 *
 * Spec is silent: shared or printed links outlive their rows.
 */
function isFree({ domainId, slugKey }: StoredAddress, team: number, exceptId = 0): SQL {
  const hasNoLink = sql`NOT EXISTS (SELECT 1 FROM short_links
    WHERE domain_id = ${domainId} AND slug_key = ${slugKey} AND id <> ${exceptId})`;
  if (domainId !== OWN_DOMAIN) return hasNoLink;
  return sql`${hasNoLink} AND NOT EXISTS (SELECT 1 FROM slug_owners
    WHERE slug_key = ${slugKey} AND team_id <> ${team})`;
}

export const NEW_ID = sql`last_insert_rowid()`;

/** Does nothing for a repeated call or a taken slug. */
export function insertLink(
  row: LinkFields & Pick<LinkRow, "teamId" | "createdBy" | "createdAt">,
  isNew: FirstTime["isNew"],
): Query<number[]> {
  const condition = sql`${isNew} AND ${isServed(row.domainId)} AND ${isFree(row, row.teamId)}`;
  const insert = insertIf(shortLinks, { ...row, updatedAt: row.createdAt }, condition);
  return sqlQuery(sql`${insert} RETURNING id AS value`, readNumber);
}

interface Update {
  fields: Partial<LinkFields>;
  address: StoredAddress;
  at: Date;
  /** Null for any version. */
  seenAt: Date | null;
}

/**
 * Does nothing if the slug is taken, the domain is not verified, or the link was changed after `seenAt`. Every change
 * has a later `updatedAt` than the one before, also within a millisecond.
 */
export function updateLink(
  team: number,
  id: number,
  { fields, address, at, seenAt }: Update,
): Query<number> {
  const updatedAt = sql`max(${at.getTime()}, l.updated_at + 1)`;
  const changes = assignments(shortLinks, { ...fields, updatedAt });
  const isSeen = seenAt === null ? sql`TRUE` : sql`l.updated_at = ${seenAt.getTime()}`;
  return sqlWrite(sql`UPDATE short_links AS l SET ${changes} WHERE ${isThis({ team, id })}
    AND ${isSeen} AND ${isServed(fields.domainId ?? OWN_DOMAIN)} AND ${isFree(address, team, id)}`);
}

export type StoredAddress = Pick<LinkRow, "domainId" | "slugKey">;

export const deleteLink = preparedWrite(
  ({ team, id, at }: Params<LinkId & { at: Date }>) =>
    sql`UPDATE short_links AS l SET deleted_at = ${at}, is_active = 0 WHERE ${isThis({ team, id })}`,
);

export const linkAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id AS value FROM short_links WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    readNumber,
  );

const nextLinks = (from: number, count: number): SQL =>
  sql`(SELECT id, deleted_at FROM short_links WHERE id >= ${from} ORDER BY id LIMIT ${count})`;

const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** At most `max` rows of `count` links, whose ids begin at `from`. */
interface Slice {
  from: number;
  count: number;
  max: number;
}

/** Also removes all clicks of deleted links. */
export const removeClicks = ({ from, count, max }: Slice, before: Date): Query<number> =>
  sqlWrite(sql`DELETE FROM link_clicks WHERE (link_id, at, message) IN (
    SELECT c.link_id, c.at, c.message FROM ${nextLinks(from, count)} l
      CROSS JOIN link_clicks c ON c.link_id = l.id
        AND c.at < CASE WHEN l.deleted_at IS NULL THEN ${before.getTime()} ELSE ${END_OF_TIME} END
      LIMIT ${max})`);

export const removeCounted = (before: Date, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM counted_messages WHERE (at, link_id, message) IN (
    SELECT at, link_id, message FROM counted_messages WHERE at < ${before.getTime()} LIMIT ${max})`);

export const removeDays = ({ from, count, max }: Slice): Query<number> =>
  sqlWrite(sql`DELETE FROM link_days WHERE (link_id, day) IN (
    SELECT c.link_id, c.day FROM ${nextLinks(from, count)} l
      CROSS JOIN link_days c ON c.link_id = l.id WHERE l.deleted_at IS NOT NULL LIMIT ${max})`);

/** A link is removed after its clicks. */
export const eraseLinks = (team: number, max: number): Query<number>[] =>
  [
    sql`DELETE FROM link_clicks WHERE (link_id, at, message) IN (SELECT c.link_id, c.at, c.message
      FROM short_links l CROSS JOIN link_clicks c ON c.link_id = l.id WHERE l.team_id = ${team} LIMIT ${max})`,
    sql`DELETE FROM link_days WHERE (link_id, day) IN (SELECT c.link_id, c.day
      FROM short_links l CROSS JOIN link_days c ON c.link_id = l.id WHERE l.team_id = ${team} LIMIT ${max})`,
    sql`DELETE FROM short_links WHERE id IN (SELECT id FROM short_links l WHERE team_id = ${team}
      AND NOT EXISTS (SELECT 1 FROM link_clicks WHERE link_id = l.id)
      AND NOT EXISTS (SELECT 1 FROM link_days WHERE link_id = l.id) LIMIT ${max})`,
  ].map(sqlWrite);
