import { Budget, type SharedBudget, shareBudget } from "../core/budget.ts";
import { describeCrash } from "../core/crash.ts";
import { readOrNull } from "../core/readers.ts";
import type { Deps } from "../deps.ts";
import { handleClicks, isClicks } from "../features/links/jobs.ts";
import { handleDeadPublish, handlePublish } from "../features/publishing/jobs.ts";
import { LEASE_SECONDS } from "../features/publishing/rules.ts";
import { countedDeps } from "./counted-deps.ts";
import { type ClicksMessage, jobMessage, webhookMessage } from "./messages.ts";
import type { Outcome } from "./outcome.ts";

/** Owners may name their queues otherwise, but each name ends like this. */
const DEAD_LETTERS = "dead-letters";
/** A message whose handler crashed is delivered again after the lease of its run. */
const CRASH_DELAY_SECONDS = LEASE_SECONDS + 10;

const DELIVERIES = "webhooks";
const DELIVERY_CRASH_DELAY_SECONDS = 10;

/** Waits before each new attempt to store clicks, which must survive an outage. */
const CLICK_DELAYS_SECONDS = [5, 60, 600, 3_600];

export async function consume(deps: Deps, batch: MessageBatch): Promise<void> {
  const clicks = batch.messages.filter(({ body }) => isClicks(body)) as Message<ClicksMessage>[];
  if (clicks.length > 0) await consumeClicks(deps, clicks);
  const others = batch.messages.filter(({ body }) => !isClicks(body));
  if (others.length === 0) return;
  if (batch.queue.endsWith(DELIVERIES)) await consumeDeliveries(deps, batch, others);
  else await consumeJobs(deps, others, batch.queue);
}

async function consumeClicks(deps: Deps, messages: Message<ClicksMessage>[]): Promise<void> {
  try {
    await handleClicks(
      deps,
      messages.map(({ body }) => body),
    );
    for (const message of messages) message.ack();
  } catch (error) {
    deps.log({ ...describeCrash(error, null), event: "clicks.delayed" });
    for (const message of messages) {
      const delaySeconds =
        CLICK_DELAYS_SECONDS[message.attempts - 1] ?? CLICK_DELAYS_SECONDS.at(-1);
      message.retry({ delaySeconds });
    }
  }
}

/** Sends notices with the subrequests that the webhook deliveries did not use. */
async function consumeDeliveries(deps: Deps, batch: MessageBatch, messages: readonly Message[]) {
  const { handleDeliver } = await import("../features/webhooks/jobs.ts");
  const read = messages.map(({ body }) => readOrNull(webhookMessage, body));
  const recognized = read.filter((message) => message !== null);
  if (recognized.length < read.length)
    deps.log({ event: "queue.dropped", reason: "unknown message" });
  const deliveries = recognized.filter((message) => message.kind === "deliver");
  const hasNotices = deliveries.length < recognized.length;
  const budget = new Budget(deps.config.subrequestsPerInvocation);
  try {
    await handleDeliver(hasNotices ? countedDeps(deps, budget.spend) : deps, deliveries);
    if (hasNotices) deps.defer(notify(deps, budget.remaining));
    batch.ackAll();
  } catch (error) {
    deps.log({ ...describeCrash(error, null), queue: batch.queue });
    batch.retryAll({ delaySeconds: DELIVERY_CRASH_DELAY_SECONDS });
  }
}

async function notify(deps: Deps, calls: number): Promise<void> {
  try {
    const { handleNotify } = await import("../features/notices/jobs.ts");
    await handleNotify(deps, calls);
  } catch (error) {
    deps.log({ ...describeCrash(error, null), queue: DELIVERIES });
  }
}

async function consumeJobs(deps: Deps, messages: readonly Message[], queue: string): Promise<void> {
  const { subrequestsPerInvocation: calls, isDevelopment } = deps.config;
  const { now, wait } = deps;
  const budget = shareBudget({ calls, jobs: messages.length, isDevelopment, now, wait });
  const isDead = queue.endsWith(DEAD_LETTERS);
  await Promise.all(
    messages.map(async (message) => {
      try {
        acknowledge(deps, message, await handle(deps, message.body, isDead, budget));
      } catch (error) {
        deps.log({ ...describeCrash(error, null), queue, attempts: message.attempts });
        message.retry({ delaySeconds: CRASH_DELAY_SECONDS });
      }
    }),
  );
}

async function handle(
  deps: Deps,
  body: unknown,
  isDead: boolean,
  budget: SharedBudget,
): Promise<Outcome> {
  const message = readOrNull(jobMessage, body);
  if (!message) return { kind: "drop", reason: "unknown message" };
  if (message.kind === "publish") {
    return isDead ? handleDeadPublish(deps, message) : handlePublish(deps, message, budget);
  }
  if (isDead) {
    // Cron later sends a new message for the same slots or metrics.
    return { kind: "drop", reason: `a message of kind ${message.kind} that broke each time` };
  }
  if (message.kind === "fire") {
    const { handleFire } = await import("../features/pools/jobs.ts");
    return handleFire(deps, message, budget);
  }
  if (message.kind === "feeds") {
    const { handleFeeds } = await import("../features/feeds/jobs.ts");
    return handleFeeds(deps, budget);
  }
  const { handleCollect } = await import("../features/analytics/jobs.ts");
  return handleCollect(deps, message, budget);
}

function acknowledge(deps: Deps, message: Message, outcome: Outcome): void {
  if (outcome.kind === "again") {
    message.retry({ delaySeconds: outcome.afterSeconds });
    return;
  }
  if (outcome.kind === "drop") deps.log({ event: "queue.dropped", reason: outcome.reason });
  message.ack();
}
