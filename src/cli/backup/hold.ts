import { ZoneClock } from "../../core/zone.ts";
import type { Manifest } from "../../features/backup/manifest.ts";
import { holdItems, holdPosts, leapIds, SELECT_SLOTS } from "../../features/backup/repo/hold.ts";
import { startOf } from "../../features/backup/rules.ts";
import { advanceSlots, takeFirings } from "../../features/pools/repo/firings.ts";
import { dueFirings } from "../../features/pools/rules.ts";
import type { Row } from "../d1.ts";
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
  const { firings, moves, byPool } = plan(slots, now);
  const posts = exists.has("restoring_held")
    ? await count(database, "SELECT count(*) AS n FROM restoring_held")
    : 0;
  const queued = await count(database, COUNT_SKIPPED);
  await database.write([
    stillOurs(run),
    // The statements below move slots that are due at the time that they had.
    ...(slots.length > 0 ? [GIVE_BACK] : []),
    ...[
      ...(exists.has("restoring_held") ? holdPosts(startOf(manifest.id) ?? now, now) : []),
      takeFirings(firings, now),
      advanceSlots(moves),
      ...holdItems(byPool),
      ...leapIds(now),
    ].map(toStatement),
    ...[...exists].flatMap((name) =>
      /^restoring_\w+$/.test(String(name)) ? [`DROP TABLE "${name}"`] : [],
    ),
  ]);
  return {
    posts,
    items: (await count(database, COUNT_SKIPPED)) - queued,
    approvals: await count(
      database,
      "SELECT count(*) AS n FROM uploads WHERE status = 'pending_approval' AND deleted_at IS NULL",
    ),
  };
}

const GIVE_BACK = `UPDATE pool_slots SET next_at = (SELECT next_at FROM restoring_slots r WHERE r.id = pool_slots.id)
  WHERE id IN (SELECT id FROM restoring_slots)`;

const COUNT_SKIPPED = "SELECT count(*) AS n FROM pool_items WHERE state = 'skipped'";

const count = async (database: Database, statement: string): Promise<number> =>
  Number((await database.read(statement))[0]?.n ?? 0);

function plan(slots: readonly Row[], now: Date) {
  const byPool = new Map<number, number>();
  const plans = slots.map((slot) => {
    const clock = new ZoneClock(String(slot.timezone));
    const recurrence = { time: String(slot.time), days: JSON.parse(String(slot.days)) as number[] };
    const expected = Number(slot.next_at);
    const due = { at: expected, day: String(slot.next_day) };
    const { firings, next } = dueFirings(clock, recurrence, due, now.getTime());
    const pool = Number(slot.pool_id);
    byPool.set(pool, (byPool.get(pool) ?? 0) + firings.length);
    const last = firings.at(-1) ?? due;
    const slotId = Number(slot.id);
    const moved = { nextAt: next?.at ?? null, nextDay: next?.day ?? null };
    return {
      firings: firings.map(({ at, day }) => ({ slotId, expected, at, day, isMissed: true })),
      move: { slotId, expected, lastAt: last.at, lastDay: last.day, ...moved },
    };
  });
  return {
    firings: plans.flatMap((one) => one.firings),
    moves: plans.map(({ move }) => move),
    byPool,
  };
}
