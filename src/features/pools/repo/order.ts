import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Move, Place } from "../places.ts";
import { MAX_QUEUED } from "../rules.ts";
import { poolItems } from "../table.ts";
import { whyNot } from "./items.ts";
import { ownPool } from "./pools.ts";

export const placesOf = (poolId: number): Query<Place[]> =>
  sqlQuery(
    sql`SELECT id, position FROM pool_items WHERE pool_id = ${poolId} AND state = 'queued'
      ORDER BY position, id LIMIT ${MAX_QUEUED}`,
    rowReader(pickColumns(poolItems, ["id", "position"])),
  );

/** Moves all items, or none when one of them was moved or taken since the read. */
export function moveItems(poolId: number, moves: readonly Move[]): Query<number> {
  const list = JSON.stringify(moves.map(({ id, from, to }) => [id, from, to]));
  return sqlWrite(sql`UPDATE pool_items SET position = v.value ->> 2 FROM json_each(${list}) v
    WHERE pool_items.id = v.value ->> 0 AND pool_items.pool_id = ${poolId}
      AND (SELECT COUNT(*) FROM json_each(${list}) m JOIN pool_items i ON i.id = m.value ->> 0
        AND i.position = m.value ->> 1 AND i.state = 'queued') = ${moves.length}`);
}

const readLine = rowReader({
  ...pickColumns(poolItems, [
    "id",
    "teamId",
    "position",
    "state",
    "title",
    "description",
    "settings",
    "media",
    "repeatDays",
    "repeatTimes",
    "variants",
    "dispatches",
    "failures",
    "lastLocal",
  ]),
  why: text("why"),
});

export type QueueLine = ReturnType<typeof readLine>;

interface Page {
  /** Items that are left out. */
  skipped: number;
  limit: number;
}

const OWN = sql`(SELECT id FROM own)`;

/** In the order in which slots take them, behind items that are being published. */
export function queueLines(
  team: SQL,
  poolId: number,
  { skipped, limit }: Page,
): Query<QueueLine[]> {
  const first = (isRepeating: SQL) =>
    sql`SELECT * FROM (SELECT id, state, position FROM pool_items WHERE pool_id = ${OWN} AND state = 'queued'
      AND ${isRepeating} ORDER BY position, id LIMIT ${skipped + limit})`;
  return sqlQuery(
    sql`WITH own (id) AS MATERIALIZED ${ownPool(team, poolId)}
      SELECT i.*, ${whyNot(sql`i.reason`, sql`i.first_upload_id`, sql`i.last_upload_id`)} AS why
      FROM (SELECT id FROM (
          SELECT id, state, position FROM pool_items WHERE pool_id = ${OWN} AND state = 'posting'
          UNION ALL ${first(sql`repeat_days IS NULL`)} UNION ALL ${first(sql`repeat_days IS NOT NULL`)})
        ORDER BY state, position, id LIMIT ${limit} OFFSET ${skipped}) chosen
      CROSS JOIN pool_items i ON i.id = chosen.id ORDER BY i.state, i.position, i.id`,
    readLine,
  );
}
