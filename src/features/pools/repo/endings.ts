import { sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import type { AccountRow } from "../../accounts/table.ts";

export const dropFromSlots = ({ id, teamId }: AccountRow): Query<number>[] => [
  sqlWrite(sql`UPDATE pool_slots SET account_ids = (SELECT json_group_array(value)
      FROM json_each(pool_slots.account_ids) WHERE value <> ${id})
    WHERE pool_id IN (SELECT id FROM pools WHERE team_id = ${teamId})
      AND instr(account_ids, ${`"${id}"`}) > 0`),
];

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
