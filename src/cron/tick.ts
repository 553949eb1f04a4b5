import { Budget } from "../core/budget.ts";
import { isBehind } from "../core/database-errors.ts";
import { SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { bringUpToDate } from "../durable/installation.ts";
import { countedDeps } from "../queue/counted-deps.ts";
import { runSchedule } from "./schedule.ts";

/** Runs the schedule. A database that lacks tables or columns is brought up to date for the next tick. */
export async function runTick(deps: Deps, scheduledAt?: Date): Promise<void> {
  try {
    await (deps.hasQueues ? runSchedule(deps, scheduledAt) : runAlone(deps, scheduledAt));
  } catch (error) {
    if (deps.installation && isBehind(error)) {
      const { failure } = await bringUpToDate(deps.installation);
      if (failure !== null) deps.log({ event: "migrations.failed", error: failure });
    }
    throw error;
  }
}

/** Leaves a part of the minute, so that a tick ends before the next one begins. */
const WORK_MS = 45 * SECOND;
/** Subrequests that a batch of messages needs at least. */
const BATCH_CALLS = 34;
const BATCH_SIZE = 5;

/**
 * The work of a minute without queues: the tick handles the messages itself. Work that is left over is found by the next
 * tick, because the database rows say what is due.
 */
async function runAlone(real: Deps, scheduledAt?: Date): Promise<void> {
  const [{ withQueuesInMemory }, { consume }] = await Promise.all([
    import("../queue/in-memory.ts"),
    import("../queue/consumer.ts"),
  ]);
  const budget = new Budget(real.config.subrequestsPerInvocation);
  const { deps, queues, settle } = withQueuesInMemory(countedDeps(real, budget.spend));
  const endMs = deps.now().getTime() + WORK_MS;
  // The chores of a night must not leave posts waiting.
  const config = { ...deps.config, subrequestsPerInvocation: budget.remaining - BATCH_CALLS };
  await runSchedule({ ...deps, config }, scheduledAt);
  await settle();
  while (budget.allows(BATCH_CALLS)) {
    const dueMs = queues.nextDueMs();
    if (dueMs === null || dueMs > endMs) break;
    const earlyMs = dueMs - deps.now().getTime();
    if (earlyMs > 0) await deps.wait(earlyMs);
    const waiting = queues.take(Math.max(dueMs, deps.now().getTime()), BATCH_SIZE);
    for (const queue of new Set(waiting.map((message) => message.queue))) {
      const config = { ...deps.config, subrequestsPerInvocation: budget.remaining };
      const messages = waiting.filter((message) => message.queue === queue);
      await consume({ ...deps, config }, queues.batchOf(queue, messages));
      await settle();
    }
  }
}
