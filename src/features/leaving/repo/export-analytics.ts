import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery } from "../../../db/client.ts";
import { instant, json } from "../../../db/columns.ts";
import { rowReader } from "../../../db/rows.ts";
import { accounts } from "../../accounts/table.ts";
import { keptSeries } from "../../analytics/rules/apart.ts";
import { type Counters, METRICS } from "../../analytics/rules/counters.ts";
import { toDate } from "../../analytics/rules/days.ts";
import { type StoredPost, type StoredSeries, unpackSeries } from "../../analytics/stored.ts";
import type { ExportDeps, ExportedRow, Section } from "./section.ts";

const named = (counters: Counters | null): Record<string, number | null> =>
  Object.fromEntries(METRICS.map((metric, i) => [metric, counters?.[i] ?? null]));

const readSeries = rowReader({
  accountId: text("account_id").notNull(),
  platform: accounts.platform,
  syncedAt: instant("synced_at"),
  series: json<StoredSeries>("series").notNull(),
});

export const analyticsSection: Section = {
  type: "analytics",
  start: [""],
  rows: (team: SQL, [after = ""], limit: number, deps: ExportDeps): Query<ExportedRow[]> =>
    sqlQuery(
      sql`SELECT n.account_id, n.synced_at, n.series, a.platform
        FROM analytics n JOIN accounts a ON a.id = n.account_id
        WHERE n.team_id = ${team} AND n.account_id > ${after} ORDER BY n.account_id LIMIT ${limit}`,
      (row) => {
        const { accountId, syncedAt, series, platform } = readSeries(row);
        const now = deps.now().getTime();
        const { days, months } = keptSeries(deps, { platform, series: unpackSeries(series), now });
        const data = {
          accountId,
          syncedAt,
          days: days.map(({ day, gains, followers }) => ({
            date: toDate(day),
            ...named(gains),
            followers,
          })),
          months: months.map(({ month, gains, followers }) => ({
            month,
            ...named(gains),
            followers,
          })),
        };
        return { key: [accountId], data };
      },
    ),
};

const readPost = rowReader({
  accountId: text("account_id").notNull(),
  place: integer("place").notNull(),
  post: json<StoredPost>("post").notNull(),
});

/** One line per post, because an account can have a thousand posts. */
export const measuredPostSection: Section = {
  type: "measuredPost",
  start: ["", -1],
  rows: (team: SQL, [account = "", place = -1], limit: number): Query<ExportedRow[]> =>
    sqlQuery(
      sql`SELECT p.account_id, j.key AS place, j.value AS post
        FROM analytics_posts p CROSS JOIN json_each(p.posts) j
        WHERE p.team_id = ${team} AND p.account_id >= ${account}
          AND (p.account_id > ${account} OR j.key > ${place})
        ORDER BY p.account_id, j.key LIMIT ${limit}`,
      (row) => {
        const { accountId, place, post } = readPost(row);
        const { id, uploadId, url, hashtags, counters } = post;
        const data = {
          accountId,
          id,
          uploadId,
          text: post.text,
          url,
          hashtags,
          ...named(counters),
          publishedAt: new Date(post.publishedAt),
          readAt: new Date(post.at),
        };
        return { key: [accountId, place], data };
      },
    ),
};
