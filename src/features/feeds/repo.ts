import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { assignments, insertIf } from "../../db/assignments.ts";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { flag } from "../../db/columns.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Role } from "../../deps.ts";
import { type FeedRow, feedEntries, feeds } from "./table.ts";

const readFeedRow = rowReader(feeds);

export const feedsOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT * FROM feeds WHERE team_id = ${team} ORDER BY id DESC`,
  readFeedRow,
);

export const feedById = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT * FROM feeds WHERE team_id = ${team} AND id = ${id}`,
  readFeedRow,
);

/** Answers no row when the team has `max` feeds. */
export const insertFeed = (row: Omit<FeedRow, "id">, max: number): Query<FeedRow[]> =>
  sqlQuery(
    sql`${insertIf(feeds, row, sql`(SELECT COUNT(*) FROM feeds WHERE team_id = ${row.teamId}) < ${max}`)} RETURNING *`,
    readFeedRow,
  );

export const updateFeed = (
  team: number | SQL,
  id: number,
  set: Partial<FeedRow>,
): Query<FeedRow[]> =>
  sqlQuery(
    sql`UPDATE feeds SET ${assignments(feeds, set)} WHERE id = ${id} AND team_id = ${team} RETURNING *`,
    readFeedRow,
  );

export const deleteFeed = (team: SQL, id: number): Query<number>[] => [
  sqlWrite(sql`DELETE FROM feed_entries WHERE feed_id = ${id} AND team_id = ${team}`),
  sqlWrite(sql`DELETE FROM feeds WHERE id = ${id} AND team_id = ${team}`),
];

/** The first feed that is due; cron asks in each tick. */
export const firstDueFeed = prepared(
  ({ now }: Params<{ now: Date }>) =>
    sql`SELECT id FROM feeds WHERE is_active = 1 AND next_at <= ${now} ORDER BY next_at LIMIT 1`,
  valueReader(feeds.id),
);

const readDue = rowReader({
  ...getTableColumns(feeds),
  role: text("role").$type<Role>(),
  needsApproval: flag("needs_approval").notNull(),
});

/** With the present role of the person who added it; null when that person has left the team. */
export type DueFeed = ReturnType<typeof readDue>;

const dueIds = ({ now, max }: { now: Date; max: number }): SQL =>
  sql`SELECT id FROM feeds WHERE is_active = 1 AND next_at <= ${now.getTime()} ORDER BY next_at, id LIMIT ${max}`;

const dueFeedsWhere = (condition: SQL): SQL =>
  sql`SELECT f.*, t.requires_approval AS needs_approval,
      (SELECT m.role FROM members m WHERE m.team_id = f.team_id AND m.user_id = f.created_by
        AND m.is_active = 1) AS role
    FROM feeds f JOIN teams t ON t.id = f.team_id AND t.deleted_at IS NULL
    WHERE ${condition}`;

/**
 * Reads due feeds as they were, and counts them as asked, which keeps them from others: a check without news writes no
 * more. Both statements belong into one batch.
 */
export const takeDueFeeds = (due: { now: Date; max: number }, next: Date) =>
  [
    sqlQuery(dueFeedsWhere(sql`f.id IN (${dueIds(due)})`), readDue),
    sqlWrite(sql`UPDATE feeds SET next_at = ${next.getTime()}, checked_at = ${due.now.getTime()}
      WHERE id IN (${dueIds(due)})`),
  ] as const;

/** As `takeDueFeeds` reads it. No row once it is deleted, or its team. */
export const dueFeedById = (id: number): Query<DueFeed[]> =>
  sqlQuery(dueFeedsWhere(sql`f.id = ${id}`), readDue);

export const seenKeys = (feedId: number, keys: readonly string[]): Query<string[]> =>
  sqlQuery(
    sql`SELECT key FROM feed_entries
      WHERE feed_id = ${feedId} AND key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
    valueReader(feedEntries.key),
  );

/** Stores the keys of entries. The time of a stored key is renewed when it is more than `againMs` ago. */
export const keepKeys = (
  { id, teamId }: Pick<FeedRow, "id" | "teamId">,
  keys: readonly string[],
  { now, againMs }: { now: Date; againMs: number },
): Query<number> =>
  sqlWrite(sql`INSERT INTO feed_entries (feed_id, key, team_id, seen_at)
      SELECT ${id}, value, ${teamId}, ${now.getTime()} FROM json_each(${JSON.stringify(keys)}) WHERE TRUE
      ON CONFLICT (feed_id, key) DO UPDATE SET seen_at = excluded.seen_at
        WHERE feed_entries.seen_at < ${now.getTime() - againMs}`);

/** Keeps the keys of the team's newest feed, if the previous statement changed a row. */
export const keepFirstKeys = (teamId: number, keys: readonly string[], now: Date): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO feed_entries (feed_id, key, team_id, seen_at)
      SELECT (SELECT MAX(id) FROM feeds WHERE team_id = ${teamId}), value, ${teamId}, ${now.getTime()}
      FROM json_each(${JSON.stringify(keys)}) WHERE changes() > 0`);

export const forgetKeys = (feedId: number, before: Date): Query<number> =>
  sqlWrite(
    sql`DELETE FROM feed_entries WHERE feed_id = ${feedId} AND seen_at < ${before.getTime()}`,
  );
