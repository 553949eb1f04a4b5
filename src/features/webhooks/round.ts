import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Permit } from "../../durable/delivery-gate.ts";
import { envelopeText } from "../events/envelope.ts";
import { Permits } from "./permits.ts";
import { signingKey } from "./secrets.ts";
import { type Sent, send } from "./send.ts";
import type { Ended, Lease } from "./store.ts";
import type { Ready } from "./triage.ts";

/** Wait of a batch for answers. Later answers are stored outside the batch. */
export const BATCH_MS = SECOND / 2;
/** After this many late answers in a row, batches no longer wait for the endpoint. */
const SLOW_AFTER = 3;
const SLOW_MS = 30 * SECOND;
/** Source: Workers, "Limits". */
const CONNECTIONS = 6;
/** Subrequests kept for database, queue and delivery gate. */
const OTHER_CALLS = 16;

/** Late answers in a row by webhook id, counted in this isolate until `until` (epoch ms). */
const unanswered = new Map<number, { times: number; until: number }>();
export const forgetSlow = (): void => unanswered.clear();
const MAX_HINTS = 10_000;

function isSlow({ lease, timeouts }: Ready, now: number): boolean {
  const hint = unanswered.get(lease.due.webhookId);
  return (
    timeouts >= SLOW_AFTER || (hint !== undefined && hint.times >= SLOW_AFTER && hint.until > now)
  );
}

function noteUnanswered(webhookIds: Iterable<number>, now: number): void {
  if (unanswered.size > MAX_HINTS) forgetSlow();
  for (const id of new Set(webhookIds)) {
    const times = (unanswered.get(id)?.times ?? 0) + 1;
    unanswered.set(id, { times, until: now + SLOW_MS });
  }
}

export interface Unstarted {
  lease: Lease;
  isBusy: boolean;
}

interface Lineup {
  ready: readonly Ready[];
  slow: Set<Ready>;
  permits: Permits;
}

/** Sends over a few connections: quick endpoints first, then the oldest event. */
export class Round {
  readonly work: Promise<unknown>;
  /** Settles when only slow endpoints have not answered. */
  readonly healthyWork: Promise<void>;
  private readonly waiting: Ready[];
  private readonly slow: Set<Ready>;
  private readonly inFlight = new Set<Ready>();
  private ended: Ended[] = [];
  private requestCount = 0;
  private isOver = false;
  private readonly endHealthy: () => void;

  private readonly deps: Deps;
  private readonly maxRequests: number;
  private readonly permits: Permits;

  private constructor(deps: Deps, { ready, slow, permits }: Lineup) {
    this.deps = deps;
    this.maxRequests = deps.config.subrequestsPerInvocation - OTHER_CALLS;
    this.permits = permits;
    this.slow = slow;
    const rank = (one: Ready) => Number(this.slow.has(one));
    this.waiting = ready.toSorted(
      (a, b) =>
        rank(a) - rank(b) || a.lease.due.queuedAt.getTime() - b.lease.due.queuedAt.getTime(),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.healthyWork = promise;
    this.endHealthy = resolve;
    this.work = Promise.all(Array.from({ length: CONNECTIONS }, () => this.serve()));
    this.noteHealthy();
  }

  static async start(deps: Deps, ready: readonly Ready[]): Promise<Round> {
    const now = deps.now().getTime();
    const slow = new Set(ready.filter((one) => isSlow(one, now)));
    const webhookIds = ready.map(({ lease }) => lease.due.webhookId);
    const permits = await Permits.take(deps, webhookIds, { isPatient: slow.size < ready.length });
    return new Round(deps, { ready, slow, permits });
  }

  close(): { inFlight: Lease[]; unstarted: Unstarted[] } {
    this.isOver = true;
    const inFlight = [...this.inFlight].map(({ lease }) => lease);
    noteUnanswered(
      inFlight.map(({ due }) => due.webhookId),
      this.deps.now().getTime(),
    );
    return {
      inFlight,
      unstarted: this.waiting.map(({ lease }) => ({ lease, isBusy: this.isBusy(lease) })),
    };
  }

  /** Returns free permits; running attempts return theirs at their end. */
  returnPlaces(): Promise<void> {
    return this.permits.close();
  }

  takeEnded(): Ended[] {
    const ended = this.ended;
    this.ended = [];
    return ended;
  }

  private async serve(): Promise<void> {
    for (let next = this.next(); next; next = this.next()) {
      const { ready, permit } = next;
      this.inFlight.add(ready);
      const sent = await attempt(this.deps, ready, () => this.mayProbe());
      this.ended.push({ lease: ready.lease, at: this.deps.now(), end: { kind: "sent", sent } });
      this.inFlight.delete(ready);
      if (sent.durationMs <= BATCH_MS) unanswered.delete(ready.lease.due.webhookId);
      if (this.isOver) await this.permits.giveBack([permit]);
      else if (this.waiting.some(isTo(permit.webhookId))) this.permits.keep(permit);
      else void this.permits.leave(permit);
      this.noteHealthy();
    }
  }

  private next(): { ready: Ready; permit: Permit } | undefined {
    if (this.isOver || this.requestCount === this.maxRequests) return undefined;
    const hasRoom = ({ lease }: Ready) => this.permits.isFree(lease.due.webhookId);
    const index = this.waiting.findIndex(hasRoom);
    const [ready] = index < 0 ? [] : this.waiting.splice(index, 1);
    const permit = ready && this.permits.use(ready.lease.due.webhookId);
    if (!ready || !permit) return undefined;
    this.requestCount++;
    return { ready, permit };
  }

  private mayProbe(): boolean {
    if (this.requestCount === this.maxRequests) return false;
    this.requestCount++;
    return true;
  }

  private isBusy({ due: { webhookId } }: Lease): boolean {
    return this.permits.isTaken(webhookId) || [...this.inFlight].some(isTo(webhookId));
  }

  private noteHealthy(): void {
    const canStart = ({ lease }: Ready) =>
      this.requestCount < this.maxRequests && !this.permits.isTaken(lease.due.webhookId);
    const pending = [...this.inFlight, ...this.waiting.filter(canStart)];
    if (pending.every((one) => this.slow.has(one))) this.endHealthy();
  }
}

const isTo =
  (webhookId: number) =>
  ({ lease }: Ready): boolean =>
    lease.due.webhookId === webhookId;

async function attempt(
  deps: Deps,
  { lease: { due }, webhook, event }: Ready,
  mayProbe: () => boolean,
): Promise<Sent> {
  let key: CryptoKey;
  try {
    key = await signingKey(deps, due.teamId, webhook.secret);
  } catch {
    deps.log({ event: "webhook.secret_unreadable", webhookId: due.webhookId });
    return UNREADABLE;
  }
  const { url } = webhook;
  const payload = envelopeText(event);
  const sendable = { url, key, event: event.event, eventId: event.id, payload };
  return send(deps, sendable, mayProbe);
}

/** An unreadable secret fails only its own webhook's attempts. */
const UNREADABLE: Sent = {
  success: false,
  statusCode: null,
  error: "Not sent: the secret cannot be read. Give the webhook a new one.",
  durationMs: 0,
  answer: null,
  isTimeout: false,
};
