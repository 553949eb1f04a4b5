import { timeSortedId } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { tellOfDisabled } from "./notice.ts";
import { envelopeText } from "./payload.ts";
import * as repo from "./repo/deliveries.ts";
import { fateOf, LONGEST_TURN_MS, retryAt } from "./rules.ts";
import { openSecret } from "./secrets.ts";
import { type Sent, send } from "./send.ts";
import { type DueKey, wakeDeliveries } from "./wake.ts";

/** No batch of messages waits longer for receivers: what is unanswered by then goes on outside of it. */
const BATCH_MS = SECOND;
/** An attempt that goes on is due again by then, should its run break off: it lasts 10 seconds at most. */
const LEASE_MS = 30 * SECOND;
/** Delay of a delivery that was not begun in time. */
const PUT_BACK_MS = 2 * SECOND;
/** Source: Workers, "Limits": connections that wait for an answer at the same time. */
const CONNECTIONS = 6;
/** Connections to one endpoint, so that a slow one leaves room for others. */
const CONNECTIONS_PER_WEBHOOK = 2;
/** Source: Workers, "Limits": 50 subrequests on the free plan; the database and the queue need some. */
const MAX_DELIVERIES = 40;

/** A delivery in our hands. */
interface Held {
  due: repo.Due;
  /** When it is due, as we last wrote it: part of its key. */
  dueAt: Date;
}

interface Ended {
  held: Held;
  end:
    | { kind: "sent"; sent: Sent }
    | { kind: "skipped" | "forgotten" }
    /** To be sent at its turn. */
    | { kind: "queued_up"; at: Date };
}

/** Makes the attempts that are due under these keys, those that somebody else has taken left out. */
export async function deliver(deps: Deps, keys: readonly DueKey[]): Promise<void> {
  const [found] = await deps.db.run([repo.dueDeliveries(keys)]);
  const healthyFirst = found.toSorted((a, b) => (a.timeouts ?? 0) - (b.timeouts ?? 0));
  const all = healthyFirst.map((due): Held => ({ due, dueAt: due.dueAt }));
  const waiting = all.slice(0, MAX_DELIVERIES);
  const ended: Ended[] = [];
  const begun = new Set<Held>();
  let isOver = false;
  const next = (): Held | undefined => {
    const index = waiting.findIndex(
      ({ due }) => inFlightTo(due.webhookId, begun) < CONNECTIONS_PER_WEBHOOK,
    );
    return isOver || index < 0 ? undefined : waiting.splice(index, 1)[0];
  };
  const work = Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let held = next(); held; held = next()) {
        begun.add(held);
        ended.push({ held, end: await carryOut(deps, held.due) });
        begun.delete(held);
      }
    }),
  );
  await Promise.race([work, deps.wait(BATCH_MS)]);
  isOver = true;
  const goesOn = begun.size > 0;
  await store(deps, ended.splice(0), [
    ...[...begun].map((held) => [held, LEASE_MS] as const),
    ...[...waiting, ...all.slice(MAX_DELIVERIES)].map((held) => [held, PUT_BACK_MS] as const),
  ]);
  if (goesOn) deps.defer(work.then(() => store(deps, ended.splice(0))));
  else await work;
}

const inFlightTo = (webhookId: number, begun: Set<Held>): number =>
  [...begun].filter(({ due }) => due.webhookId === webhookId).length;

async function carryOut(deps: Deps, due: repo.Due): Promise<Ended["end"]> {
  const { url, secret, isActive, activeSince, timeouts, event, data, eventAt } = due;
  const webhook =
    url !== null && secret !== null && isActive !== null && activeSince !== null
      ? { url, secret, isActive, activeSince, timeouts: timeouts ?? 0 }
      : null;
  const stored =
    event !== null && data !== null && eventAt !== null
      ? { id: due.eventId, event, createdAt: eventAt, data }
      : null;
  const fate = fateOf({ ...due, webhook, event: stored });
  if (fate === "skip") return { kind: "skipped" };
  if (fate === "forget" || !webhook || !stored) return { kind: "forgotten" };
  if (fate === "queue_up") {
    const at = await turnOf(deps, due.webhookId);
    if (at > deps.now()) return { kind: "queued_up", at };
  }
  const sent = await send(deps, {
    ...{ url: webhook.url, event: stored.event, eventId: stored.id, payload: envelopeText(stored) },
    secret: await openSecret(deps, due.teamId, webhook.secret),
  });
  return { kind: "sent", sent };
}

