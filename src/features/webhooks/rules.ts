import { HOUR, MINUTE, SECOND } from "../../core/time.ts";
import { ANSWER_MS } from "../../core/webhooks.ts";
import type { DeliveryKind } from "./table.ts";

/** Before attempts 2 to 6, in ms. Source: spec, "Events", delivery rule 2. */
const RETRY_DELAYS = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const;

/** Random share of a delay that keeps retries apart. */
const MAX_JITTER = 0.1;

/**
 * Null after the last attempt, and for a test.
 *
 * @param draw random number from 0 to 1
 */
export function retryAt(
  { kind, attempt }: { kind: DeliveryKind; attempt: number },
  now: Date,
  draw: number,
): Date | null {
  const delay = kind === "test" ? undefined : RETRY_DELAYS[attempt - 1];
  if (delay === undefined) return null;
  return new Date(now.getTime() + Math.round(delay * (1 + MAX_JITTER * draw)));
}

/** After more timeouts in a row, an endpoint gets its events one by one. Spec is silent. */
const MAX_TIMEOUTS = 5;

/** Interval between events to a slow endpoint, longer than one attempt. */
export const TURN_MS = ANSWER_MS + SECOND;

/** Longest time after which an event asks again for a turn at a slow endpoint. */
export const LONGEST_TURN_MS = HOUR;

export interface Circumstances {
  kind: DeliveryKind;
  attempt: number;
  hasSlot: boolean;
  queuedAt: Date;
  webhook: { isActive: boolean; activeSince: Date; timeouts: number } | null;
  event: object | null;
}

/**
 * `queue_up`: the endpoint keeps timing out. `skip`: the webhook was switched off after the delivery was queued.
 * `forget`: the webhook or event is gone.
 */
export function decideDelivery(delivery: Circumstances): "send" | "queue_up" | "skip" | "forget" {
  const { kind, attempt, hasSlot, queuedAt, webhook, event } = delivery;
  if (webhook === null || event === null) return "forget";
  if (kind === "test") return "send";
  if (!webhook.isActive || queuedAt < webhook.activeSince) return "skip";
  const isSlow = webhook.timeouts > MAX_TIMEOUTS;
  return isSlow && kind === "event" && attempt === 1 && !hasSlot ? "queue_up" : "send";
}

/** Per team. Spec is silent. */
export const MAX_WEBHOOKS = 50;
