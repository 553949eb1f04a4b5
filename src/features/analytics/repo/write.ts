import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import type { Platform } from "../../../core/platforms.ts";
import { prepared, preparedWrite, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag, instant, json } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { teams } from "../../teams/table.ts";
import type { DayNumber } from "../rules/days.ts";
import { analytics } from "../table.ts";

const readState = rowReader(analytics);

export const stateOf = prepared(
  ({ team, id }: Params<{ team: number; id: string }>) =>
    sql`SELECT * FROM analytics WHERE team_id = ${team} AND account_id = ${id}`,
  readState,
);

export type AnalyticsRow = ReturnType<typeof readState>;

const readOwn = rowReader({
  uploadId: integer("id").notNull(),
  postId: text("post_id").notNull(),
  url: text("url"),
  title: text("title"),
  description: text("description"),
  publishedAt: instant("uploaded_at").notNull(),
  replies: json<readonly OwnReply[]>("replies"),
});

/** The further posts of a thread. */
export type OwnReply = Record<"id" | "url" | "text", string | null>;

export const ownPosts = prepared(
  ({ team, id, max }: Params<{ team: number | SQL; id: string; max: number }>) =>
    sql`SELECT id, metadata ->> 'videoId' AS post_id, metadata ->> 'shareUrl' AS url,
        substr(title, 1, 500) AS title, substr(description, 1, 2000) AS description, uploaded_at,
        iif(parts IS NULL, NULL, (SELECT json_group_array(json_object('id', p.value ->> 'platformPostId',
          'url', p.value ->> 'shareUrl', 'text', substr(p.value ->> 'text', 1, 500)))
          FROM json_each(parts) p WHERE p.value ->> 'kind' = 'post')) AS replies
      FROM uploads WHERE account_id = ${id} AND team_id = ${team} AND counted_at IS NOT NULL AND status = 'completed'
        AND uploaded_at IS NOT NULL AND unpublished_at IS NULL AND metadata ->> 'videoId' IS NOT NULL
      ORDER BY counted_at DESC LIMIT ${max}`,
  readOwn,
);

export type OwnRow = ReturnType<typeof readOwn>;

interface Stored {
  team: number;
  id: string;
  /** 0 without a row. */
  version: number;
  night: string | null;
  bookmark: string | null;
  syncedAt: Date | null;
  errors: string;
  series: string;
  summary: string;
}

type Place = Params<Pick<Stored, "team" | "id" | "version">>;

/** SQL condition: the version is unchanged and the account connected. */
const isUnchanged = ({ team, id, version }: Place) =>
  sql`coalesce((SELECT version FROM analytics
        WHERE team_id = ${team} AND account_id = ${id}), 0) = ${version}
      AND EXISTS (SELECT 1 FROM accounts
        WHERE id = ${id} AND team_id = ${team} AND deleted_at IS NULL)`;

/** Must precede `storeState` in the batch, which changes the version. */
export const storePosts = preparedWrite(
  ({ team, id, version, posts }: Place & Params<{ posts: string }>) =>
    sql`INSERT INTO analytics_posts (team_id, account_id, posts)
      SELECT ${team}, ${id}, ${posts} WHERE ${isUnchanged({ team, id, version })}
      ON CONFLICT DO UPDATE SET posts = excluded.posts`,
);

/** Answers 0 when another sync was stored first. */
export const storeState = preparedWrite(
  ({ team, id, version, night, bookmark, syncedAt, errors, series, summary }: Params<Stored>) =>
    sql`INSERT INTO analytics (team_id, account_id, version, night, bookmark, synced_at, errors, series,
        summary)
      SELECT ${team}, ${id}, ${version} + 1, ${night}, ${bookmark}, ${syncedAt}, ${errors}, ${series},
        ${summary}
      WHERE ${isUnchanged({ team, id, version })}
      ON CONFLICT DO UPDATE SET version = excluded.version, night = excluded.night,
        bookmark = excluded.bookmark, synced_at = excluded.synced_at, errors = excluded.errors,
        series = excluded.series, summary = excluded.summary`,
);

interface AccountSlice {
  after: string;
  count: number;
}

/** Answers the last id of a full slice. */
export const accountAfter = ({ after, count }: AccountSlice) =>
  sqlQuery(
    sql`SELECT id FROM accounts WHERE id > ${after} ORDER BY id LIMIT 1 OFFSET ${count - 1}`,
    valueReader(accounts.id),
  );

interface KeptDays {
  platform: Platform;
  /** The first day that stays. */
  from: DayNumber;
}

/** Removes older days and all months. `packSeries` puts a day's number first in its array. */
export const forgetDays = ({ after, count, kept }: AccountSlice & { kept: KeptDays[] }) =>
  sqlWrite(sql`UPDATE analytics SET version = version + 1, series = json_set(series,
      '$.months', json('[]'),
      '$.days', json((SELECT json_group_array(json(d.value)) FROM json_each(series, '$.days') d
        WHERE d.value ->> 0 >= old.first_day)))
    FROM (SELECT a.team_id, a.id, k.value ->> 'from' AS first_day
      FROM (SELECT id, team_id, platform FROM accounts WHERE id > ${after} ORDER BY id LIMIT ${count}) a
        JOIN json_each(${JSON.stringify(kept)}) k ON k.value ->> 'platform' = a.platform) old
    WHERE analytics.team_id = old.team_id AND analytics.account_id = old.id
      AND (analytics.series ->> '$.days[0][0]' < old.first_day
        OR json_array_length(analytics.series, '$.months') > 0)`);

const readReadable = rowReader({
  ...pickColumns(accounts, ["id", "teamId", "platform"]),
  plan: teams.plan,
  night: text("night"),
  isOpen: flag("is_open"),
});

export const accountsInUse = prepared(
  ({ after, max }: Params<{ after: string; max: number }>) =>
    sql`SELECT a.id, a.team_id, a.platform, coalesce(t.plan, t.base_plan) AS plan, n.night,
        n.bookmark IS NOT NULL AS is_open
      FROM accounts a JOIN teams t ON t.id = a.team_id
        LEFT JOIN analytics n ON n.team_id = a.team_id AND n.account_id = a.id
      WHERE a.id > ${after} AND a.status = 'active' AND a.deleted_at IS NULL
        AND t.deleted_at IS NULL
      ORDER BY a.id LIMIT ${max}`,
  readReadable,
);
