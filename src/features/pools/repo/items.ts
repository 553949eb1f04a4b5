import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { MAX_QUEUED } from "../rules.ts";
import { type ItemRow, poolItems } from "../table.ts";
import { ownPool } from "./pools.ts";

export type NewItemRow = Pick<
  ItemRow,
  | "title"
  | "description"
  | "settings"
  | "media"
  | "origin"
  | "mayPublish"
  | "repeatDays"
  | "repeatTimes"
  | "variants"
>;

interface Adding {
  poolId: number;
  teamId: number;
  addedBy: number;
  createdAt: Date;
}

const toJson = ({
  title,
  description,
  settings,
  media,
  origin,
  mayPublish,
  ...row
}: NewItemRow) => [
  title,
  description,
  JSON.stringify(settings),
  JSON.stringify(media),
  origin,
  +mayPublish,
  row.repeatDays,
  row.repeatTimes,
  row.variants && JSON.stringify(row.variants),
];

const readAdded = rowReader(pickColumns(poolItems, ["id", "position", "title"]));

export type AddedItem = ReturnType<typeof readAdded>;

const LAST_POSITION = (poolId: number): SQL =>
  sql`max(coalesce((SELECT position FROM pool_items WHERE pool_id = ${poolId} ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT MAX(position) FROM pool_items
      WHERE pool_id = ${poolId} AND state = 'queued' AND repeat_days IS NULL), 0),
    coalesce((SELECT MAX(position) FROM pool_items
      WHERE pool_id = ${poolId} AND state = 'queued' AND repeat_days IS NOT NULL), 0))`;

export const mayHaveTurn = (local: SQL): SQL =>
  sql`(i.dispatches = 0 OR i.failures > 0 OR i.last_local IS NULL
    OR date(substr(i.last_local, 1, 10), '+' || i.repeat_days || ' days') || substr(i.last_local, 11) <= ${local})`;

export const hasPlaces = (poolId: number, more: number): SQL =>
  sql`EXISTS (SELECT 1 FROM pools WHERE id = ${poolId} AND deleted_at IS NULL)
    AND (SELECT COUNT(*) FROM pool_items WHERE pool_id = ${poolId} AND state IN ('queued', 'posting'))
      + ${more} <= ${MAX_QUEUED}`;

export const countQueued = (poolId: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS queued FROM pool_items
      WHERE pool_id = ${poolId} AND state IN ('queued', 'posting')`,
    valueReader(integer("queued").notNull()),
  );

/** The items' ids are consecutive. */
export const insertItems = (
  { poolId, teamId, addedBy, createdAt }: Adding,
  items: readonly NewItemRow[],
  condition: SQL,
): Query<AddedItem[]> =>
  sqlQuery(
    sql`INSERT INTO pool_items (pool_id, team_id, position, state, title, description, settings, media, origin,
        may_publish, repeat_days, repeat_times, variants, added_by, created_at)
      SELECT ${poolId}, ${teamId}, last.position + 1 + key, 'queued', value ->> 0, value ->> 1, value ->> 2,
        value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, ${addedBy}, ${createdAt.getTime()}
      FROM (SELECT ${LAST_POSITION(poolId)} AS position) last
        CROSS JOIN json_each(${JSON.stringify(items.map(toJson))})
      WHERE ${condition} ORDER BY key RETURNING id, position, title`,
    readAdded,
  );

export const firstInserted = (count: number): SQL => sql`last_insert_rowid() - ${count - 1}`;

export const needFiles = (
  teamId: number,
  count: number,
  files: readonly (readonly [index: number, sha256: string])[],
): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO pool_files (team_id, sha256, item_id)
    SELECT ${teamId}, value ->> 1, ${firstInserted(count)} + (value ->> 0)
    FROM json_each(${JSON.stringify(files)}) WHERE changes() > 0`);

export const forgetFiles = (where: SQL): Query<number> =>
  sqlWrite(sql`DELETE FROM pool_files WHERE (team_id, sha256, item_id) IN (
    SELECT i.team_id, file.value ->> 'sha256', i.id FROM pool_items i CROSS JOIN json_each(i.media) file
    WHERE ${where})`);

export const addedItems = (teamId: number, first: number, count: number): Query<AddedItem[]> =>
  sqlQuery(
    sql`SELECT id, position, title FROM pool_items
      WHERE id BETWEEN ${first} AND ${first + count - 1} AND team_id = ${teamId} ORDER BY id`,
    readAdded,
  );

