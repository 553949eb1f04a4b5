import { now } from "../core/clock.ts";
import { SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { MAX_DELAY_SECONDS } from "./wake.ts";

// Names of queues in wrangler.toml.
const JOBS = "akimbo-publish";
const DELIVERIES = "akimbo-webhooks";
/** Source: wrangler.toml, `max_retries`. */
const MAX_ATTEMPTS = 6;
/** Messages due within this time are handled together. */
const TOGETHER_MS = 6 * SECOND;

export interface WaitingMessage {
  queue: string;
  body: unknown;
  attempts: number;
  dueMs: number;
}

/** Replaces the queues by queues in memory. `settle` waits for the work that was deferred. */
export function withQueuesInMemory(real: Deps) {
  const queues = new QueuesInMemory();
  let deferred: Promise<unknown>[] = [];
  const deps: Deps = {
    ...real,
    publishQueue: queues.of(JOBS),
    collectQueue: queues.of(JOBS),
    webhookQueue: queues.of(DELIVERIES),
    defer: (work) => deferred.push(work),
  };
  const settle = async (): Promise<void> => {
    const works = deferred;
    deferred = [];
    await Promise.allSettled(works);
  };
  const release = (): Promise<void> =>
    queues.release({ [JOBS]: real.publishQueue, [DELIVERIES]: real.webhookQueue });
  return { deps, queues, settle, release };
}

/** Queues of one invocation. A message that is not taken by its end is lost. */
export class QueuesInMemory {
  #messages: WaitingMessage[] = [];

  /** Takes the earliest messages, but none that is due after `endMs`. */
  take(endMs: number, max = Number.POSITIVE_INFINITY): WaitingMessage[] {
    const until = Math.min((this.nextDueMs() ?? 0) + TOGETHER_MS, endMs);
    const taken = this.#messages
      .filter(({ dueMs }) => dueMs <= until)
      .sort((one, other) => one.dueMs - other.dueMs)
      .slice(0, max);
    this.#messages = this.#messages.filter((message) => !taken.includes(message));
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

  /** The messages are of one queue. */
  batchOf(queue: string, waiting: readonly WaitingMessage[]): MessageBatch {
    const messages = waiting.map(({ body, attempts }) => {
      const retry = (options?: QueueRetryOptions) =>
        this.add(queue, body, options?.delaySeconds, attempts + 1);
      return { id: "", timestamp: now(), body, attempts, ack: () => {}, retry };
    });
    const retryAll = (options?: QueueRetryOptions) => {
      for (const { retry } of messages) retry(options);
    };
    return { queue, messages, ackAll: () => {}, retryAll } as unknown as MessageBatch;
  }

  /** When the next message is due, in epoch ms; null without one. */
  nextDueMs(): number | null {
    const times = this.#messages.map(({ dueMs }) => dueMs);
    return times.length > 0 ? Math.min(...times) : null;
  }
}
