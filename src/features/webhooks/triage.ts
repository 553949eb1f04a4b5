import type { Deps } from "../../deps.ts";
import type { StoredEvent } from "../events/envelope.ts";
import * as repo from "./repo/deliveries.ts";
import { decideDelivery, LONGEST_TURN_MS, TURN_MS } from "./rules.ts";
import type { Ended, Lease, Moved } from "./store.ts";

export interface Ready {
  lease: Lease;
  webhook: { url: string; secret: string };
  event: StoredEvent;
  timeouts: number;
}

export interface Triage {
  ready: Ready[];
  ended: Ended[];
  moved: Moved[];
}

export async function triage(deps: Deps, deliveries: readonly repo.Due[]): Promise<Triage> {
  const result: Triage = { ready: [], ended: [], moved: [] };
  const queuing: Ready[] = [];
  for (const due of deliveries) {
    const lease: Lease = { due, dueAt: due.dueAt };
    const webhook = webhookOf(due);
    const event = eventOf(due);
    const fate = decideDelivery({ ...due, webhook, event });
    if (fate === "skip") result.ended.push({ lease, at: deps.now(), end: { kind: "skipped" } });
    else if (fate === "forget" || !webhook || !event) {
      result.ended.push({ lease, at: deps.now(), end: { kind: "forgotten" } });
    } else {
      const ready = { lease, webhook, event, timeouts: webhook.timeouts };
      (fate === "queue_up" ? queuing : result.ready).push(ready);
    }
  }
  if (queuing.length > 0) await giveTurns(deps, queuing, result);
  return result;
}

function webhookOf({ url, secret, isActive, activeSince, timeouts }: repo.Due) {
  const isThere = url !== null && secret !== null && isActive !== null && activeSince !== null;
  return isThere ? { url, secret, isActive, activeSince, timeouts: timeouts ?? 0 } : null;
}

const eventOf = ({ eventId, event, data, eventAt }: repo.Due): StoredEvent | null =>
  event !== null && data !== null && eventAt !== null
    ? { id: eventId, event, createdAt: eventAt, data }
    : null;

async function giveTurns(
  deps: Deps,
  queuing: readonly Ready[],
  { ready, moved }: Triage,
): Promise<void> {
  const now = deps.now();
  const byWebhook = Map.groupBy(queuing, ({ lease }) => lease.due.webhookId);
  const answers = await deps.db.runAll(
    [...byWebhook].map(([webhookId, { length }]) =>
      repo.takeTurns({ webhookId, span: length * TURN_MS, now }),
    ),
  );
  const firstTurns = new Map(answers.flat().map(({ webhookId, first }) => [webhookId, first]));
  for (const [webhookId, own] of byWebhook) {
    const first = firstTurns.get(webhookId);
    for (const [i, one] of own.entries()) {
      const turn = first && new Date(first.getTime() + i * TURN_MS);
      if (turn && turn <= now) ready.push(one);
      else moved.push({ lease: one.lease, to: turn ?? askAgainAt(now), hasSlot: Boolean(turn) });
    }
  }
}

/** Random, so that a long queue does not return all at once. */
const askAgainAt = (now: Date): Date =>
  new Date(now.getTime() + Math.round((LONGEST_TURN_MS * (1 + Math.random())) / 2));
