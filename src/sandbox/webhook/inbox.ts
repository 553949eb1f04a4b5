import { randomHex } from "../../core/ids.ts";
import { isSigned } from "../../core/signature.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import { integer, key, optional, serial, Table, text } from "../kit/table.ts";

/** `timeout` answers too late for the sender. */
export const RECEIVER_ANSWERS = ["200", "500", "timeout", "redirect"] as const;
export type ReceiverAnswer = (typeof RECEIVER_ANSWERS)[number];

/** A missing header is null. */
export interface Delivery {
  event: string | null;
  id: string | null;
  timestamp: string | null;
  signature: string | null;
  body: string;
}

export interface Arrival {
  event: string;
  eventId: string;
  /** Deliveries of this event so far. */
  seen: number;
  /** Why the signature is not valid; null for a valid one. */
  problem: string | null;
  body: string;
  answer: ReceiverAnswer;
  /** ISO 8601. */
  arrivedAt: string;
}

export interface Receiver {
  secret: string;
  answer: ReceiverAnswer;
}

const ARRIVALS_KEPT = 100;
/** An older timestamp may be a replay attack. */
const TOLERANCE_MS = 5 * MINUTE;
const SECRET_BYTES = 32;

const arrivals = new Table("webhook_arrivals", {
  id: serial(),
  event: text(),
  event_id: text(),
  seen: integer(),
  problem: optional(text()),
  body: text(),
  answer: text<ReceiverAnswer>(),
  arrived_at: integer(),
});

const receivers = new Table("webhook_receiver", {
  key: key(),
  secret: text(),
  answer: text<ReceiverAnswer>(),
});
const THE_RECEIVER = { key: "receiver" };

async function mistrustOf(delivery: Delivery, secret: string, now: Date): Promise<string | null> {
  const { timestamp, signature, body } = delivery;
  if (timestamp === null || signature === null) return "It is not signed.";
  if (!/^\d{1,11}$/.test(timestamp)) return "Its timestamp is not a number of seconds.";
  if (Math.abs(now.getTime() - Number(timestamp) * SECOND) > TOLERANCE_MS) {
    return "Its timestamp is more than 5 minutes away.";
  }
  const isOurs = await isSigned(secret, `${timestamp}.${body}`, signature);
  return isOurs ? null : "It is signed by another secret, or was changed on its way.";
}

export class WebhookInbox {
  readonly sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    for (const { schema } of [arrivals, receivers]) sql.exec(schema);
  }

  /** Created on first access. */
  get receiver(): Receiver {
    const stored = receivers.find(this, THE_RECEIVER);
    if (stored) return { secret: stored.secret, answer: stored.answer };
    const fresh: Receiver = { secret: `whsec_${randomHex(SECRET_BYTES)}`, answer: "200" };
    receivers.insert(this, { ...THE_RECEIVER, ...fresh });
    return fresh;
  }

  change(receiver: Receiver): void {
    receivers.insert(this, { ...THE_RECEIVER, ...receiver }, "OR REPLACE");
  }

  async take(delivery: Delivery, now: Date): Promise<ReceiverAnswer> {
    const { secret, answer } = this.receiver;
    const problem = await mistrustOf(delivery, secret, now);
    const event_id = delivery.id ?? "";
    const before = arrivals.find(this, { event_id }, "ORDER BY id DESC");
    const id = arrivals.insert(this, {
      event: delivery.event ?? "",
      event_id,
      seen: (before?.seen ?? 0) + 1,
      problem,
      body: delivery.body,
      answer,
      arrived_at: now.getTime(),
    });
    arrivals.delete(this, {}, "AND id <= ?", id - ARRIVALS_KEPT);
    return answer;
  }

  list(): Arrival[] {
    return arrivals.list(this, {}, "ORDER BY id DESC").map((row) => ({
      event: row.event,
      eventId: row.event_id,
      seen: row.seen,
      problem: row.problem,
      body: row.body,
      answer: row.answer,
      arrivedAt: new Date(row.arrived_at).toISOString(),
    }));
  }

  clear(): void {
    arrivals.delete(this, {});
  }
}
