import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { uploads } from "../../posts/table.ts";
import { teams } from "../../teams/table.ts";
import { isUnrevoked } from "../../tokens/repo.ts";
import { MAX_OPEN_LINKS } from "../rules.ts";
import { type ReviewLinkRow, reviewLinks, reviewPosts } from "../table.ts";

const readCandidate = rowReader(pickColumns(uploads, ["id", "status", "accountId"]));

/** The rows are in no particular order. */
export const candidates = (team: SQL, ids: readonly number[]) =>
  sqlQuery(
    sql`SELECT u.id, u.status, u.account_id FROM json_each(${JSON.stringify(ids)}) wanted
      CROSS JOIN uploads u ON u.id = wanted.value
      WHERE u.team_id = ${team} AND u.deleted_at IS NULL`,
    readCandidate,
  );

export const awaitingApproval = (team: SQL, max: number) =>
  sqlQuery(
    sql`SELECT id, status, account_id FROM uploads
      WHERE team_id = ${team} AND status_group = 'pending_approval' AND deleted_at IS NULL
      ORDER BY sort_at, id LIMIT ${max}`,
    readCandidate,
  );

type NewLink = Omit<ReviewLinkRow, "id">;

const readLink = rowReader(reviewLinks);

export const linkOfTeam = (teamId: number, id: number): Query<ReviewLinkRow[]> =>
  sqlQuery(sql`SELECT * FROM review_links WHERE id = ${id} AND team_id = ${teamId}`, readLink);

/** The first statement returns no row for a repeated call, and when a post awaits no approval or the team has too many links. */
export function insertLink(
  link: NewLink,
  isNew: FirstTime["isNew"],
): [Query<ReviewLinkRow[]>, Query<number>] {
  const { teamId, createdBy, tokenId } = link;
  const ids = JSON.stringify(link.uploadIds);
  const [createdAt, expiresAt] = [link.createdAt.getTime(), link.expiresAt.getTime()];
  return [
    sqlQuery(
      sql`INSERT INTO review_links (team_id, upload_ids, created_by, token_id, created_at, expires_at)
        SELECT ${teamId}, ${ids}, ${createdBy}, ${tokenId}, ${createdAt}, ${expiresAt}
        WHERE ${isNew} AND ${isUnrevoked(tokenId)} AND (SELECT COUNT(*) FROM review_links
            WHERE team_id = ${teamId} AND expires_at > ${createdAt}) < ${MAX_OPEN_LINKS}
          AND (SELECT COUNT(*) FROM json_each(${ids}) item CROSS JOIN uploads u ON u.id = item.value
            WHERE u.team_id = ${teamId} AND u.status = 'pending_approval' AND u.deleted_at IS NULL)
            = ${link.uploadIds.length}
        RETURNING *`,
      readLink,
    ),
    sqlWrite(
      sql`INSERT INTO review_posts (team_id, upload_id, link_id, expires_at)
        SELECT ${teamId}, value, last_insert_rowid(), ${expiresAt}
        FROM json_each(${ids}) WHERE changes() > 0`,
    ),
  ];
}

const readListed = rowReader({
  ...pickColumns(reviewLinks, ["id", "uploadIds", "createdAt", "expiresAt"]),
  awaiting: integer("awaiting").notNull(),
});

/** `awaiting`: posts that still await a decision. */
export type ListedLink = ReturnType<typeof readListed>;

export const openLinks = prepared(
  ({ team, now, max }: Params<{ team: SQL; now: Date; max: number }>) =>
    sql`SELECT l.id, l.upload_ids, l.created_at, l.expires_at,
        (SELECT COUNT(*) FROM json_each(l.upload_ids) item CROSS JOIN uploads u ON u.id = item.value
          WHERE u.team_id = l.team_id AND u.status = 'pending_approval' AND u.deleted_at IS NULL)
          AS awaiting
      FROM review_links l WHERE l.team_id = ${team} AND l.expires_at > ${now}
      ORDER BY l.expires_at DESC, l.id DESC LIMIT ${max}`,
  readListed,
);

export const openLinkOfPost = prepared(
  ({ team, uploadId, now }: Params<{ team: SQL; uploadId: number; now: Date }>) =>
    sql`SELECT * FROM review_posts
      WHERE team_id = ${team} AND upload_id = ${uploadId} AND expires_at > ${now}
      ORDER BY link_id DESC LIMIT 1`,
  rowReader(reviewPosts),
);

/** The last statement returns 1 when the team had the link. */
export const deleteLink = (teamId: number, id: number): Query<number>[] => [
  sqlWrite(sql`DELETE FROM review_posts WHERE team_id = ${teamId} AND link_id = ${id}
    AND upload_id IN (SELECT item.value FROM review_links l, json_each(l.upload_ids) item
      WHERE l.id = ${id} AND l.team_id = ${teamId})`),
  sqlWrite(sql`DELETE FROM review_links WHERE id = ${id} AND team_id = ${teamId}`),
];

const ENDED = (before: SQL, max: SQL): SQL =>
  sql`SELECT id FROM review_links WHERE expires_at < ${before} ORDER BY expires_at, id LIMIT ${max}`;

/** Precedes `forgetLinks` for the same links. */
export const forgetPosts = preparedWrite(
  ({ before, max }: Params<{ before: Date; max: number }>) =>
    sql`DELETE FROM review_posts WHERE (team_id, upload_id, link_id) IN (
      SELECT l.team_id, item.value, l.id FROM review_links l, json_each(l.upload_ids) item
      WHERE l.id IN (${ENDED(sql`${before}`, sql`${max}`)}))`,
);

export const forgetLinks = preparedWrite(
  ({ before, max }: Params<{ before: Date; max: number }>) =>
    sql`DELETE FROM review_links WHERE id IN (${ENDED(sql`${before}`, sql`${max}`)})`,
);

const readBranded = rowReader({
  ...pickColumns(reviewLinks, ["id", "teamId", "createdBy", "createdAt", "expiresAt"]),
  ...pickColumns(teams, ["branding", "zone"]),
});

export type BrandedLink = ReturnType<typeof readBranded>;

/** No row for a withdrawn link or a deleted team. */
export const linkById = prepared(
  ({ id }: Params<{ id: number }>) =>
    sql`SELECT l.id, l.team_id, l.created_by, l.created_at, l.expires_at, t.branding, t.zone
      FROM review_links l JOIN teams t ON t.id = l.team_id
      WHERE l.id = ${id} AND t.deleted_at IS NULL`,
  readBranded,
);
