import type { Deps } from "../../deps.ts";

/** When deliveries are due, in ms, and the id of their event. */
export type DueKey = [dueAtMs: number, eventId: string];

/** Keys that one message names, at most. */
const KEYS_PER_MESSAGE = 10;
/** Source: Queues, "Limits": messages per sendBatch, and longest delay. */
const MESSAGES_PER_SEND = 100;
const LONGEST_DELAY_SECONDS = 12 * 3_600;

type Waker = Pick<Deps, "webhookQueue" | "now">;

/**
 * Sends the messages that wake deliveries once they are due, or at `at`. What gets lost is found by the sweep.
 *
 * @throws what the queue throws
 */
export async function wakeDeliveries(
  deps: Waker,
  keys: readonly DueKey[],
  at?: Date,
): Promise<void> {
  const messages = [...groups(keys)].map((due) => ({
    body: { kind: "deliver" as const, due },
    delaySeconds: secondsUntil(deps, at?.getTime() ?? Math.max(...due.map(([dueAtMs]) => dueAtMs))),
  }));
  for (let i = 0; i < messages.length; i += MESSAGES_PER_SEND) {
    await deps.webhookQueue.sendBatch(messages.slice(i, i + MESSAGES_PER_SEND));
  }
}

/** As above, but what the queue throws is left to the sweep: the deliveries are stored already. */
export async function tryToWake(
  deps: Waker & Pick<Deps, "log">,
  keys: readonly DueKey[],
): Promise<void> {
  if (keys.length === 0) return;
  try {
    await wakeDeliveries(deps, keys);
  } catch (error) {
    deps.log({ event: "webhooks.not_woken", error: String(error) });
  }
}

/** Keys that are due within the same second go together. */
function* groups(keys: readonly DueKey[]): Generator<DueKey[]> {
  const sorted = [...new Map(keys.map((key) => [key.join(), key])).values()].sort(
    ([a], [b]) => a - b,
  );
  let group: DueKey[] = [];
  for (const key of sorted) {
    const [first] = group;
    if (first && (group.length === KEYS_PER_MESSAGE || key[0] - first[0] >= 1_000)) {
      yield group;
      group = [];
    }
    group.push(key);
  }
  if (group.length > 0) yield group;
}

const secondsUntil = ({ now }: Pick<Deps, "now">, ms: number): number =>
  Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil((ms - now().getTime()) / 1_000)));
