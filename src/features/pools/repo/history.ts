import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import { type ItemRow, poolFirings, pools } from "../table.ts";
import { SHOWN_CHARACTERS } from "./forecast.ts";
import { whyNot } from "./items.ts";
import { ownPool } from "./pools.ts";

interface PageRequest {
  before: { at: number; slotId: number };
  limit: number;
}

const readPast = rowReader({
  ...pickColumns(poolFirings, ["slotId", "fireAt", "localDay", "time", "timezone", "outcome"]),
  reason: text("why"),
  itemId: integer("item_id"),
  state: text("state").$type<ItemRow["state"]>(),
  title: text("title"),
  first: integer("first_upload_id"),
  last: integer("last_upload_id"),
});

const IS_LATEST = sql`(i.slot_id = f.slot_id AND i.fire_at = f.fire_at)`;
const FIRST = sql`coalesce(f.first_upload_id, iif(${IS_LATEST}, i.first_upload_id, NULL))`;
const LAST = sql`coalesce(f.last_upload_id, iif(${IS_LATEST}, i.last_upload_id, NULL))`;

const STATE = sql`iif(${IS_LATEST} AND i.state IN ('posting', 'dispatched', 'skipped'), i.state, CASE
  WHEN EXISTS (SELECT 1 FROM uploads u WHERE u.id BETWEEN ${FIRST} AND ${LAST} AND u.status = 'completed')
    THEN 'dispatched'
  WHEN EXISTS (SELECT 1 FROM uploads u WHERE u.id BETWEEN ${FIRST} AND ${LAST} AND u.deleted_at IS NULL
    AND u.status <> 'failed') THEN 'posting'
  ELSE 'skipped' END)`;

export function pastFirings(team: SQL, poolId: number, { before, limit }: PageRequest) {
  return sqlQuery(
    sql`SELECT f.slot_id, f.fire_at, f.local_day, f.time, f.timezone, f.outcome, i.id AS item_id,
        iif(i.id IS NULL, NULL, ${STATE}) AS state, substr(i.title, 1, ${SHOWN_CHARACTERS}) AS title,
        ${FIRST} AS first_upload_id, ${LAST} AS last_upload_id,
        ${whyNot(sql`coalesce(f.reason, iif(${IS_LATEST}, i.reason, NULL))`, FIRST, LAST)} AS why
      FROM pool_firings f LEFT JOIN pool_items i ON i.id = coalesce(f.item_id,
        (SELECT id FROM pool_items WHERE slot_id = f.slot_id AND fire_at = f.fire_at))
      WHERE f.pool_id = ${ownPool(team, poolId)} AND (f.fire_at, f.slot_id) < (${before.at}, ${before.slotId})
      ORDER BY f.fire_at DESC, f.slot_id DESC LIMIT ${limit}`,
    (row) => {
      const { itemId, state, title, first, last, ...firing } = readPast(row);
      const uploadIds =
        first === null || last === null
          ? []
          : Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const item =
        itemId === null || state === null
          ? null
          : { id: itemId, state, title: title ?? "", uploadIds };
      return { ...firing, item };
    },
  );
}

export type ListedFiring = ReturnType<ReturnType<typeof pastFirings>["read"]>[number];

export const poolAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM pools WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    valueReader(pools.id),
  );

interface Slice {
  /** The lowest pool id. */
  from: number;
  count: number;
  /** Instants are epoch ms. */
  firedBefore: number;
  removedBefore: number;
  max: number;
}

export function removeOld({
  from,
  count,
  firedBefore,
  removedBefore,
  max,
}: Slice): Query<number>[] {
  const some = sql`(SELECT id FROM pools WHERE id >= ${from} ORDER BY id LIMIT ${count})`;
  return [
    sql`DELETE FROM pool_firings WHERE (slot_id, fire_at) IN (SELECT f.slot_id, f.fire_at FROM ${some} p
      CROSS JOIN pool_firings f ON f.pool_id = p.id AND f.fire_at < ${firedBefore} LIMIT ${max})`,
    sql`DELETE FROM pool_items WHERE id IN (SELECT i.id FROM ${some} p
      CROSS JOIN pool_items i ON i.pool_id = p.id AND i.state IN ('dispatched', 'skipped', 'removed')
      WHERE coalesce(i.fire_at < ${firedBefore}, i.created_at < ${removedBefore}) LIMIT ${max})`,
  ].map(sqlWrite);
}
