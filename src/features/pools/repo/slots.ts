import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { packedRows, pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import { MAX_SLOTS, type SlotTimes } from "../rules.ts";
import { type PoolRow, poolSlots, type SlotRow } from "../table.ts";

const readId = valueReader(poolSlots.id);

export const packedSlots = packedRows(poolSlots);

export const ownAccounts = (team: number | SQL, ids: readonly string[]): Query<string[]> =>
  sqlQuery(
    sql`SELECT id FROM accounts WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND team_id = ${team} AND deleted_at IS NULL`,
    valueReader(accounts.id),
  );

const readTarget = rowReader(
  pickColumns(accounts, ["platform", "platformAccountId", "serverLimits"]),
);

export type PoolTarget = Pick<AccountRow, "platform" | "platformAccountId" | "serverLimits">;

export const targetsOf = (poolId: number): Query<PoolTarget[]> =>
  sqlQuery(
    sql`SELECT DISTINCT a.platform, a.platform_account_id, a.server_limits FROM pool_slots s
      CROSS JOIN json_each(s.account_ids) v
      CROSS JOIN accounts a ON a.id = v.value AND a.team_id = s.team_id AND a.deleted_at IS NULL
      WHERE s.pool_id = ${poolId}`,
    readTarget,
  );

export type NewSlotRow = Pick<
  SlotRow,
  "teamId" | "time" | "days" | "accountIds" | "nextAt" | "nextDay" | "createdAt"
>;

const toJson = ({ time, days, accountIds, nextAt, nextDay }: NewSlotRow) => [
  time,
  JSON.stringify(days),
  JSON.stringify(accountIds),
  nextAt?.getTime() ?? null,
  nextDay,
];

/** Returns no id when the pool is full or `condition` fails. */
export function insertSlots(
  poolId: number | SQL,
  slots: readonly NewSlotRow[],
  condition: SQL = sql`TRUE`,
): Query<number[]> {
  const [first] = slots;
  return sqlQuery(
    sql`INSERT INTO pool_slots (pool_id, team_id, time, days, account_ids, next_at, next_day, created_at)
      SELECT ${poolId}, ${first?.teamId ?? 0}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
        ${first?.createdAt.getTime() ?? 0}
      FROM json_each(${JSON.stringify(slots.map(toJson))})
      WHERE ${condition} AND (SELECT COUNT(*) FROM pool_slots WHERE pool_id = ${poolId})
        + ${slots.length} <= ${MAX_SLOTS}
      RETURNING id`,
    readId,
  );
}

/** SQL condition: the pool's zone and state are still as read. */
export const isAsRead = ({ id, timezone, isActive }: PoolRow): SQL =>
  sql`EXISTS (SELECT 1 FROM pools WHERE id = ${id} AND timezone = ${timezone}
    AND is_active = ${+isActive} AND deleted_at IS NULL)`;

const instant = (at: Date | null): number | null => at?.getTime() ?? null;

/** Changes a slot unless it or its pool changed since the read. */
export const updateSlot = (read: SlotRow, pool: PoolRow, slot: SlotRow): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET time = ${slot.time}, days = ${JSON.stringify(slot.days)},
      account_ids = ${JSON.stringify(slot.accountIds)}, next_at = ${instant(slot.nextAt)},
      next_day = ${slot.nextDay}, last_day = ${slot.lastDay}
    WHERE id = ${read.id} AND pool_id = ${pool.id} AND next_at IS ${instant(read.nextAt)}
      AND last_at IS ${instant(read.lastAt)} AND time = ${read.time}
      AND days = ${JSON.stringify(read.days)} AND ${isAsRead(pool)}`);

export const deleteSlot = (poolId: number, id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM pool_slots WHERE id = ${id} AND pool_id = ${poolId}`);

/** SQL condition: no slot of the pool changed or fired since the read. */
export function areAsRead(poolId: number, slots: readonly SlotRow[]): SQL {
  const read = slots.map(({ id, time, days, nextAt }) => [
    id,
    time,
    JSON.stringify(days),
    instant(nextAt),
  ]);
  return sql`(SELECT COUNT(*) FROM pool_slots WHERE pool_id = ${poolId}) = ${slots.length}
    AND (SELECT COUNT(*) FROM json_each(${JSON.stringify(read)}) v JOIN pool_slots s
      ON s.id = v.value ->> 0 AND s.time = v.value ->> 1 AND s.days = v.value ->> 2
        AND s.next_at IS v.value ->> 3) = ${slots.length}`;
}

/** Acts only if the batch's previous statement changed a row. */
export const moveSlots = (moved: readonly (SlotTimes & Pick<SlotRow, "id">)[]): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET next_at = v.value ->> 1, next_day = v.value ->> 2,
      last_day = v.value ->> 3
    FROM json_each(${JSON.stringify(
      moved.map(({ id, nextAt, nextDay, lastDay }) => [id, instant(nextAt), nextDay, lastDay]),
    )}) v
    WHERE pool_slots.id = v.value ->> 0 AND changes() > 0`);
