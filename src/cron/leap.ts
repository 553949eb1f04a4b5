import { holdClock, now, releaseClock } from "../core/clock.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { consume } from "../queue/consumer.ts";
import { runSchedule } from "./schedule.ts";

/** Times that a message is handled at most. Source: wrangler.toml, `max_retries`. */
const MAX_ATTEMPTS = 6;
/** Messages of one leap: one that calls for itself for ever ends with it. */
const MAX_MESSAGES = 2_000;
/** Time that a post has for its steps, at least. */
const LEAST_MS = 3 * MINUTE;
/** Longest delay of a message, in seconds. Source: Queues, "Limits". */
const MAX_DELAY_SECONDS = 12 * 3_600;
/** Messages that are due within this time of each other are handled together, as consumers would. */
const TOGETHER_MS = 6 * SECOND;

interface Held {
  queue: string;
  body: unknown;
  attempts: number;
  dueMs: number;
}

/** Queues whose messages wait in memory. */
class HeldQueues {
  #messages: Held[] = [];

  /** The messages that are due first, with those that are hardly later: none that is due after `endMs`. */
  take(endMs: number): Held[] {
    const first = Math.min(...this.#messages.map(({ dueMs }) => dueMs));
    const isFirst = ({ dueMs }: Held) => dueMs <= Math.min(first + TOGETHER_MS, endMs);
    const taken = this.#messages.filter(isFirst);
    this.#messages = this.#messages.filter((held) => !isFirst(held));
    return taken;
  }

  /** Hands the messages that wait to the queues themselves. */
  async release(queues: Record<string, Queue<never>>): Promise<void> {
    for (const { queue, body, dueMs } of this.#messages.splice(0)) {
      const seconds = Math.ceil((dueMs - now().getTime()) / SECOND);
      const delaySeconds = Math.min(Math.max(seconds, 0), MAX_DELAY_SECONDS);
      await queues[queue]?.send(body as never, { delaySeconds });
    }
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
 * at each of the following minutes for as many `ticks` as are asked for. Messages that this sends are handled
 * here, the clock moved on to when they are due: within three minutes, or as many as there are ticks. Later ones are
 * left to the queues. Afterwards the clock runs on from there. One at a time.
 */
export async function leapTo(given: Deps, at: Date, ticks: number): Promise<void> {
  const queues = new HeldQueues();
  let deferred: Promise<unknown>[] = [];
  const [jobs, deliveries] = ["akimbo-publish", "akimbo-webhooks"];
  const deps: Deps = {
    ...given,
    publishQueue: queues.of(jobs),
    collectQueue: queues.of(jobs),
    webhookQueue: queues.of(deliveries),
    defer: (work) => deferred.push(work),
  };
  const settle = async () => {
    const works = deferred;
    deferred = [];
    await Promise.allSettled(works);
  };
  const holdFrom = (ms: number) => holdClock(new Date(Math.max(now().getTime(), ms)));

  holdFrom(at.getTime());
  const endMs = now().getTime() + Math.max(LEAST_MS, ticks * MINUTE);
  try {
    for (let left = ticks; left > 0; left--) {
      const minute = Math.floor(now().getTime() / MINUTE) * MINUTE;
      await runSchedule(deps, new Date(minute));
      await settle();
      for (let handled = 0; handled < MAX_MESSAGES; ) {
        const due = queues.take(left > 1 ? minute + MINUTE - 1 : endMs);
        if (due.length === 0) break;
        handled += due.length;
        holdFrom(Math.max(...due.map(({ dueMs }) => dueMs)));
        await Promise.all(due.map((one) => consume(deps, queues.batchOf(one))));
        await settle();
      }
      if (left > 1) holdFrom(minute + MINUTE);
    }
  } finally {
    releaseClock();
    await queues.release({ [jobs]: given.publishQueue, [deliveries]: given.webhookQueue });
  }
}
