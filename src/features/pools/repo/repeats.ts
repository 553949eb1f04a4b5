import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { packedRows, rowReader } from "../../../db/rows.ts";
import { type ItemRow, poolItems } from "../table.ts";
import type { Repeat } from "../turns.ts";
import type { FiringKey } from "./firings.ts";
import { mayHaveTurn } from "./items.ts";

const LOCAL = sql`f.local_day || 'T' || f.time`;

const dueFiring = ({ slotId, fireAt }: FiringKey, value: SQL): SQL =>
  sql`(SELECT ${value} FROM pool_firings f WHERE f.slot_id = ${slotId}
    AND f.fire_at = ${fireAt.getTime()} AND f.outcome = 'due')`;

const isUndecided = ({ slotId, fireAt }: FiringKey): SQL =>
  sql`state = 'posting' AND slot_id = ${slotId} AND fire_at = ${fireAt.getTime()} AND excluded IS NULL`;

export type Excluded = NonNullable<ItemRow["excluded"]>;

const decided = (firing: FiringKey, excluded: Excluded): SQL =>
  sql`excluded = iif(repeat_days IS NULL, NULL, ${JSON.stringify(excluded)}),
    last_local = ${dueFiring(firing, LOCAL)}, first_upload_id = NULL, last_upload_id = NULL, reason = NULL`;

export const decide = (firing: FiringKey, id: number, excluded: Excluded): Query<number> =>
  sqlWrite(sql`UPDATE pool_items SET ${decided(firing, excluded)}
    WHERE id = ${id} AND ${isUndecided(firing)} AND ${dueFiring(firing, sql`TRUE`)}`);

export const putBack = (firing: FiringKey, id: number): Query<number> =>
  sqlWrite(sql`UPDATE pool_items SET state = 'queued', slot_id = NULL, fire_at = NULL
    WHERE id = ${id} AND ${isUndecided(firing)} AND ${dueFiring(firing, sql`TRUE`)}`);

export const takeInstead = (firing: FiringKey, id: number, excluded: Excluded): Query<number> =>
  sqlWrite(sql`UPDATE pool_items SET state = 'posting', slot_id = ${firing.slotId},
      fire_at = ${firing.fireAt.getTime()}, ${decided(firing, excluded)}
    WHERE id = ${id} AND state = 'queued' AND changes() > 0`);

interface Passed {
  items: readonly (readonly [id: number, reason: string])[];
  reason: string;
}

export const notePassed = (
  { slotId, fireAt }: FiringKey,
  { items, reason }: Passed,
  outcome: "due" | "skipped",
): Query<number>[] => [
  sqlWrite(sql`UPDATE pool_firings SET reason = ${reason}, outcome = ${outcome}
    WHERE slot_id = ${slotId} AND fire_at = ${fireAt.getTime()} AND outcome = 'due' AND changes() > 0`),
  sqlWrite(sql`UPDATE pool_items SET reason = v.value ->> 1
    FROM json_each(${JSON.stringify(items)}) v
    WHERE pool_items.id = v.value ->> 0 AND pool_items.state = 'queued' AND changes() > 0`),
];

const ITEM = packedRows(poolItems);
const readItem = rowReader({ item: text("item").notNull() });

const MAX_CANDIDATES_BYTES = 4_000_000;

export function turnsAt(firing: FiringKey): Query<ItemRow[]> {
  const pool = dueFiring(firing, sql`f.pool_id`);
  return sqlQuery(
    sql`SELECT ${ITEM.value} AS item FROM (
        SELECT *, SUM(octet_length(title) + octet_length(coalesce(description, ''))
          + octet_length(coalesce(variants, '')) + octet_length(settings)) OVER (ORDER BY position, id) AS bytes
        FROM (SELECT i.* FROM pool_items i WHERE i.pool_id = ${pool} AND i.state = 'queued'
            AND i.repeat_days IS NOT NULL AND ${mayHaveTurn(dueFiring(firing, LOCAL))}
          UNION ALL SELECT * FROM (SELECT * FROM pool_items WHERE pool_id = ${pool} AND state = 'queued'
            AND repeat_days IS NULL ORDER BY position, id LIMIT 1))) pool_items
      WHERE bytes <= ${MAX_CANDIDATES_BYTES} OR repeat_days IS NULL ORDER BY position, id`,
    (row) => ITEM.unpack(JSON.parse(readItem(row).item)),
  );
}

export const itemToChange = (poolId: number, id: number): Query<ItemRow[]> =>
  sqlQuery(
    sql`SELECT ${ITEM.value} AS item FROM pool_items
      WHERE id = ${id} AND pool_id = ${poolId} AND state <> 'removed'`,
    (row) => ITEM.unpack(JSON.parse(readItem(row).item)),
  );

export const changeQueued = (
  { id, dispatches, failures }: ItemRow,
  {
    title,
    description,
    repeat,
    variants,
    settings,
  }: Pick<ItemRow, "title" | "description" | "variants" | "settings"> & { repeat: Repeat | null },
): Query<number> =>
  sqlWrite(sql`UPDATE pool_items SET repeat_days = ${repeat?.every.days ?? null},
      repeat_times = ${repeat?.times ?? null}, variants = ${variants && JSON.stringify(variants)},
      settings = ${JSON.stringify(settings)}, title = ${title}, description = ${description}
    WHERE id = ${id} AND state = 'queued' AND dispatches = ${dispatches} AND failures = ${failures}`);