/** Removes one waiting item; all when `id` is null. */
export function removeQueued(
  poolId: number,
  id: number | null,
): readonly [forgotten: Query<number>, removed: Query<number>] {
  const which = id === null ? sql`TRUE` : sql`i.id = ${id}`;
  const where = sql`i.pool_id = ${poolId} AND i.state = 'queued' AND ${which}`;
  return [
    forgetFiles(where),
    sqlWrite(sql`UPDATE pool_items AS i SET state = 'removed' WHERE ${where}`),
  ];
}

export const findItem = prepared(
  ({ poolId, id }: Params<{ poolId: number; id: number }>) =>
    sql`SELECT id, state, repeat_days, (SELECT u.id FROM uploads u
          WHERE u.id BETWEEN i.first_upload_id AND i.last_upload_id AND u.status = 'processing'
          LIMIT 1) AS processing,
        (SELECT u.id FROM uploads u
          WHERE u.id BETWEEN i.first_upload_id AND i.last_upload_id AND u.deleted_at IS NULL
            AND u.status IN ('draft', 'pending_approval', 'scheduled', 'pending')
          LIMIT 1) AS waiting
      FROM pool_items i WHERE id = ${id} AND pool_id = ${poolId} AND state <> 'removed'`,
  rowReader({
    ...pickColumns(poolItems, ["id", "state", "repeatDays"]),
    /** Id of a post that is being published. */
    processing: integer("processing"),
    waiting: integer("waiting"),
  }),
);

export const whyNot = (reason: SQL, first: SQL, last: SQL): SQL =>
  sql`nullif(trim(coalesce(${reason}, '') || ' ' || coalesce((
  SELECT group_concat(u.platform || ': ' || coalesce(u.error_message, 'The post was removed.'), ' ')
  FROM uploads u WHERE u.id BETWEEN ${first} AND ${last}
    AND (u.status = 'failed' OR u.deleted_at IS NOT NULL)), '')), '')`;

const REASON = whyNot(sql`i.reason`, sql`i.first_upload_id`, sql`i.last_upload_id`);

const REPEATING = [
  "repeatDays",
  "repeatTimes",
  "variants",
  "dispatches",
  "failures",
  "lastLocal",
] as const;

const { id, position, state, title, description, createdAt } = getTableColumns(poolItems);
const readListed = rowReader({
  id,
  position,
  state,
  title,
  description,
  createdAt,
  ...pickColumns(poolItems, REPEATING),
  why: text("why"),
  isCut: flag("is_cut").notNull(),
});

export type ListedItem = ReturnType<typeof readListed>;

export const STATES = {
  queued: ["queued", "posting"],
  dispatched: ["dispatched"],
  skipped: ["skipped"],
} as const;

export type ItemStatus = keyof typeof STATES;

const MAX_PAGE_BYTES = 8_000_000;
const ITEM_BYTES = 1_000;
const BYTES = sql`${ITEM_BYTES} + octet_length(json_quote(title))
          + octet_length(json_quote(coalesce(description, ''))) + octet_length(coalesce(variants, ''))`;

interface ItemPage {
  status: ItemStatus | null;
  /** The previous page's last id. */
  after: number;
  limit: number;
}

/** A page has at most 8 MB. */
export function itemsOf(
  team: SQL,
  poolId: number,
  { status, after, limit }: ItemPage,
): Query<ListedItem[]> {
  const states = status ? STATES[status] : Object.values(STATES).flat();
  const one = (name: string) =>
    sql`SELECT * FROM (SELECT * FROM pool_items WHERE pool_id = (SELECT id FROM own) AND state = ${name}
      AND id > ${after} ORDER BY id LIMIT ${limit})`;
  const matches = sql.join(states.map(one), sql` UNION ALL `);
  return sqlQuery(
    sql`WITH own (id) AS MATERIALIZED ${ownPool(team, poolId)}
      SELECT id, position, state, title, description, created_at, repeat_days, repeat_times, variants,
        dispatches, failures, last_local, ${REASON} AS why, whole > ${MAX_PAGE_BYTES} AS is_cut
      FROM (SELECT *, SUM(${BYTES}) OVER () AS whole, SUM(${BYTES}) OVER (ORDER BY id) AS bytes
        FROM (SELECT * FROM (${matches}) ORDER BY id LIMIT ${limit})) i
      WHERE bytes <= ${MAX_PAGE_BYTES} ORDER BY id`,
    readListed,
  );
}
