import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../../core/platforms.ts";
import { prepared, sqlQuery } from "../../../db/client.ts";
import { flag, instant, json } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { teams } from "../../teams/table.ts";
import type { StoredPost } from "../rules/snapshots.ts";
import type { HashtagUse, Summary } from "../rules/summary.ts";
import type { StoredSeries } from "../stored.ts";
import type { SyncError } from "../table.ts";

/** Answers null for the instance's default plan. */
export const planOf = (team: SQL) =>
  sqlQuery(
    sql`SELECT coalesce(plan, base_plan) AS plan FROM teams WHERE id = ${team}`,
    valueReader(teams.plan),
  );

const measured = {
  ...pickColumns(accounts, ["id", "accountName", "platform", "status", "tags"]),
  syncedAt: instant("synced_at"),
  errors: json<SyncError[]>("errors"),
  series: json<StoredSeries>("series"),
  summary: json<Summary>("summary"),
};
const readMeasured = rowReader(measured);
const readFound = rowReader({ ...measured, isOwn: flag("is_own").notNull() });

/** Figures are null before the first reading. */
export type MeasuredAccount = ReturnType<typeof readMeasured>;

const COLUMNS = sql`a.id, a.account_name, a.platform, a.status, a.tags, n.synced_at, n.errors, n.series, n.summary`;

export const measuredAccounts = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT ${COLUMNS}
      FROM accounts a LEFT JOIN analytics n ON n.team_id = a.team_id AND n.account_id = a.id
      WHERE a.team_id = ${team} AND a.deleted_at IS NULL ORDER BY a.id`,
  readMeasured,
);

/** Finds any team's account, but only the own team's figures. */
export const findMeasured = prepared(
  ({ team, id }: Params<{ team: SQL; id: string }>) =>
    sql`SELECT a.team_id = mine.id AS is_own, ${COLUMNS}
      FROM (SELECT ${team} AS id) mine CROSS JOIN accounts a ON a.id = ${id} AND a.deleted_at IS NULL
        LEFT JOIN analytics n ON n.team_id = mine.id AND n.account_id = a.id
      WHERE mine.id IS NOT NULL`,
  readFound,
);

export const postsOf = prepared(
  ({ team, id }: Params<{ team: number | SQL; id: string }>) =>
    sql`SELECT posts FROM analytics_posts WHERE team_id = ${team} AND account_id = ${id}`,
  valueReader(json<readonly StoredPost[]>("posts").notNull()),
);

export const rehearsedPosts = prepared(
  ({ team, id }: Params<{ team: number | SQL; id: string }>) =>
    sql`SELECT platform_post_id FROM rehearsals
      WHERE account_id = ${id} AND team_id = ${team} AND platform_post_id IS NOT NULL`,
  valueReader(text("platform_post_id").notNull()),
);

export const measuredHashtags = prepared(
  ({
    team,
    platform,
    accountId,
  }: Params<{ team: SQL; platform: Platform; accountId: string | null }>) =>
    sql`SELECT json_extract(n.summary, '$.hashtags') AS hashtags
      FROM accounts a JOIN analytics n ON n.team_id = a.team_id AND n.account_id = a.id
      WHERE a.team_id = ${team} AND a.platform = ${platform} AND a.deleted_at IS NULL
        AND (${accountId} IS NULL OR a.id = ${accountId})`,
  valueReader(json<HashtagUse[]>("hashtags")),
);
