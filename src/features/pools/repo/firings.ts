import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { flag, json } from "../../../db/columns.ts";
import { packedRows, pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import { type AccountRow, accounts } from "../../accounts/table.ts";
import {
  type FiringRow,
  type ItemRow,
  poolFirings,
  poolItems,
  poolSlots,
  pools,
} from "../table.ts";
import { forgetFiles, mayHaveTurn } from "./items.ts";

export type FiringKey = Pick<FiringRow, "slotId" | "fireAt">;

const readDue = rowReader({
  ...pickColumns(poolSlots, ["id", "time", "days"]),
  nextAt: integer("next_at").notNull(),
  nextDay: text("next_day").notNull(),
  timezone: pools.timezone,
});

export type DueSlot = ReturnType<typeof readDue>;

export const dueSlots = prepared(
  ({ at, max }: Params<{ at: Date; max: number }>) =>
    sql`SELECT s.id, s.time, s.days, s.next_at, s.next_day, p.timezone
      FROM pool_slots s CROSS JOIN pools p ON p.id = s.pool_id
      WHERE s.next_at <= ${at} ORDER BY s.next_at, s.id LIMIT ${max}`,
  readDue,
);

/** Instants are epoch ms. */
export interface NewFiring {
  slotId: number;
  expected: number;
  at: number;
  day: string;
  isMissed: boolean;
}

const readTaken = rowReader({
  slotId: poolFirings.slotId,
  fireAt: poolFirings.fireAt,
  outcome: poolFirings.outcome,
  accounts: integer("accounts").notNull(),
});

export type TakenFiring = ReturnType<typeof readTaken>;

export const MISSED = "The service was not running when the slot was due.";

/** Leaves out firings that another run inserted: the insert is the lock. */
export const takeFirings = (firings: readonly NewFiring[], now: Date): Query<TakenFiring[]> =>
  sqlQuery(
    sql`INSERT INTO pool_firings (slot_id, fire_at, pool_id, team_id, local_day, time, timezone, account_ids,
        outcome, reason, woken_at, created_at)
      SELECT s.id, v.value ->> 2, s.pool_id, s.team_id, v.value ->> 3, s.time, p.timezone, s.account_ids,
        iif(v.value ->> 4, 'missed', 'due'), iif(v.value ->> 4, ${MISSED}, NULL),
        ${now.getTime()}, ${now.getTime()}
      FROM json_each(${JSON.stringify(
        firings.map(({ slotId, expected, at, day, isMissed }) => [
          slotId,
          expected,
          at,
          day,
          +isMissed,
        ]),
      )}) v
        CROSS JOIN pool_slots s ON s.id = v.value ->> 0 AND s.next_at = v.value ->> 1
        CROSS JOIN pools p ON p.id = s.pool_id AND p.deleted_at IS NULL
      WHERE TRUE ON CONFLICT DO NOTHING
      RETURNING slot_id, fire_at, outcome, json_array_length(account_ids) AS accounts`,
    readTaken,
  );

/** Instants are epoch ms. */
export interface Advance {
  slotId: number;
  expected: number;
  lastAt: number;
  lastDay: string;
  nextAt: number | null;
  nextDay: string | null;
}

export const advanceSlots = (moves: readonly Advance[]): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET last_at = v.value ->> 2, last_day = v.value ->> 3,
      next_at = v.value ->> 4, next_day = v.value ->> 5
    FROM json_each(${JSON.stringify(
      moves.map(({ slotId, expected, lastAt, lastDay, nextAt, nextDay }) => [
        slotId,
        expected,
        lastAt,
        lastDay,
        nextAt,
        nextDay,
      ]),
    )}) v
    WHERE pool_slots.id = v.value ->> 0 AND pool_slots.next_at = v.value ->> 1`);

export const takeLost = prepared(
  ({ lostBefore, now, max }: Params<{ lostBefore: Date; now: Date; max: number }>) =>
    sql`UPDATE pool_firings SET woken_at = ${now} WHERE (slot_id, fire_at) IN (
        SELECT slot_id, fire_at FROM pool_firings WHERE outcome = 'due' AND woken_at <= ${lostBefore}
          ORDER BY woken_at LIMIT ${max})
      RETURNING slot_id, fire_at, outcome, json_array_length(account_ids) AS accounts`,
  readTaken,
);

export const anyLost = prepared(
  ({ lostBefore }: Params<{ lostBefore: Date }>) =>
    sql`SELECT slot_id FROM pool_firings WHERE outcome = 'due' AND woken_at <= ${lostBefore} LIMIT 1`,
  valueReader(poolFirings.slotId),
);

interface TakingKey extends FiringKey {
  withSandbox: boolean;
}

const usableAccounts = (withSandbox: SQL): SQL => sql`accounts a
  WHERE a.id IN (SELECT value FROM json_each(f.account_ids)) AND a.team_id = f.team_id
    AND a.deleted_at IS NULL AND a.status = 'active' AND (a.mode = 'live' OR ${withSandbox})`;

/** The firing must be due and have a usable account. */
export const takeItem = preparedWrite(
  ({ slotId, fireAt, withSandbox }: Params<TakingKey>) =>
    sql`UPDATE pool_items SET state = 'posting', slot_id = ${slotId}, fire_at = ${fireAt}
      WHERE id = (WITH due AS MATERIALIZED (
          SELECT f.pool_id, f.local_day || 'T' || f.time AS local
          FROM pool_firings f JOIN pools p ON p.id = f.pool_id
          WHERE f.slot_id = ${slotId} AND f.fire_at = ${fireAt} AND f.outcome = 'due'
            AND EXISTS (SELECT 1 FROM ${usableAccounts(withSandbox)}) AND p.is_active = 1 AND p.deleted_at IS NULL)
        SELECT id FROM (
          SELECT * FROM (SELECT i.id, i.position FROM pool_items i WHERE i.pool_id = (SELECT pool_id FROM due)
            AND i.state = 'queued' AND i.repeat_days IS NULL ORDER BY i.position, i.id LIMIT 1)
          UNION ALL SELECT * FROM (SELECT i.id, i.position FROM pool_items i
            WHERE i.pool_id = (SELECT pool_id FROM due) AND i.state = 'queued' AND i.repeat_days IS NOT NULL
              AND ${mayHaveTurn(sql`(SELECT local FROM due)`)} ORDER BY i.position, i.id LIMIT 1))
        ORDER BY position, id LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM pool_items
        WHERE slot_id = ${slotId} AND fire_at = ${fireAt})`,
);

const ITEM = packedRows(poolItems);
const ACCOUNT = packedRows(accounts);
const readFiring = rowReader({
  ...pickColumns(poolFirings, [
    "slotId",
    "fireAt",
    "teamId",
    "accountIds",
    "outcome",
    "reason",
    "createdAt",
  ]),
  item: text("item"),
  /** Null after the person left the team. */
  role: text("role").$type<Role>(),
  isInUse: flag("in_use").notNull(),
  needsApproval: flag("needs_approval").notNull(),
  waitingSince: poolSlots.waitingSince,
  accounts: json<unknown[][][]>("accounts").notNull(),
});

export type Firing = Omit<ReturnType<typeof readFiring>, "item" | "accounts"> & {
  item: ItemRow | null;
  accounts: AccountRow[];
};

export const firingByKey = prepared(
  ({ slotId, fireAt }: Params<FiringKey>) =>
    sql`SELECT f.slot_id, f.fire_at, f.team_id, f.account_ids, f.outcome, f.reason, f.created_at,
        iif(pool_items.id IS NULL, NULL, ${ITEM.value}) AS item, m.role,
        p.is_active AND p.deleted_at IS NULL AS in_use, t.requires_approval AS needs_approval,
        s.waiting_since, (SELECT json_group_array(${ACCOUNT.value}) FROM ${accounts}
          WHERE accounts.id IN (SELECT value FROM json_each(f.account_ids))
            AND accounts.team_id = f.team_id AND accounts.deleted_at IS NULL) AS accounts
      FROM pool_firings f JOIN pools p ON p.id = f.pool_id JOIN teams t ON t.id = f.team_id
        LEFT JOIN pool_slots s ON s.id = f.slot_id
        LEFT JOIN pool_items ON pool_items.slot_id = f.slot_id AND pool_items.fire_at = f.fire_at
        LEFT JOIN members m ON m.team_id = f.team_id AND m.user_id = pool_items.added_by
          AND m.is_active = 1
      WHERE f.slot_id = ${slotId} AND f.fire_at = ${fireAt}`,
  (row): Firing => {
    const { item, accounts, ...firing } = readFiring(row);
    const unpacked = accounts.map(ACCOUNT.unpack);
    return {
      ...firing,
      item: item === null ? null : ITEM.unpack(JSON.parse(item)),
      accounts: unpacked,
    };
  },
);

export const endFiring = (
  { slotId, fireAt }: FiringKey,
  { outcome, itemId = null, reason = null }: Partial<FiringRow> & Pick<FiringRow, "outcome">,
  posts: PostIds | null = null,
): Query<number> =>
  sqlWrite(sql`UPDATE pool_firings SET outcome = ${outcome}, item_id = ${itemId}, reason = ${reason},
      first_upload_id = ${posts?.first ?? null}, last_upload_id = ${posts?.last ?? null}
    WHERE slot_id = ${slotId} AND fire_at = ${fireAt.getTime()} AND outcome = 'due'`);

const EMPTY = "The queue is empty.";
const WAITING = "Each item in the queue waits until it may be published again.";

export const endEmpty = ({ slotId, fireAt }: FiringKey): Query<number> =>
  sqlWrite(sql`UPDATE pool_firings SET outcome = 'empty', reason = iif(EXISTS (SELECT 1 FROM pool_items i
      WHERE i.pool_id = pool_firings.pool_id AND i.state = 'queued'), ${WAITING}, ${EMPTY})
    WHERE slot_id = ${slotId} AND fire_at = ${fireAt.getTime()} AND outcome = 'due'`);

/** Keeps the start of an earlier wait. */
export const beginWaiting = (slotId: number, now: Date): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET waiting_since = ${now.getTime()}
    WHERE id = ${slotId} AND waiting_since IS NULL`);

