import { sql } from "drizzle-orm";
import { addSeconds } from "../../../core/time.ts";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { LOOK_AHEAD_SECONDS } from "../rules.ts";
import { delayUntil, untilWholeSeconds } from "./wake.ts";

/** Rows taken by one statement. */
const SLICE = 1_000;
/** Source: Queues, "Limits": messages per sendBatch. */
const MESSAGES_PER_SEND = 100;
/** A message this late is taken for lost, later ones at the next tick. */
const PATIENCE_MS = 20_000;
const MAX_PATIENCE_MS = 55_000;
/** Slices of one tick that may hold suspects: a long queue must not be made ever longer. */
const SUSPECT_SLICES = 5;

/**
 * Slices of one tick whose messages wait for the right moment of a second. A queue takes 5,000 messages a
 * second (Queues, "Limits"), so those after them are later than that by themselves.
 */
const ALIGNED_SLICES = 5;

interface Woken {
  id: number;
  dueAt: Date;
}

/**
 * The next slice of jobs that are due, or will be before the tick after next, and have nobody at work
 * and no message on the way: marked as woken, oldest first. A suspect's message may have been lost.
 */
function takeSlice(now: Date, after: Woken, withSuspects: boolean): Query<Woken[]> {
  const at = now.getTime();
  const until = addSeconds(now, LOOK_AHEAD_SECONDS).getTime();
  const patience = sql`MIN(${MAX_PATIENCE_MS}, MAX(${PATIENCE_MS}, woken_at - due_at))`;
  const suspects = sql`OR woken_at + ${patience} <= ${at}`;
  return sqlQuery(
    sql`UPDATE uploads SET woken_at = MAX(due_at, ${at})
      WHERE id IN (SELECT id FROM uploads
        WHERE due_at IS NOT NULL AND due_at <= ${until}
          AND (due_at, id) > (${after.dueAt.getTime()}, ${after.id})
          AND (lease_until IS NULL OR lease_until <= ${at})
          AND (woken_at IS NULL OR woken_at < due_at OR woken_at < lease_until
            ${withSuspects ? suspects : sql``})
        ORDER BY due_at, id LIMIT ${SLICE})
      RETURNING id, due_at`,
    (row) => ({ id: row.id as number, dueAt: new Date(row.due_at as number) }),
  );
}

/** Messages that did not get out: the next tick sends them. */
const forgetWaking = (ids: number[]): Query<number> =>
  sqlWrite(sql`UPDATE uploads SET woken_at = NULL
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);

/**
 * Wakes every job that is due soon and every one whose message got lost, oldest first. Waking one
 * twice is harmless: the row decides. Answers how many were woken, and what the tick reads `alongside`
 * in the same round trip.
 *
 * @throws what the queue throws; what was not sent is left to the next tick
 */
export async function wakeDueUploads<T>(
  deps: Deps,
  alongside: Query<T>,
): Promise<{ woken: number; alongside: T }> {
  let now = deps.now();
  const beforeAll: Woken = { id: 0, dueAt: new Date(0) };
  const [first, read] = await deps.db.run([takeSlice(now, beforeAll, true), alongside]);
  let slice = first;
  let woken = 0;
  for (let slices = 1; ; slices++) {
    const ordered = slice.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.id - b.id);
    let isAligned = slices > ALIGNED_SLICES;
    for (let i = 0; i < ordered.length; i += MESSAGES_PER_SEND) {
      const group = ordered.slice(i, i + MESSAGES_PER_SEND);
      const ahead = group.find(({ dueAt }) => dueAt > now);
      try {
        // Posts are planned for whole seconds, so what is right for one of them is for nearly all.
        if (ahead && !isAligned) await untilWholeSeconds(deps, ahead.dueAt);
        isAligned ||= ahead !== undefined;
        await deps.publishQueue.sendBatch(
          group.map(({ id, dueAt }) => ({
            body: { kind: "publish" as const, uploadId: id },
            delaySeconds: delayUntil(deps, dueAt),
          })),
        );
      } catch (error) {
        await deps.db.run([forgetWaking(ordered.slice(i).map(({ id }) => id))]);
        throw error;
      }
    }
    woken += ordered.length;
    const last = ordered.at(-1);
    if (!last || ordered.length < SLICE) return { woken, alongside: read };
    now = deps.now();
    [slice] = await deps.db.run([takeSlice(now, last, slices < SUSPECT_SLICES)]);
  }
}
