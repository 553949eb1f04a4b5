import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { envelopeText } from "./payload.ts";
import * as repo from "./repo/deliveries.ts";
import { openSecret } from "./secrets.ts";
import { type Sent, send } from "./send.ts";
import { type Ended, type Held, type Moved, store } from "./store.ts";
import { type Ready, triage } from "./triage.ts";
import type { DueKey } from "./wake.ts";

/** No batch of messages waits longer for receivers: what is unanswered by then goes on outside of it. */
const BATCH_MS = SECOND / 2;
/** An endpoint that was unanswered then is not waited for again by this isolate. Any quick answer ends that. */
const SLOW_MS = 30 * SECOND;
/** An attempt that goes on is due again by then, should its run break off: it lasts 10 seconds at most. */
const LEASE_MS = 30 * SECOND;
/** Delay of a delivery that was not begun because its endpoint was busy. */
const PUT_BACK_MS = 2 * SECOND;
/** Source: Workers, "Limits": connections that wait for an answer at the same time. */
const CONNECTIONS = 6;
/** Connections to one endpoint, so that a slow one leaves room for others. */
const CONNECTIONS_PER_WEBHOOK = 2;
/** Source: Workers, "Limits": 50 subrequests on the free plan; the database and the queue need some. */
const MAX_REQUESTS = 40;

/** When endpoints cease to be slow, ms, by the id of their webhook: a hint of this isolate alone. */
const slowUntil = new Map<number, number>();
/** Forgets which endpoints are slow. */
export const forgetSlow = (): void => slowUntil.clear();
/** More endpoints than an isolate meets in that time. */
const MAX_HINTS = 10_000;

/** Makes the attempts that are due under these keys, those that somebody else has taken left out. */
export async function deliver(deps: Deps, keys: readonly DueKey[]): Promise<void> {
  const unique = new Map(keys.map((key) => [key.join(), key]));
  if (unique.size === 0) return;
  const [found] = await deps.db.run([repo.dueDeliveries([...unique.values()])]);
  const { ready, ended, moved } = await triage(deps, found);
  const round = new Round(deps, ready);
  await Promise.race([round.work, round.healthyWork, deps.wait(BATCH_MS)]);
  const { inFlight, notBegun } = round.close();
  const now = deps.now().getTime();
  const first = store(deps, [...ended, ...round.takeEnded()], [
    ...moved,
    ...inFlight.map((held) => ({ held, to: new Date(now + LEASE_MS), isSilent: true })),
    ...notBegun.map(({ held, isBusy }) => ({
      ...{ held, to: new Date(isBusy ? now + PUT_BACK_MS : now) },
    })),
  ] satisfies Moved[]);
  if (inFlight.length > 0) deps.defer(storeLater(deps, round, first));
  await first;
}

/** Stores what is answered after its batch has been told done. */
async function storeLater(deps: Deps, round: Round, first: Promise<void>): Promise<void> {
  await Promise.allSettled([round.work, first]);
  try {
    await store(deps, round.takeEnded());
  } catch (error) {
    deps.log({ event: "webhooks.not_stored", error: String(error) });
  }
}

/** Sends to some endpoints at a time: those that answered last time first, and then the oldest event. */
class Round {
  /** Settles when all that was begun has ended. */
  readonly work: Promise<unknown>;
  /** Settles when all that is left is with endpoints that did not answer quickly before. */
  readonly healthyWork: Promise<void>;
  private readonly waiting: Ready[];
  private readonly slow: Set<Ready>;
  private readonly inFlight = new Set<Ready>();
  private ended: Ended[] = [];
  private begun = 0;
  private isOver = false;
  private readonly endHealthy: () => void;

  private readonly deps: Deps;

  constructor(deps: Deps, ready: readonly Ready[]) {
    this.deps = deps;
    const now = deps.now().getTime();
    const isSlow = ({ held, timeouts }: Ready) =>
      timeouts > 0 || (slowUntil.get(held.due.webhookId) ?? 0) > now;
    this.slow = new Set(ready.filter(isSlow));
    const rank = (one: Ready) => Number(this.slow.has(one));
    this.waiting = ready.toSorted(
      (a, b) => rank(a) - rank(b) || a.held.due.queuedAt.getTime() - b.held.due.queuedAt.getTime(),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.healthyWork = promise;
    this.endHealthy = resolve;
    this.work = Promise.all(Array.from({ length: CONNECTIONS }, () => this.serve()));
    this.noteHealthy();
  }

  /** Begins nothing more. Answers what goes on, and what was left. */
  close(): { inFlight: Held[]; notBegun: { held: Held; isBusy: boolean }[] } {
    this.isOver = true;
    if (slowUntil.size > MAX_HINTS) forgetSlow();
    const until = this.deps.now().getTime() + SLOW_MS;
    for (const { held } of this.inFlight) slowUntil.set(held.due.webhookId, until);
    return {
      inFlight: [...this.inFlight].map(({ held }) => held),
      notBegun: this.waiting.map(({ held }) => ({ held, isBusy: this.requestsTo(held) > 0 })),
    };
  }

  takeEnded(): Ended[] {
    const ended = this.ended;
    this.ended = [];
    return ended;
  }

  private async serve(): Promise<void> {
    for (let ready = this.next(); ready; ready = this.next()) {
      this.inFlight.add(ready);
      const sent = await attempt(this.deps, ready);
      this.ended.push({ held: ready.held, at: this.deps.now(), end: { kind: "sent", sent } });
      this.inFlight.delete(ready);
      if (!this.isOver) slowUntil.delete(ready.held.due.webhookId);
      this.noteHealthy();
    }
  }

  private next(): Ready | undefined {
    if (this.isOver || this.begun === MAX_REQUESTS) return undefined;
    const hasRoom = ({ held }: Ready) => this.requestsTo(held) < CONNECTIONS_PER_WEBHOOK;
    const index = this.waiting.findIndex(hasRoom);
    if (index < 0) return undefined;
    this.begun++;
    return this.waiting.splice(index, 1)[0];
  }

  private requestsTo({ due: { webhookId } }: Held): number {
    return [...this.inFlight].filter(({ held }) => held.due.webhookId === webhookId).length;
  }

  private noteHealthy(): void {
    const begins = this.begun < MAX_REQUESTS ? this.waiting : [];
    const left = [...this.inFlight, ...begins];
    if (left.every((one) => this.slow.has(one))) this.endHealthy();
  }
}

async function attempt(deps: Deps, { held: { due }, webhook, event }: Ready): Promise<Sent> {
  let secret: string;
  try {
    secret = await openSecret(deps, due.teamId, webhook.secret);
  } catch {
    deps.log({ event: "webhook.secret_unreadable", webhookId: due.webhookId });
    return UNREADABLE;
  }
  const { url } = webhook;
  const payload = envelopeText(event);
  return send(deps, { url, secret, event: event.event, eventId: event.id, payload });
}

/** One webhook's secret fails its own attempts, and none of the others of the batch. */
const UNREADABLE: Sent = {
  success: false,
  statusCode: null,
  error: "Not sent: the secret cannot be read. Give the webhook a new one.",
  durationMs: 0,
  isTimeout: false,
};
