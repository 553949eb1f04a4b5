import { type SQL, sql } from "drizzle-orm";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { teams } from "../../teams/table.ts";
import { isUnrevoked } from "../../tokens/repo.ts";
import { MAX_FEEDS } from "../rules.ts";
import { calendarFeeds, type FeedRow } from "../table.ts";

const readFeed = rowReader(calendarFeeds);

/** A feed ends with its token, and when the person who made it leaves the team, even if they come back. */
const IS_ALIVE = sql`${isUnrevoked(sql`f.token_id`)} AND EXISTS (SELECT 1 FROM members m
  WHERE m.team_id = f.team_id AND m.user_id = f.created_by AND m.is_active = 1
    AND m.joined_at <= f.created_at)`;

export const feedsOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT f.* FROM calendar_feeds f WHERE f.team_id = ${team} AND ${IS_ALIVE} ORDER BY f.id`,
  readFeed,
);

/** Returns no row for a repeated call, and when the team has too many feeds or the token was revoked. */
export const insertFeed = (
  { teamId, createdBy, tokenId, createdAt }: Omit<FeedRow, "id">,
  isNew: FirstTime["isNew"],
) =>
  sqlQuery(
    sql`INSERT INTO calendar_feeds (team_id, created_by, token_id, created_at)
      SELECT ${teamId}, ${createdBy}, ${tokenId}, ${createdAt.getTime()}
      WHERE ${isNew} AND ${isUnrevoked(tokenId)} AND (SELECT COUNT(*) FROM calendar_feeds f
        WHERE f.team_id = ${teamId} AND ${IS_ALIVE}) < ${MAX_FEEDS}
      RETURNING *`,
    readFeed,
  );

export const deleteFeed = (teamId: number, id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM calendar_feeds WHERE id = ${id} AND team_id = ${teamId}`);

const alive = (id: SQL): SQL =>
  sql`FROM calendar_feeds f CROSS JOIN teams t ON t.id = f.team_id AND t.deleted_at IS NULL
    WHERE f.id = ${id} AND ${IS_ALIVE}`;

export const teamOfFeed = prepared(
  ({ id }: Params<{ id: number }>) => sql`SELECT t.id, t.name ${alive(id)}`,
  rowReader(pickColumns(teams, ["id", "name"])),
);

/** SQL for the team's id; NULL when the feed has ended. */
export const teamIdOfFeed = (id: number): SQL => sql`(SELECT t.id ${alive(sql`${id}`)})`;
