import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { DAY } from "../../../core/time.ts";
import { prepared, type Query } from "../../../db/client.ts";
import { packedRows, pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { uploadsMatching } from "../../posts/repo/read.ts";
import { uploads } from "../../posts/table.ts";
import { type CalendarFilter, MAX_ENTRIES, type Range, SHOWN_CHARACTERS } from "../rules.ts";

export const accountsOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT id, platform, account_name, tags FROM accounts
      WHERE team_id = ${team} AND deleted_at IS NULL ORDER BY platform, platform_account_id`,
  rowReader(pickColumns(accounts, ["id", "platform", "accountName", "tags"])),
);

export type CalendarAccount = ReturnType<ReturnType<typeof accountsOfTeam>["read"]>[number];

const TEXT = sql`coalesce(nullif(${uploads.title}, ''), ${uploads.description}, '')`;

const FIRST_PICTURE = sql`(SELECT
  iif(value ->> 'isGone' IS NULL OR value ->> 'hasThumbnail', value ->> 'sha256', NULL)
  FROM json_each(${uploads.media}) WHERE value ->> 'kind' = 'image' LIMIT 1)`;

/** Mostly the first file, which is read without a loop over all. */
const PICTURE = sql`CASE
  WHEN instr(${uploads.media}, '"image"') = 0 THEN NULL
  WHEN ${uploads.media} ->> '$[0].kind' = 'image' AND ${uploads.media} ->> '$[0].isGone' IS NULL
    THEN ${uploads.media} ->> '$[0].sha256'
  ELSE ${FIRST_PICTURE} END`;

const post = packedRows(
  {
    ...pickColumns(uploads, [
      "id",
      "teamId",
      "accountId",
      "platform",
      "status",
      "sortAt",
      "uploadedAt",
      "unpublishedAt",
      "failureCode",
      "posts",
    ]),
    text: text("text").notNull(),
    accountName: text("account_name"),
    picture: text("picture"),
  },
  {
    text: sql`substr(${TEXT}, 1, ${sql.raw(`${SHOWN_CHARACTERS}`)})`,
    accountName: sql`a.account_name`,
    picture: PICTURE,
  },
);

export type CalendarPost = ReturnType<typeof post.read>;

const PLACE = sql`iif(${uploads.status} = 'completed', coalesce(${uploads.uploadedAt}, ${uploads.sortAt}), ${uploads.sortAt})`;

/**
 * A post is published at most this long after its `sortAt`: it waits in the queue for a day at most, and a retry after
 * a day moves its `sortAt`.
 */
const PUBLISHED_WITHIN_MS = 3 * DAY;

const selectPosts = prepared(
  ({ where, from, until }: Params<{ where: SQL } & Range>) =>
    sql`SELECT ${post.column} FROM ${uploads} LEFT JOIN ${accounts} a ON a.id = ${uploads.accountId}
      WHERE ${where} AND ${PLACE} >= ${from} AND ${PLACE} < ${until}
        AND (${uploads.status} NOT IN ('draft', 'pending_approval') OR ${uploads.scheduledFor} IS NOT NULL)
      ORDER BY ${uploads.sortAt}, ${uploads.id} LIMIT ${sql.raw(`${MAX_ENTRIES + 1}`)}`,
  post.read,
);

type PostFilter = Omit<CalendarFilter, "from" | "to">;

/** Up to one more than a calendar shows, by `sortAt`. */
export function postsBetween(
  team: SQL,
  { tag, ...filter }: PostFilter,
  { from, until }: Range,
): Query<CalendarPost[]> {
  const { accountId, platform, status } = filter;
  const own = uploadsMatching(team, {
    accountId,
    platform,
    status,
    startDate: new Date(from - PUBLISHED_WITHIN_MS),
    endDate: new Date(until),
    limit: MAX_ENTRIES,
    page: 1,
  });
  const where =
    tag === undefined
      ? own
      : sql`${own} AND instr(',' || lower(a.tags) || ',', ',' || lower(${tag}) || ',') > 0`;
  return selectPosts({ where, from, until });
}
