import { inSends } from "../../core/queues.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { delayUntil, untilWholeSeconds } from "../../queue/wake.ts";
import { forgetWaking, SLICE, takeSlice, type Woken } from "./repo/sweep.ts";

/** Slices that include jobs whose message may be lost. More would lengthen a long queue. */
const SUSPECT_SLICES = 5;

/**
 * Slices whose messages are timed for whole seconds, when posts are due. A queue takes 5,000 messages a second, so
 * later slices are late anyway (Queues, "Limits").
 */
const ALIGNED_SLICES = 5;

/**
 * Wakes jobs that are due soon or whose message was lost, oldest first. A second message is harmless.
 *
 * @throws what the queue throws; the next tick sends the rest
 */
export async function wakeDueUploads<const Q extends readonly Query<unknown>[]>(
  deps: Deps,
  alongside: Q,
): Promise<{ woken: number; alongside: Results<Q> }> {
  const suspects = deps.hasQueues ? "late" : "all";
  let now = deps.now();
  const beforeAll: Woken = { id: 0, dueAt: new Date(0) };
  const [first, ...read] = await deps.db.run([takeSlice(now, beforeAll, suspects), ...alongside]);
  let slice = first;
  let woken = 0;
  for (let slices = 1; ; slices++) {
    const ordered = slice.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.id - b.id);
    let isAligned = slices > ALIGNED_SLICES;
    let sent = 0;
    for (const group of inSends(ordered)) {
      const ahead = group.find(({ dueAt }) => dueAt > now);
      try {
        // Posts are due at whole seconds, so one wait fits all.
        if (ahead && !isAligned) await untilWholeSeconds(deps, ahead.dueAt);
        isAligned ||= ahead !== undefined;
        await deps.publishQueue.sendBatch(
          group.map(({ id, dueAt }) => ({
            body: { kind: "publish" as const, uploadId: id },
            delaySeconds: delayUntil(deps, dueAt),
          })),
        );
        sent += group.length;
      } catch (error) {
        await deps.db.run([forgetWaking(ordered.slice(sent).map(({ id }) => id))]);
        throw error;
      }
    }
    woken += ordered.length;
    const last = ordered.at(-1);
    if (!last || ordered.length < SLICE) return { woken, alongside: read };
    now = deps.now();
    [slice] = await deps.db.run([
      takeSlice(now, last, slices < SUSPECT_SLICES ? suspects : "none"),
    ]);
  }
}
