import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../../db/client.ts";
import { changeFacts, leapPostIds, moveUploads } from "../../posts/repo/write.ts";
import { RESTORED } from "../../publishing/rules.ts";

/* Keeps a restored database from sending anything again. The tables named restoring_… belong to the restore. */

const HELD = sql.raw("restoring_held");
const SLOTS = sql.raw("restoring_slots");
const isHeld: SQL = sql`u.id IN (SELECT id FROM ${HELD})`;

/**
 * Takes everything that is due out of the way, in any older schema: the migrations that follow may take a while.
 *
 * @param tables of the schema
 */
export function setAside(tables: ReadonlySet<string>, now: Date): Query<number>[] {
  const ms = now.getTime();
  const ifThere = (table: string, ...statements: SQL[]) => (tables.has(table) ? statements : []);
  return [
    ...ifThere(
      "uploads",
      sql`CREATE TABLE ${HELD} AS SELECT id FROM uploads WHERE deleted_at IS NULL
        AND (status IN ('pending', 'processing') OR (status = 'scheduled' AND due_at <= ${ms}))`,
      changeFacts({ dueAt: null, leaseUntil: null }, isHeld),
    ),
    ...ifThere(
      "pool_slots",
      sql`CREATE TABLE ${SLOTS} AS SELECT id, next_at FROM pool_slots WHERE next_at <= ${ms}`,
      sql`UPDATE pool_slots SET next_at = NULL WHERE next_at <= ${ms}`,
    ),
    ...ifThere(
      "pool_firings",
      sql`UPDATE pool_firings SET outcome = 'missed', reason = ${RESTORED} WHERE outcome = 'due'`,
    ),
    ...ifThere("deliveries", sql`DELETE FROM deliveries`),
    ...ifThere("notices", sql`DELETE FROM notices`),
    ...ifThere("chores", sql`DELETE FROM chores`),
  ].map(sqlWrite);
}

/**
 * Posts that are both in the table and in the archive, which got them while they were copied. Few members span a post
 * that they do not have, so that the ids of few are read.
 */
export const selectArchivedTwice = (uploads: string, members: string): string =>
  `SELECT u.team_id, u.id FROM (
      SELECT m.team_id, sum(step.value) OVER (PARTITION BY m.team_id, m.month, m.part, m.byte_offset
        ORDER BY step.key) AS id
      FROM ${members} m CROSS JOIN json_each(m.ids) step
      WHERE EXISTS (SELECT 1 FROM ${uploads} own WHERE own.team_id = m.team_id AND own.deleted_at IS NULL
        AND own.sort_at BETWEEN m.first_at AND m.last_at AND own.id BETWEEN m.first_id AND m.last_id)
    ) archived CROSS JOIN ${uploads} u ON u.id = archived.id AND u.team_id = archived.team_id`;

/** Lets the next tick look up the posts that were due. `backedUpAt` is when the backup began. */
export const holdPosts = (backedUpAt: Date, now: Date): Query<number>[] =>
  [
    moveUploads({ from: ["scheduled"], to: "pending" }, {}, isHeld),
    moveUploads(
      { from: ["pending", "processing"], to: "processing" },
      {
        fence: sql`fence + 1`,
        dueAt: now,
        wokenAt: null,
        leaseUntil: null,
        progressedAt: null,
        backoffs: 0,
        crashes: 0,
        backedUpAt,
      },
      isHeld,
    ),
  ].map(sqlWrite);

/** Items whose turn was in the gap, and items whose posts were about to be made. */
export const holdItems = (firingsByPool: ReadonlyMap<number, number>): Query<number>[] =>
  [
    sql`UPDATE pool_items SET state = 'skipped', reason = ${RESTORED}
      WHERE state = 'posting' AND first_upload_id IS NULL`,
    sql`UPDATE pool_items SET state = 'skipped', reason = ${RESTORED} WHERE id IN (
      SELECT q.id FROM (SELECT id, pool_id, row_number() OVER (PARTITION BY pool_id ORDER BY position, id) AS n
          FROM pool_items WHERE state = 'queued') q
        JOIN json_each(${JSON.stringify([...firingsByPool])}) gap ON gap.value ->> 0 = q.pool_id
      WHERE q.n <= gap.value ->> 1)`,
  ].map(sqlWrite);

export const SELECT_SLOTS = `SELECT s.id, s.pool_id, s.time, s.days, s.next_day, r.next_at, p.timezone
  FROM restoring_slots r JOIN pool_slots s ON s.id = r.id JOIN pools p ON p.id = s.pool_id`;

/** Instants are epoch ms. */
interface SlotMove {
  id: number;
  lastAt: number;
  lastDay: string;
  nextAt: number | null;
  nextDay: string | null;
}

export const moveSlots = (moves: readonly SlotMove[]): Query<number> =>
  sqlWrite(sql`UPDATE pool_slots SET last_at = m.value ->> 1, last_day = m.value ->> 2,
      next_at = m.value ->> 3, next_day = m.value ->> 4
    FROM json_each(${JSON.stringify(
      moves.map(({ id, lastAt, lastDay, nextAt, nextDay }) => [
        id,
        lastAt,
        lastDay,
        nextAt,
        nextDay,
      ]),
    )}) m WHERE pool_slots.id = m.value ->> 0`);

/** More than any instance makes between a backup and its loss. Ids of that time stay unused, because links name them. */
const LEAP = 1_000_000;

export const leapIds = (now: Date): Query<number>[] => [
  sqlWrite(sql`UPDATE sqlite_sequence SET seq = seq + ${LEAP} WHERE name NOT LIKE 'restoring_%'`),
  leapPostIds(LEAP, now),
];
