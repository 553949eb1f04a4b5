import { describeCrash } from "../core/crash.ts";
import type { Deps } from "../deps.ts";
import { handleDeadPublish, handlePublish } from "../features/uploads/jobs.ts";
import { type Budget, createBudget } from "../features/uploads/publish/budget.ts";
import { LEASE_SECONDS } from "../features/uploads/rules.ts";
import { publishMessage } from "./messages.ts";
import type { Outcome } from "./outcome.ts";

const DEAD_LETTERS = "akimbo-dead-letters";
/** A message whose handler threw comes back once the lease of the broken run has ended. */
const CRASH_DELAY_SECONDS = LEASE_SECONDS + 10;

/** Handles each message by itself: one that breaks delays no other. */
export async function consume(deps: Deps, batch: MessageBatch): Promise<void> {
  const budget = createBudget(deps, batch.messages.length);
  const isDead = batch.queue === DEAD_LETTERS;
  await Promise.all(
    batch.messages.map(async (message) => {
      try {
        acknowledge(deps, message, await handle(deps, message.body, isDead, budget));
      } catch (error) {
        deps.log({ ...describeCrash(error, null), queue: batch.queue, attempts: message.attempts });
        message.retry({ delaySeconds: CRASH_DELAY_SECONDS });
      }
    }),
  );
}

async function handle(
  deps: Deps,
  body: unknown,
  isDead: boolean,
  budget: Budget,
): Promise<Outcome> {
  const parsed = publishMessage.safeParse(body);
  if (!parsed.success) return { kind: "drop", reason: "unknown message" };
  return isDead ? handleDeadPublish(deps, parsed.data) : handlePublish(deps, parsed.data, budget);
}

function acknowledge(deps: Deps, message: Message, outcome: Outcome): void {
  if (outcome.kind === "again") {
    message.retry({ delaySeconds: outcome.afterSeconds });
    return;
  }
  if (outcome.kind === "drop") deps.log({ event: "queue.dropped", reason: outcome.reason });
  message.ack();
}
