import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import type { PlanName } from "../../../core/plans.ts";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag, json } from "../../../db/columns.ts";
import { type RawRow, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { countsInMonth, monthStart } from "../../limits/repo/room.ts";
import { teams } from "../../teams/table.ts";
import type { FoundPool } from "../refusals.ts";
import { MAX_POOLS } from "../rules.ts";
import { type PoolRow, pools, type SlotRow } from "../table.ts";
import { packedSlots } from "./slots.ts";

const readFound = rowReader({ ...getTableColumns(pools), isOwn: flag("is_own").notNull() });

interface PoolKey {
  team: number | SQL;
  id: number;
}

/** Finds a pool of any team. */
export const findPool = prepared(
  ({ team, id }: Params<PoolKey>) =>
    sql`SELECT pools.*, team_id = mine.id AS is_own FROM (SELECT ${team} AS id) mine
      CROSS JOIN pools ON pools.id = ${id} AND deleted_at IS NULL WHERE mine.id IS NOT NULL`,
  (row): FoundPool => readFound(row),
);

export const ownPool = (team: SQL, id: number): SQL =>
  sql`(SELECT pools.id FROM (SELECT ${team} AS id) mine
    CROSS JOIN pools ON pools.id = ${id} AND team_id = mine.id WHERE mine.id IS NOT NULL)`;

export const queuedOf = (pool: SQL): SQL =>
  sql`(SELECT COUNT(*) FROM pool_items WHERE pool_id = ${pool} AND state IN ('queued', 'posting'))`;

export type PoolWithSlots = FoundPool & { slots: SlotRow[]; queued: number };

const readSlots = rowReader({
  queued: integer("queued").notNull(),
  slots: json<unknown[][][]>("slots").notNull(),
});

const readWithSlots = (row: RawRow): PoolWithSlots => {
  const { queued, slots } = readSlots(row);
  return { ...readFound(row), queued, slots: slots.map(packedSlots.unpack) };
};

const WITH_SLOTS = sql`${queuedOf(sql`pools.id`)} AS queued,
  (SELECT json_group_array(json(packed)) FROM (SELECT ${packedSlots.value} AS packed FROM pool_slots
    WHERE pool_id = pools.id ORDER BY id)) AS slots`;

/** Finds a pool of any team. */
export const findWithSlots = prepared(
  ({ team, id }: Params<PoolKey>) =>
    sql`SELECT pools.*, team_id = mine.id AS is_own, ${WITH_SLOTS} FROM (SELECT ${team} AS id) mine
      CROSS JOIN pools ON pools.id = ${id} AND deleted_at IS NULL WHERE mine.id IS NOT NULL`,
  readWithSlots,
);

export const poolsOf = prepared(
  ({ team }: Params<{ team: number | SQL }>) =>
    sql`SELECT *, TRUE AS is_own, ${WITH_SLOTS} FROM pools
      WHERE team_id = ${team} AND deleted_at IS NULL ORDER BY id`,
  readWithSlots,
);

export const approvalOf = (team: SQL): Query<boolean[]> =>
  sqlQuery(
    sql`SELECT requires_approval FROM teams WHERE id = ${team}`,
    valueReader(teams.requiresApproval),
  );

const readId = valueReader(pools.id);

type NewPoolRow = Pick<PoolRow, "teamId" | "name" | "timezone" | "isActive" | "createdAt">;

/** Inserts nothing for a repeated call, or when the team has too many pools. */
export const insertPool = (
  { teamId, name, timezone, isActive, createdAt }: NewPoolRow,
  isNew: FirstTime["isNew"],
): Query<number[]> =>
  sqlQuery(
    sql`INSERT INTO pools (team_id, name, timezone, is_active, created_at, updated_at)
      SELECT ${teamId}, ${name}, ${timezone}, ${+isActive}, ${createdAt.getTime()}, ${createdAt.getTime()}
      WHERE ${isNew} AND (SELECT COUNT(*) FROM pools WHERE team_id = ${teamId} AND deleted_at IS NULL) < ${MAX_POOLS}
      RETURNING id`,
    readId,
  );

export const newestOf = (teamId: number): SQL =>
  sql`(SELECT MAX(id) FROM pools WHERE team_id = ${teamId})`;
export const JUST_INSERTED = sql`changes() > 0`;

export const updatePool = (
  { id, name, timezone, isActive, updatedAt }: PoolRow,
  isUnchanged: SQL,
): Query<number> =>
  sqlWrite(sql`UPDATE pools SET name = ${name}, timezone = ${timezone}, is_active = ${+isActive},
      updated_at = ${updatedAt.getTime()}
    WHERE id = ${id} AND deleted_at IS NULL AND ${isUnchanged}`);

/** Posts in progress stay. */
export const deletePool = (id: number, now: Date): Query<number>[] =>
  [
    sql`DELETE FROM pool_files WHERE (team_id, sha256, item_id) IN (
      SELECT i.team_id, item.value ->> 'sha256', i.id FROM pool_items i, json_each(i.media) item
      WHERE i.pool_id = ${id} AND i.state = 'queued')`,
    sql`UPDATE pool_items SET state = 'removed' WHERE pool_id = ${id} AND state = 'queued'`,
    sql`DELETE FROM pool_slots WHERE pool_id = ${id}`,
    sql`UPDATE pools SET deleted_at = ${now.getTime()} WHERE id = ${id} AND deleted_at IS NULL`,
  ].map(sqlWrite);

const readUse = rowReader({
  plan: text("plan").$type<PlanName>().notNull(),
  used: integer("used").notNull(),
});

/** `quota`: null when the plan has none. */
export function planUse(
  { config, now }: Pick<Deps, "config" | "now">,
  team: SQL,
): Query<{ quota: number | null; used: number }[]> {
  const { plans } = config.plans;
  const [from, until] = [0, 1].map((months) => sql`${monthStart(now(), months)}`) as [SQL, SQL];
  const quotas = Object.values(plans).map(({ monthlyPosts }) => monthlyPosts ?? 0);
  return sqlQuery(
    sql`SELECT coalesce(t.plan, t.base_plan, ${config.defaultPlan}) AS plan, (SELECT COUNT(*) FROM
        (SELECT 1 FROM uploads u WHERE ${countsInMonth(sql`t.id`, from, until)}
          LIMIT ${Math.max(...quotas)})) AS used
      FROM teams t WHERE t.id = ${team}`,
    (row) => {
      const { plan, used } = readUse(row);
      return { quota: (plans[plan] ?? plans[config.defaultPlan]).monthlyPosts, used };
    },
  );
}
