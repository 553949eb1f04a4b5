import { inSends } from "../../core/queues.ts";
import type { Deps } from "../../deps.ts";

/** When deliveries are due, in ms, and the id of their event. */
export type DueKey = [dueAtMs: number, eventId: string];

/** A key, and when the deliveries under it are to be looked at. */
export interface Wake {
  key: DueKey;
  atMs: number;
}

/** Keys that one message names, at most. */
const KEYS_PER_MESSAGE = 10;
/** Source: Queues, "Limits": longest delay. */
const LONGEST_DELAY_SECONDS = 12 * 3_600;

type Waker = Pick<Deps, "webhookQueue" | "now">;

/** As long as deliveries are not looked at before they are due. */
export const onceDue = (key: DueKey): Wake => ({ key, atMs: key[0] });

/**
 * Sends the messages that wake deliveries. The sweep finds deliveries whose message was lost.
 *
 * @throws what the queue throws
 */
export async function wakeDeliveries(deps: Waker, wakes: readonly Wake[]): Promise<void> {
  const messages = [...groups(wakes)].map((group) => ({
    body: { kind: "deliver" as const, due: group.map(({ key }) => key) },
    delaySeconds: secondsUntil(deps, group.at(-1)?.atMs ?? 0),
  }));
  for (const group of inSends(messages)) await deps.webhookQueue.sendBatch(group);
}

/** As above, but what the queue throws is left to the sweep: the deliveries are stored already. */
export async function tryToWake(
  deps: Waker & Pick<Deps, "log">,
  wakes: readonly Wake[],
): Promise<void> {
  if (wakes.length === 0) return;
  try {
    await wakeDeliveries(deps, wakes);
  } catch (error) {
    deps.log({ event: "webhooks.not_woken", error: String(error) });
  }
}

/** Keys that are looked at within the same second go together; each once, at its earliest time. */
function* groups(wakes: readonly Wake[]): Generator<Wake[]> {
  const latestFirst = wakes.toSorted((a, b) => b.atMs - a.atMs);
  const unique = new Map(latestFirst.map((wake) => [wake.key.join(), wake]));
  let group: Wake[] = [];
  for (const wake of [...unique.values()].sort((a, b) => a.atMs - b.atMs)) {
    const [first] = group;
    if (first && (group.length === KEYS_PER_MESSAGE || wake.atMs - first.atMs >= 1_000)) {
      yield group;
      group = [];
    }
    group.push(wake);
  }
  if (group.length > 0) yield group;
}

const secondsUntil = ({ now }: Pick<Deps, "now">, ms: number): number =>
  Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil((ms - now().getTime()) / 1_000)));
