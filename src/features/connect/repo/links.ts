import { type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite, type Query, sqlQuery } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { teams } from "../../teams/table.ts";
import { isUnrevoked } from "../../tokens/repo.ts";
import { MAX_LISTED_LINKS, MAX_PENDING_LINKS } from "../rules.ts";
import { type ConnectionLinkRow, connectionLinks } from "../table.ts";

const readLink = rowReader(connectionLinks);
const readBranding = rowReader(pickColumns(teams, ["branding"]));

/** `tags`: JSON. */
type NewLink = Omit<
  ConnectionLinkRow,
  "id" | "tags" | "createdAt" | "connectedAt" | "accountId"
> & { tags: string; now: Date };

const isPending = (now: SQL): SQL => sql`account_id IS NULL AND expires_at > ${now}`;

/** Returns no row for a repeated call, and if too many links are pending. */
export function insertLink(link: NewLink, isNew: FirstTime["isNew"]): Query<ConnectionLinkRow[]> {
  const { teamId } = link;
  const [now, expiresAt] = [link.now.getTime(), link.expiresAt.getTime()];
  const insert = sql`INSERT INTO connection_links (team_id, platform, mode, logo_url, title, description,
      redirect_url, tags, created_by, token_id, created_at, expires_at, type)
    SELECT ${teamId}, ${link.platform}, ${link.mode}, ${link.logoUrl}, ${link.title},
      ${link.description}, ${link.redirectUrl}, ${link.tags}, ${link.createdBy},
      ${link.tokenId}, ${now},
      ${expiresAt}, ${link.type}
    WHERE ${isNew} AND ${isUnrevoked(link.tokenId)}
      AND (SELECT count(*) FROM connection_links WHERE team_id = ${teamId} AND ${isPending(sql`${now}`)})
      < ${sql.raw(`${MAX_PENDING_LINKS}`)}
    RETURNING *`;
  return sqlQuery(insert, readLink);
}

export const linksOfTeam = prepared(
  ({ team, now }: Params<{ team: SQL; now: Date }>) =>
    sql`SELECT * FROM connection_links WHERE id IN (
        SELECT id FROM connection_links WHERE team_id = ${team} AND ${isPending(now)}
        UNION SELECT id FROM (SELECT id FROM connection_links WHERE team_id = ${team}
          ORDER BY id DESC LIMIT ${sql.raw(`${MAX_LISTED_LINKS}`)}))
      ORDER BY id DESC`,
  readLink,
);

export const linkById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT l.*, t.branding FROM connection_links l JOIN teams t ON t.id = l.team_id
      WHERE l.id = ${id} AND t.deleted_at IS NULL`,
  (row) => ({ ...readLink(row), ...readBranding(row) }),
);

export const linkOfTeam = prepared(
  ({ teamId, id }: Params<{ teamId: number; id: number }>) =>
    sql`SELECT * FROM connection_links WHERE id = ${id} AND team_id = ${teamId}`,
  readLink,
);

/** @param claimsEndAt claims before this time have ended */
const isUnclaimed = (claimsEndAt: SQL): SQL =>
  sql`(connected_at IS NULL OR connected_at <= ${claimsEndAt})`;

interface Change {
  id: number;
  now: Date;
  claimsEndAt: Date;
}

export const deleteLink = preparedWrite(
  ({ teamId, id, now, claimsEndAt }: Params<Change & { teamId: number }>) =>
    sql`DELETE FROM connection_links WHERE id = ${id} AND team_id = ${teamId}
      AND ${isPending(now)} AND ${isUnclaimed(claimsEndAt)}`,
);

export const claimLink = preparedWrite(
  ({ id, now, claimsEndAt }: Params<Change>) =>
    sql`UPDATE connection_links SET connected_at = ${now}
      WHERE id = ${id} AND ${isPending(now)} AND ${isUnclaimed(claimsEndAt)}
        AND EXISTS (SELECT 1 FROM teams WHERE teams.id = team_id AND teams.deleted_at IS NULL)`,
);

export const releaseLink = preparedWrite(
  ({ id }: Params<{ id: number }>) =>
    sql`UPDATE connection_links SET connected_at = NULL WHERE id = ${id} AND account_id IS NULL`,
);

export const finishLink = preparedWrite(
  ({ id, accountId }: Params<{ id: number; accountId: string }>) =>
    sql`UPDATE connection_links SET account_id = ${accountId} WHERE id = ${id}`,
);

export const forgetLinks = preparedWrite(
  ({ before, max }: Params<{ before: Date; max: number }>) =>
    sql`DELETE FROM connection_links WHERE id IN
      (SELECT id FROM connection_links WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${max})`,
);

export type BrandedLink = ConnectionLinkRow & { branding: (typeof teams.$inferSelect)["branding"] };
