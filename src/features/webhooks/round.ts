import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Place } from "../../durable/delivery-gate.ts";
import { envelopeText } from "../events/envelope.ts";
import { Places } from "./places.ts";
import { signingKey } from "./secrets.ts";
import { type Sent, send } from "./send.ts";
import type { Ended, Held } from "./store.ts";
import type { Ready } from "./triage.ts";

/** No batch of messages waits longer for receivers: what is unanswered by then goes on outside of it. */
export const BATCH_MS = SECOND / 2;
/** An endpoint that was unanswered then, and again, and again, is not waited for. Any quick answer ends that. */
const SLOW_AFTER = 3;
/** After that it is waited for once more. */
const SLOW_MS = 30 * SECOND;
/** Source: Workers, "Limits": connections that wait for an answer at the same time. */
const CONNECTIONS = 6;
/** Subrequests of a batch beside the requests to endpoints: to the database, the queue and the delivery gate. */
const OTHER_CALLS = 16;

/**
 * How often endpoints were unanswered in a row when their batch ended, and until when that counts, ms; by the
 * id of their webhook: a hint of this isolate alone.
 */
const unanswered = new Map<number, { times: number; until: number }>();
/** Forgets which endpoints are slow. */
export const forgetSlow = (): void => unanswered.clear();
/** More endpoints than an isolate meets in that time. */
const MAX_HINTS = 10_000;

function isSlow({ held, timeouts }: Ready, now: number): boolean {
  const hint = unanswered.get(held.due.webhookId);
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

export interface NotBegun {
  held: Held;
  /** Its endpoint has as many requests in flight as it gets at a time. */
  isBusy: boolean;
}

/** The deliveries that a round sends, and its places at their endpoints. */
interface Lineup {
  ready: readonly Ready[];
  /** Deliveries to endpoints that answered slowly before. */
  slow: Set<Ready>;
  places: Places;
}

/** Sends to some endpoints at a time: those that answered last time first, and then the oldest event. */
export class Round {
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
  private readonly maxRequests: number;
  private readonly places: Places;

  private constructor(deps: Deps, { ready, slow, places }: Lineup) {
    this.deps = deps;
    this.maxRequests = deps.config.subrequestsPerInvocation - OTHER_CALLS;
    this.places = places;
    this.slow = slow;
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

  /** Takes the places that there are, and begins. */
  static async begin(deps: Deps, ready: readonly Ready[]): Promise<Round> {
    const now = deps.now().getTime();
    const slow = new Set(ready.filter((one) => isSlow(one, now)));
    const webhookIds = ready.map(({ held }) => held.due.webhookId);
    const places = await Places.take(deps, webhookIds, { isPatient: slow.size < ready.length });
    return new Round(deps, { ready, slow, places });
  }

  /** Begins nothing more. Answers what goes on, and what was left. */
  close(): { inFlight: Held[]; notBegun: NotBegun[] } {
    this.isOver = true;
    const inFlight = [...this.inFlight].map(({ held }) => held);
    noteUnanswered(
      inFlight.map(({ due }) => due.webhookId),
      this.deps.now().getTime(),
    );
    return {
      inFlight,
      notBegun: this.waiting.map(({ held }) => ({ held, isBusy: this.isBusy(held) })),
    };
  }

  /** Gives back the places that are not in use; those of what goes on follow as it ends. */
  returnPlaces(): Promise<void> {
    return this.places.close();
  }

  takeEnded(): Ended[] {
    const ended = this.ended;
    this.ended = [];
    return ended;
  }

  private async serve(): Promise<void> {
    for (let next = this.next(); next; next = this.next()) {
      const { ready, place } = next;
      this.inFlight.add(ready);
      const sent = await attempt(this.deps, ready, () => this.mayProbe());
      this.ended.push({ held: ready.held, at: this.deps.now(), end: { kind: "sent", sent } });
      this.inFlight.delete(ready);
      if (sent.durationMs <= BATCH_MS) unanswered.delete(ready.held.due.webhookId);
      if (this.isOver) await this.places.giveBack([place]);
      else if (this.waiting.some(isTo(place.webhookId))) this.places.keep(place);
      else void this.places.leave(place);
      this.noteHealthy();
    }
  }

  private next(): { ready: Ready; place: Place } | undefined {
    if (this.isOver || this.begun === this.maxRequests) return undefined;
    const hasRoom = ({ held }: Ready) => this.places.isFree(held.due.webhookId);
    const index = this.waiting.findIndex(hasRoom);
    const [ready] = index < 0 ? [] : this.waiting.splice(index, 1);
    const place = ready && this.places.use(ready.held.due.webhookId);
    if (!ready || !place) return undefined;
    this.begun++;
    return { ready, place };
  }

  /** A probe takes the place of a request that could have been begun. */
  private mayProbe(): boolean {
    if (this.begun === this.maxRequests) return false;
    this.begun++;
    return true;
  }

  private isBusy({ due: { webhookId } }: Held): boolean {
    return this.places.isTaken(webhookId) || [...this.inFlight].some(isTo(webhookId));
  }

  private noteHealthy(): void {
    const canBegin = ({ held }: Ready) =>
      this.begun < this.maxRequests && !this.places.isTaken(held.due.webhookId);
    const left = [...this.inFlight, ...this.waiting.filter(canBegin)];
    if (left.every((one) => this.slow.has(one))) this.endHealthy();
  }
}

const isTo =
  (webhookId: number) =>
  ({ held }: Ready): boolean =>
    held.due.webhookId === webhookId;

async function attempt(
  deps: Deps,
  { held: { due }, webhook, event }: Ready,
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

/** One webhook's secret fails its own attempts, and none of the others of the batch. */
const UNREADABLE: Sent = {
  success: false,
  statusCode: null,
  error: "Not sent: the secret cannot be read. Give the webhook a new one.",
  durationMs: 0,
  isTimeout: false,
};
