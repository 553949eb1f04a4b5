import { holdClock, now, releaseClock } from "../core/clock.ts";
import { MINUTE } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { consume } from "../queue/consumer.ts";
import { withQueuesInMemory } from "../queue/in-memory.ts";
import { runSchedule } from "./schedule.ts";

/** Limit per simulated minute, because messages may send messages for ever. */
const MAX_MESSAGES = 2_000;
/** Even a short leap handles messages due within this time, so that posts can finish. */
const LEAST_MS = 3 * MINUTE;
/**
 * Development only. Moves the clock and runs the schedule for `ticks` minutes, handling messages that become due. Leaps
 * must not overlap.
 */
export async function leapTo(real: Deps, at: Date, ticks: number): Promise<void> {
  const { deps, queues, settle, release } = withQueuesInMemory(real);
  const holdFrom = (ms: number) => holdClock(new Date(Math.max(now().getTime(), ms)));

  holdFrom(at.getTime());
  const endMs = now().getTime() + Math.max(LEAST_MS, ticks * MINUTE);
  try {
    for (let ticksLeft = ticks; ticksLeft > 0; ticksLeft--) {
      const minute = Math.floor(now().getTime() / MINUTE) * MINUTE;
      await runSchedule(deps, new Date(minute));
      await settle();
      for (let handled = 0; handled < MAX_MESSAGES; ) {
        const due = queues.take(ticksLeft > 1 ? minute + MINUTE - 1 : endMs);
        if (due.length === 0) break;
        handled += due.length;
        holdFrom(Math.max(...due.map(({ dueMs }) => dueMs)));
        await Promise.all(due.map((one) => consume(deps, queues.batchOf(one.queue, [one]))));
        await settle();
      }
      if (ticksLeft > 1) holdFrom(minute + MINUTE);
    }
  } finally {
    releaseClock();
    await release();
  }
}
