import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import type { Publication, QueuedItem, SlotAccount } from "../forecast.ts";
import { MAX_QUEUED } from "../rules.ts";
import { poolItems } from "../table.ts";
import { ownPool } from "./pools.ts";

export const SHOWN_CHARACTERS = 200;

const readQueued = rowReader(
  pickColumns(poolItems, [
    "id",
    "title",
    "description",
    "repeatDays",
    "repeatTimes",
    "variants",
    "dispatches",
    "failures",
    "lastLocal",
  ]),
);

const QUEUED = sql`id, substr(title, 1, ${SHOWN_CHARACTERS}) AS title,
  iif(repeat_days IS NULL, NULL, substr(description, 1, ${SHOWN_CHARACTERS})) AS description,
  repeat_days, repeat_times, iif(variants IS NULL, NULL, (SELECT json_group_array(
    substr(value, 1, ${SHOWN_CHARACTERS})) FROM json_each(variants))) AS variants,
  dispatches, failures, last_local`;

const queued = (pool: SQL, condition: SQL): Query<QueuedItem[]> =>
  sqlQuery(
    sql`SELECT ${QUEUED}
      FROM pool_items WHERE pool_id = ${pool} AND state = 'queued' AND ${condition}
      ORDER BY position, id LIMIT ${MAX_QUEUED}`,
    readQueued,
  );

export const queuedItems = (team: SQL, poolId: number): Query<QueuedItem[]> =>
  queued(ownPool(team, poolId), sql`TRUE`);

export const repeatingItems = (poolId: number): Query<QueuedItem[]> =>
  queued(sql`${poolId}`, sql`repeat_days IS NOT NULL`);

const readPlace = rowReader(pickColumns(poolItems, ["poolId", "position"]));

export type QueuedOfPool = QueuedItem & ReturnType<typeof readPlace>;

/** More than one team's queues of the next weeks. */
export const MAX_READ_ITEMS = 5_000;

/** Pool by pool, in the order of their ids, in no order within a pool. */
export const queuedOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT item.pool_id, item.position, item.* FROM (SELECT id FROM pools
        WHERE team_id = ${team} AND deleted_at IS NULL AND is_active = 1 ORDER BY id) pool
      CROSS JOIN (SELECT pool_id, state, position, ${QUEUED} FROM pool_items) item
        ON item.pool_id = pool.id AND item.state = 'queued'
      LIMIT ${sql.raw(`${MAX_READ_ITEMS}`)}`,
  (row): QueuedOfPool => ({ ...readQueued(row), ...readPlace(row) }),
);

const readAccount = rowReader(pickColumns(accounts, ["id", "platform"]));

export const accountsOf = (team: SQL, ids: readonly string[]): Query<SlotAccount[]> =>
  sqlQuery(
    sql`SELECT id, platform FROM accounts WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND team_id = ${team} AND deleted_at IS NULL`,
    readAccount,
  );

const readPublication = rowReader({
  itemId: integer("item_id").notNull(),
  accountId: text("account_id").notNull(),
  place: integer("place"),
  at: instant("at").notNull(),
});

const publications = (pools: SQL, since: number): Query<Publication[]> =>
  sqlQuery(
    sql`SELECT i.id AS item_id, u.account_id, coalesce(u.uploaded_at, u.sort_at) AS at,
        iif(u.title IS i.title AND u.description IS i.description, 0, (SELECT v.key + 1
          FROM json_each(i.variants) v
          WHERE v.value = iif(i.description IS NULL, u.title, u.description) LIMIT 1)) AS place
      FROM pool_firings f
      CROSS JOIN pool_items i ON i.id = f.item_id AND i.state = 'queued' AND i.repeat_days IS NOT NULL
      CROSS JOIN uploads u ON u.id BETWEEN f.first_upload_id AND f.last_upload_id
      WHERE f.pool_id IN (${pools}) AND f.fire_at > ${since}
        AND u.deleted_at IS NULL AND u.status_group IN ('scheduled', 'pending', 'completed')`,
    (row) => {
      const { place, at, ...publication } = readPublication(row);
      const variant = place === null ? undefined : place === 0 ? null : place - 1;
      return { ...publication, variant, at: at.getTime() };
    },
  );

export const publicationsOf = (team: SQL, poolId: number, since: number): Query<Publication[]> =>
  publications(
    sql`SELECT p.id FROM pools p WHERE p.id = ${ownPool(team, poolId)} AND EXISTS (SELECT 1 FROM pool_items r
      WHERE r.pool_id = p.id AND r.state = 'queued' AND r.repeat_days IS NOT NULL)`,
    since,
  );

/** Reads the firings only of pools in which an item repeats. */
export const publicationsOfTeam = (team: SQL, since: number): Query<Publication[]> =>
  publications(
    sql`SELECT p.id FROM pools p WHERE p.team_id = ${team} AND p.deleted_at IS NULL AND p.is_active = 1
      AND EXISTS (SELECT 1 FROM pool_items r
        WHERE r.pool_id = p.id AND r.state = 'queued' AND r.repeat_days IS NOT NULL)`,
    since,
  );
