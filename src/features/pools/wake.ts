import { inSends } from "../../core/queues.ts";
import type { Deps } from "../../deps.ts";
import type { FireMessage } from "../../queue/messages.ts";
import type { TakenFiring } from "./repo/firings.ts";

/** Firings that one message names, and accounts and firings of it together: they are read at once. */
const FIRINGS_PER_MESSAGE = 10;
const MAX_WEIGHT = 40;

/**
 * Sends the messages that carry firings out. The next ticks find firings whose message was lost.
 *
 * @throws what the queue throws
 */
export async function wakeFirings(
  { publishQueue }: Pick<Deps, "publishQueue">,
  firings: readonly TakenFiring[],
): Promise<void> {
  const messages = [...groups(firings)].map((group): { body: FireMessage } => ({
    body: {
      kind: "fire",
      firings: group.map(({ slotId, fireAt }) => [slotId, fireAt.getTime()]),
    },
  }));
  for (const group of inSends(messages)) await publishQueue.sendBatch(group);
}

function* groups(firings: readonly TakenFiring[]): Generator<TakenFiring[]> {
  let group: TakenFiring[] = [];
  let weight = 0;
  for (const firing of firings) {
    const own = 1 + firing.accounts;
    if (group.length === FIRINGS_PER_MESSAGE || (group.length > 0 && weight + own > MAX_WEIGHT)) {
      yield group;
      group = [];
      weight = 0;
    }
    group.push(firing);
    weight += own;
  }
  if (group.length > 0) yield group;
}