export const endWaiting = (slotId: number): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET waiting_since = NULL WHERE id = ${slotId}`);

const endItems = (where: SQL): Query<number> =>
  sqlWrite(sql`UPDATE pool_items AS i SET state = iif(EXISTS (SELECT 1 FROM uploads u
      WHERE u.id BETWEEN i.first_upload_id AND i.last_upload_id AND u.status = 'completed'),
      'dispatched', 'skipped')
    WHERE ${where} AND i.state = 'posting' AND i.first_upload_id IS NOT NULL
      AND (i.repeat_days IS NULL OR i.excluded IS NOT NULL)
      AND (NOT EXISTS (SELECT 1 FROM uploads u
          WHERE u.id BETWEEN i.first_upload_id AND i.last_upload_id AND u.deleted_at IS NULL
            AND u.status NOT IN ('completed', 'failed'))
        OR EXISTS (SELECT 1 FROM uploads u
          WHERE u.id BETWEEN i.first_upload_id AND i.last_upload_id AND u.status = 'completed'))`);

export interface PostIds {
  first: number;
  last: number;
}

const isTakenBy = ({ slotId, fireAt }: FiringKey): SQL =>
  sql`state = 'posting' AND slot_id = ${slotId} AND fire_at = ${fireAt.getTime()}`;

const forgetLastFiles = (id: number): Query<number> =>
  forgetFiles(sql`i.id = ${id} AND i.repeat_days IS NULL AND i.state <> 'queued'`);

export const keepPosts = (
  firing: FiringKey,
  id: number,
  { first, last }: PostIds,
  reason: string | null,
): Query<number>[] => [
  sqlWrite(sql`UPDATE pool_items SET first_upload_id = ${first}, last_upload_id = ${last},
      reason = ${reason} WHERE id = ${id} AND ${isTakenBy(firing)}`),
  endItems(sql`i.id = ${id}`),
  forgetLastFiles(id),
];

export const skipItem = (
  firing: FiringKey,
  id: number,
  { reason, isFailed }: { reason: string; isFailed: boolean },
): Query<number>[] => [
  sqlWrite(sql`UPDATE pool_items SET state = 'skipped', reason = ${reason}, failures = failures + ${+isFailed}
    WHERE id = ${id} AND ${isTakenBy(firing)} AND first_upload_id IS NULL`),
  forgetLastFiles(id),
];

export const postingAfter = (after: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM pool_items WHERE state = 'posting' AND id > ${after}
      ORDER BY id LIMIT 1 OFFSET ${count - 1}`,
    valueReader(poolItems.id),
  );

/** No event reports a post's removal, so this ends the items of ended posts. */
export const endLeft = (after: number, max: number): Query<number> =>
  endItems(sql`i.id IN (SELECT id FROM pool_items WHERE state = 'posting' AND id > ${after}
    ORDER BY id LIMIT ${max})`);