/** When an endpoint that keeps timing out is sent the next event. */
async function turnOf({ db, now }: Pick<Deps, "db" | "now">, webhookId: number): Promise<Date> {
  const [[slot = now()]] = await db.run([repo.takeSlot(webhookId, now())]);
  return new Date(Math.min(slot.getTime(), now().getTime() + LONGEST_TURN_MS));
}

/** Stores what became of deliveries, with those that are `moved` by so many ms, and wakes what is due again. */
async function store(
  deps: Deps,
  ended: readonly Ended[],
  moved: readonly (readonly [Held, number])[] = [],
): Promise<void> {
  const writes: Query<number>[] = [];
  const wake: DueKey[] = [];
  const move = (held: Held, to: Date, change: { attempt?: number; hasSlot?: boolean } = {}) => {
    const { due } = held;
    const { attempt = due.attempt, hasSlot = due.hasSlot } = change;
    writes.push(repo.moveDelivery({ ...keyOf(held), to, attempt, hasSlot }));
    held.dueAt = to;
  };
  for (const { held, end } of ended) {
    const { due } = held;
    if (end.kind === "queued_up") {
      move(held, end.at, { hasSlot: end.at.getTime() < deps.now().getTime() + LONGEST_TURN_MS });
      wake.push([end.at.getTime(), due.eventId]);
      continue;
    }
    if (end.kind !== "forgotten") writes.push(repo.insertAttempt(toAttempt(deps, due, end)));
    const isFailed = end.kind === "sent" && !end.sent.success;
    const again = isFailed ? retryAt(due, deps.now(), Math.random()) : null;
    if (again) {
      move(held, again, { attempt: due.attempt + 1 });
      wake.push([again.getTime(), due.eventId]);
    } else {
      writes.push(repo.endDelivery(keyOf(held)));
    }
    const id = due.webhookId;
    if (isFailed && !again && due.kind === "event") {
      writes.push(repo.noteExhausted({ id, at: deps.now() }));
    }
    if (end.kind === "sent" && end.sent.success) writes.push(repo.noteSuccess({ id }));
    if (end.kind === "sent" && end.sent.isTimeout) writes.push(repo.noteTimeout({ id }));
  }
  for (const [held, ms] of moved) {
    const to = new Date(deps.now().getTime() + ms);
    move(held, to);
    if (ms < LEASE_MS) wake.push([to.getTime(), held.due.eventId]);
  }
  if (writes.length === 0) return;
  await deps.db.runAll(writes);
  if (wake.length > 0) await wakeDeliveries(deps, wake);
  const isExhausted = ({ held: { due }, end }: Ended) =>
    end.kind === "sent" && !end.sent.success && retryAt(due, deps.now(), 0) === null;
  if (ended.some(isExhausted)) deps.defer(tellOfDisabled(deps));
}

const keyOf = ({ due: { eventId, webhookId }, dueAt }: Held): repo.DeliveryKey => ({
  ...{ dueAt, eventId, webhookId },
});

const SKIPPED = { success: false, statusCode: null, durationMs: 0 } as const;

function toAttempt(
  deps: Pick<Deps, "now">,
  { webhookId, teamId, eventId, event, attempt }: repo.Due,
  end: Exclude<Ended["end"], { kind: "queued_up" }>,
): repo.AttemptRow {
  const { success, statusCode, error, durationMs } =
    end.kind === "sent"
      ? end.sent
      : { ...SKIPPED, error: "Not sent: the webhook was switched off before." };
  return {
    ...{ webhookId, teamId, eventId, attempt, success, statusCode, error, durationMs },
    id: timeSortedId("dlv", deps.now()),
    event: event ?? "webhook.ping",
    createdAt: deps.now(),
  };
}
