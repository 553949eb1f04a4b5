import { holdClock, now, releaseClock } from "../core/clock.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { consume } from "../queue/consumer.ts";
import { runSchedule } from "./schedule.ts";

/** Times that a message is handled at most. Source: wrangler.toml, `max_retries`. */
const MAX_ATTEMPTS = 6;
/** Messages of one leap: one that calls for itself for ever ends with it. */
const MAX_MESSAGES = 2_000;

interface Held {
  queue: string;
  body: unknown;
  attempts: number;
  dueMs: number;
}

/** Queues whose messages wait in memory. */
class HeldQueues {
  readonly #messages: Held[] = [];

  /** Those that are due first come first; of several, the one that was sent first. */
  take(): Held | undefined {
    const first = Math.min(...this.#messages.map(({ dueMs }) => dueMs));
    const index = this.#messages.findIndex(({ dueMs }) => dueMs === first);
    return index < 0 ? undefined : this.#messages.splice(index, 1)[0];
  }

  add(queue: string, body: unknown, delaySeconds = 0, attempts = 1): void {
    if (attempts > MAX_ATTEMPTS) return;
    this.#messages.push({ queue, body, attempts, dueMs: now().getTime() + delaySeconds * SECOND });
  }

  of<T>(queue: string): Queue<T> {
    const send = async (body: T, options?: QueueSendOptions) =>
      this.add(queue, body, options?.delaySeconds);
    const sendBatch = async (batch: Iterable<MessageSendRequest<T>>) => {
      for (const { body, delaySeconds } of batch) this.add(queue, body, delaySeconds);
    };
    return { send, sendBatch } as unknown as Queue<T>;
  }

  /** A batch of one message; one that is retried waits again. */
  batchOf({ queue, body, attempts }: Held): MessageBatch {
    const retry = (options?: QueueRetryOptions) =>
      this.add(queue, body, options?.delaySeconds, attempts + 1);
    const message = { id: "", timestamp: now(), body, attempts, ack: () => {}, retry };
    return {
      ...{ queue, messages: [message], ackAll: () => {}, retryAll: retry },
    } as unknown as MessageBatch;
  }
}

/**
 * Development only: holds the clock at this instant, or where it is later already, runs the schedule there, and
 * at each of the following minutes for as many `ticks` as are asked for. Each message that this sends is handled
 * here, the clock moved on to when it is due. Afterwards the clock runs on from there. One at a time.
 */
export async function leapTo(given: Deps, at: Date, ticks: number): Promise<void> {
  const queues = new HeldQueues();
  let deferred: Promise<unknown>[] = [];
  const jobs = "akimbo-publish";
  const deps: Deps = {
    ...given,
    publishQueue: queues.of(jobs),
    collectQueue: queues.of(jobs),
    webhookQueue: queues.of("akimbo-webhooks"),
    defer: (work) => deferred.push(work),
  };
  const settle = async () => {
    const works = deferred;
    deferred = [];
    await Promise.allSettled(works);
  };
  const holdFrom = (ms: number) => holdClock(new Date(Math.max(now().getTime(), ms)));

  holdFrom(at.getTime());
  try {
    for (let left = ticks; left > 0; left--) {
      const minute = Math.floor(now().getTime() / MINUTE) * MINUTE;
      await runSchedule(deps, new Date(minute));
      await settle();
      for (let handled = 0; handled < MAX_MESSAGES; handled++) {
        const next = queues.take();
        if (!next) break;
        holdFrom(next.dueMs);
        await consume(deps, queues.batchOf(next));
        await settle();
      }
      if (left > 1) holdFrom(minute + MINUTE);
    }
  } finally {
    releaseClock();
  }
}
