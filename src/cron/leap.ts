import { holdClock, now, releaseClock } from "../core/clock.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { consume } from "../queue/consumer.ts";
import { MAX_DELAY_SECONDS } from "../queue/wake.ts";
import { runSchedule } from "./schedule.ts";

/** Source: wrangler.toml, `max_retries`. */
const MAX_ATTEMPTS = 6;
/** Limit per simulated minute, because messages may send messages for ever. */
const MAX_MESSAGES = 2_000;
/** Even a short leap handles messages due within this time, so that posts can finish. */
const LEAST_MS = 3 * MINUTE;
/** Messages due within this time are handled together. */
const TOGETHER_MS = 6 * SECOND;

interface WaitingMessage {
  queue: string;
  body: unknown;
  attempts: number;
  dueMs: number;
}

class QueuesInMemory {
  #messages: WaitingMessage[] = [];

  /** Takes the earliest messages, but none that is due after `endMs`. */
  take(endMs: number): WaitingMessage[] {
    const first = Math.min(...this.#messages.map(({ dueMs }) => dueMs));
    const isFirst = ({ dueMs }: WaitingMessage) => dueMs <= Math.min(first + TOGETHER_MS, endMs);
    const taken = this.#messages.filter(isFirst);
    this.#messages = this.#messages.filter((message) => !isFirst(message));
    return taken;
  }

  /** Sends the waiting messages to the real queues. */
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

  batchOf({ queue, body, attempts }: WaitingMessage): MessageBatch {
    const retry = (options?: QueueRetryOptions) =>
      this.add(queue, body, options?.delaySeconds, attempts + 1);
    const message = { id: "", timestamp: now(), body, attempts, ack: () => {}, retry };
    return {
      queue,
      messages: [message],
      ackAll: () => {},
      retryAll: retry,
    } as unknown as MessageBatch;
  }
}

/**
 * Development only. Moves the clock and runs the schedule for `ticks` minutes, handling messages that become due. Leaps
 * must not overlap.
 */
export async function leapTo(real: Deps, at: Date, ticks: number): Promise<void> {
  const queues = new QueuesInMemory();
  let deferred: Promise<unknown>[] = [];
  const [jobs, deliveries] = ["akimbo-publish", "akimbo-webhooks"];
  const deps: Deps = {
    ...real,
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
    for (let ticksLeft = ticks; ticksLeft > 0; ticksLeft--) {
      const minute = Math.floor(now().getTime() / MINUTE) * MINUTE;
      await runSchedule(deps, new Date(minute));
      await settle();
      for (let handled = 0; handled < MAX_MESSAGES; ) {
        const due = queues.take(ticksLeft > 1 ? minute + MINUTE - 1 : endMs);
        if (due.length === 0) break;
        handled += due.length;
        holdFrom(Math.max(...due.map(({ dueMs }) => dueMs)));
        await Promise.all(due.map((one) => consume(deps, queues.batchOf(one))));
        await settle();
      }
      if (ticksLeft > 1) holdFrom(minute + MINUTE);
    }
  } finally {
    releaseClock();
    await queues.release({ [jobs]: real.publishQueue, [deliveries]: real.webhookQueue });
  }
}
