import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import { MAX_QUEUED } from "../rules.ts";
import { type ItemRow, poolFirings, poolItems, pools } from "../table.ts";
import { REASON } from "./items.ts";
import { ownPool } from "./pools.ts";

/** Longer titles are cut. */
const SHOWN_TITLE = 200;

export const nextItems = (team: SQL, poolId: number) =>
  sqlQuery(
    sql`SELECT id, substr(title, 1, ${SHOWN_TITLE}) AS title FROM pool_items
      WHERE pool_id = ${ownPool(team, poolId)} AND state = 'queued' ORDER BY id LIMIT ${MAX_QUEUED}`,
    rowReader(pickColumns(poolItems, ["id", "title"])),
  );

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

export function pastFirings(team: SQL, poolId: number, { before, limit }: PageRequest) {
  return sqlQuery(
    sql`SELECT f.slot_id, f.fire_at, f.local_day, f.time, f.timezone, f.outcome, i.id AS item_id, i.state,
        substr(i.title, 1, ${SHOWN_TITLE}) AS title, i.first_upload_id, i.last_upload_id,
        coalesce(f.reason, ${REASON}) AS why
      FROM pool_firings f LEFT JOIN pool_items i ON i.slot_id = f.slot_id AND i.fire_at = f.fire_at
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

/** A pool is removed after its content. */
export function erasePools(team: number, max: number): Query<number>[] {
  const own = sql`(SELECT id FROM pools WHERE team_id = ${team})`;
  return [
    sql`DELETE FROM pool_firings WHERE (slot_id, fire_at) IN (SELECT f.slot_id, f.fire_at FROM ${own} p
      CROSS JOIN pool_firings f ON f.pool_id = p.id LIMIT ${max})`,
    sql`DELETE FROM pool_items WHERE id IN (SELECT i.id FROM ${own} p
      CROSS JOIN pool_items i ON i.pool_id = p.id LIMIT ${max})`,
    sql`DELETE FROM pool_slots WHERE id IN (SELECT s.id FROM ${own} p
      CROSS JOIN pool_slots s ON s.pool_id = p.id LIMIT ${max})`,
    sql`DELETE FROM pools WHERE team_id = ${team}
      AND NOT EXISTS (SELECT 1 FROM pool_firings WHERE pool_id = pools.id)
      AND NOT EXISTS (SELECT 1 FROM pool_items WHERE pool_id = pools.id)
      AND NOT EXISTS (SELECT 1 FROM pool_slots WHERE pool_id = pools.id)`,
  ].map(sqlWrite);
}
