import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { DAY } from "../../../core/time.ts";
import { ZoneClock } from "../../../core/zone.ts";
import { prepared, type Query } from "../../../db/client.ts";
import { packedRows, pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { uploadsMatching } from "../../posts/repo/read.ts";
import { uploads } from "../../posts/table.ts";
import {
  type CalendarFilter,
  FIRSTS_PER_DAY,
  MAX_ENTRIES,
  type Range,
  SHOWN_CHARACTERS,
  spansOf,
} from "../rules.ts";

export const accountsOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT id, platform, account_name, tags, deleted_at IS NOT NULL AS isRemoved FROM accounts
      WHERE team_id = ${team}`,
  rowReader({
    ...pickColumns(accounts, ["id", "platform", "accountName", "tags"]),
    isRemoved: integer("isRemoved", { mode: "boolean" }).notNull(),
  }),
);

export type CalendarAccount = ReturnType<ReturnType<typeof accountsOfTeam>["read"]>[number];

/** By account. A post's account is looked up here, because a join costs as much as a third of the posts. */
export const namesOf = (accounts: readonly CalendarAccount[]): ReadonlyMap<string, string> =>
  new Map(accounts.map(({ id, accountName }) => [id, accountName]));

const TEXT = sql`coalesce(nullif(${uploads.title}, ''), ${uploads.description}, '')`;

const FIRST_PICTURE = sql`(SELECT
  iif(value ->> 'isGone' IS NULL OR value ->> 'hasThumbnail', value ->> 'sha256', NULL)
  FROM json_each(${uploads.media}) WHERE value ->> 'kind' = 'image' LIMIT 1)`;

/** Mostly the first file, which is read without a loop over all. */
const PICTURE = sql`CASE
  WHEN instr(${uploads.media}, '"image"') = 0 THEN NULL
  WHEN ${uploads.media} ->> '$[0].kind' = 'image' AND instr(${uploads.media}, '"isGone"') = 0
    THEN ${uploads.media} ->> '$[0].sha256'
  ELSE ${FIRST_PICTURE} END`;

export const pictureOfPost = prepared(
  ({ team, id }: Params<{ team: SQL; id: number }>) =>
    sql`SELECT team_id, ${PICTURE} AS picture FROM uploads WHERE team_id = ${team} AND id = ${id}`,
  rowReader({ ...pickColumns(uploads, ["teamId"]), picture: text("picture") }),
);

const PLACE = sql`iif(${uploads.status} = 'completed', coalesce(${uploads.uploadedAt}, ${uploads.sortAt}), ${uploads.sortAt})`;

const FIELDS = {
  at: integer("at").notNull(),
  ...pickColumns(uploads, [
    "id",
    "teamId",
    "accountId",
    "platform",
    "status",
    "unpublishedAt",
    "failureCode",
    "posts",
  ]),
  sortedAt: integer("sorted_at").notNull(),
  text: text("text").notNull(),
  picture: text("picture"),
};

const VALUES = {
  at: PLACE,
  sortedAt: sql`${uploads.sortAt}`,
  text: sql`substr(${TEXT}, 1, ${sql.raw(`${SHOWN_CHARACTERS}`)})`,
  picture: PICTURE,
};

const post = packedRows(FIELDS, VALUES);

const firstPost = packedRows(
  { ...FIELDS, ofDay: integer("of_day"), inDay: integer("in_day").notNull() },
  { ...VALUES, ofDay: sql`nullif(ofDay, 0)`, inDay: sql`first.key` },
);

/** Where only the first posts of each day are read, `ofDay` is how many it has, and `inDay` counts them from 0. */
export type CalendarPost = ReturnType<typeof post.read> & {
  ofDay?: number | null;
  inDay?: number;
};

/** Decoded when it is asked for, because the page of a month shows few of its posts. */
export class PlacedPost {
  readonly kind = "post";
  private readonly stored: unknown[][];
  private readonly unpack: (stored: unknown[][]) => CalendarPost;
  private decoded: CalendarPost | null = null;

  constructor(packed: string, unpack: (stored: unknown[][]) => CalendarPost) {
    this.stored = JSON.parse(packed);
    this.unpack = unpack;
  }

  /** Epoch ms: when it was published, or is planned. */
  get at(): number {
    return this.stored[0]?.[0] as number;
  }

  get post(): CalendarPost {
    this.decoded ??= this.unpack(this.stored);
    return this.decoded;
  }
}

/**
 * A post is published at most this long after its `sortAt`: it waits in the queue for a day at most, and a retry after
 * a day moves its `sortAt`.
 */
const PUBLISHED_WITHIN_MS = 3 * DAY;

const isBetween = ({ where, from, until }: Params<{ where: SQL } & Range>): SQL =>
  sql`${where} AND ${PLACE} >= ${from} AND ${PLACE} < ${until}
    AND (${uploads.status} NOT IN ('draft', 'pending_approval') OR ${uploads.scheduledFor} IS NOT NULL)
    ORDER BY ${uploads.sortAt}, ${uploads.id} LIMIT ${sql.raw(`${MAX_ENTRIES + 1}`)}`;

const selectPosts = prepared(
  (values: Params<{ where: SQL } & Range>) =>
    sql`SELECT ${post.column} FROM ${uploads} WHERE ${isBetween(values)}`,
  ({ packed }) => new PlacedPost(packed as string, post.unpack),
);

type PostFilter = Omit<CalendarFilter, "from" | "to">;

/** Up to one more than a calendar shows, by `sortAt`. */
export const postsBetween = (team: SQL, filter: PostFilter, range: Range): Query<PlacedPost[]> =>
  selectPosts({ where: matching(team, filter, range), ...range });

function matching(team: SQL, { tag, ...filter }: PostFilter, { from, until }: Range): SQL {
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
  return tag === undefined
    ? own
    : sql`${own} AND ${uploads.accountId} IN (SELECT id FROM accounts
        WHERE team_id = ${team} AND instr(',' || lower(tags) || ',', ',' || lower(${tag}) || ',') > 0)`;
}

interface FirstsValues extends Range {
  where: SQL;
  team: SQL;
  zones: string;
}

const FIRST_IDS = sql.raw(
  Array.from({ length: FIRSTS_PER_DAY }, (_, i) => `ids ->> ${i}`).join(", "),
);

const selectFirsts = prepared(
  (values: Params<FirstsValues>) =>
    sql`WITH spans AS MATERIALIZED (
        SELECT value ->> 0 AS start, value ->> 1 AS until, value ->> 2 AS shift
        FROM json_each(${values.zones}, '$."' || coalesce((SELECT zone FROM teams WHERE id = ${values.team}), 'UTC') || '"')),
      placed AS (SELECT ${uploads.id} AS id, ${PLACE} AS at FROM ${uploads} WHERE ${isBetween(values)}),
      days AS MATERIALIZED (SELECT count(shift) AS ofDay, json_group_array(id ORDER BY at, id) AS ids
        FROM placed LEFT JOIN spans ON at >= start AND at < until GROUP BY (at + shift) / ${sql.raw(`${DAY}`)})
      SELECT ${firstPost.column} FROM days
        CROSS JOIN json_each(iif(ofDay = 0, ids, json_array(${FIRST_IDS}))) first
        CROSS JOIN ${uploads} ON ${uploads.id} = first.value`,
  ({ packed }) => new PlacedPost(packed as string, firstPost.unpack),
);

/** The first posts of each local day, if the workspace's zone is one of `zones`; otherwise all, with `ofDay` null. */
export const firstsBetween = (
  team: SQL,
  filter: PostFilter,
  range: Range,
  zones: readonly string[],
): Query<PlacedPost[]> =>
  selectFirsts({
    where: matching(team, filter, range),
    ...range,
    team,
    zones: JSON.stringify(
      Object.fromEntries(zones.map((zone) => [zone, spansOf(new ZoneClock(zone), range)])),
    ),
  });
