import type { Manifest } from "../../features/backup/manifest.ts";
import { startOf } from "../../features/backup/rules.ts";
import { passedFirings } from "../../features/pools/coming.ts";
import {
  holdItems,
  holdPosts,
  leapIds,
  moveSlots,
  SELECT_SLOTS,
} from "../../features/restore/repo/hold.ts";
import type { Row } from "../d1.ts";
import { sql } from "../sql.ts";
import { toStatement } from "../team-database.ts";
import type { Database } from "./database.ts";
import { type Run, stillOurs } from "./run.ts";

/** The last step: whatever was due in the gap is held, and the marks of the restore go. */
export async function holdAll(database: Database, run: Run, manifest: Manifest) {
  const now = new Date();
  const exists = new Set(
    (await database.read("SELECT name FROM sqlite_master")).map(({ name }) => name),
  );
  const slots = exists.has("restoring_slots") ? await database.read(SELECT_SLOTS) : [];
  const { moves, byPool } = plan(slots, now);
  const posts = exists.has("restoring_held")
    ? await countIn(database, "SELECT count(*) AS n FROM restoring_held")
    : 0;
  const queued = await countIn(database, COUNT_SKIPPED);
  await database.write([
    stillOurs(run),
    ...[
      ...(exists.has("restoring_held") ? holdPosts(startOf(manifest.id) ?? now, now) : []),
      moveSlots(moves),
      ...holdItems(byPool),
      ...leapIds(now),
    ].map(toStatement),
    ...[...exists].flatMap((name) =>
      /^restoring_\w+$/.test(String(name)) ? [`DROP TABLE "${name}"`] : [],
    ),
  ]);
  return {
    posts,
    items: (await countIn(database, COUNT_SKIPPED)) - queued,
    approvals: await countPosts(database, "pending_approval"),
    planned: await countPosts(database, "scheduled"),
  };
}

const COUNT_SKIPPED = "SELECT count(*) AS n FROM pool_items WHERE state = 'skipped'";

const countIn = async (database: Database, statement: string): Promise<number> =>
  Number((await database.read(statement))[0]?.n ?? 0);

const countPosts = (database: Database, status: string): Promise<number> =>
  countIn(
    database,
    sql`SELECT count(*) AS n FROM uploads WHERE status = ${status} AND deleted_at IS NULL`,
  );

function plan(slots: readonly Row[], now: Date) {
  const byPool = new Map<number, number>();
  const moves = slots.map((slot) => {
    const recurrence = { time: String(slot.time), days: JSON.parse(String(slot.days)) as number[] };
    const due = { at: Number(slot.next_at), day: String(slot.next_day) };
    const { count, last, next } = passedFirings(String(slot.timezone), recurrence, due, now);
    const pool = Number(slot.pool_id);
    byPool.set(pool, (byPool.get(pool) ?? 0) + count);
    return {
      id: Number(slot.id),
      lastAt: last.at,
      lastDay: last.day,
      nextAt: next?.at ?? null,
      nextDay: next?.day ?? null,
    };
  });
  return { moves, byPool };
}
