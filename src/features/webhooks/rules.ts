import { AppError } from "../../core/errors.ts";
import { HOUR, MINUTE, SECOND } from "../../core/time.ts";
import type { DeliveryKind } from "./table.ts";

/** Waits before attempts 2 to 6, in milliseconds. Source: spec, "Events", delivery rule 2. */
const RETRY_DELAYS = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const;

/** Attempts of an event, the first included. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length + 1;

/** Share of a delay by which it is drawn out, so that what failed together does not come back together. */
const MAX_JITTER = 0.1;

/**
 * When the next attempt is due after the failed `attempt` (1 is the first) at `now`; null when it was the
 * last. A test is sent once.
 *
 * @param draw a number from 0 to 1 that decides how much later it is than the delay says
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

/** Time from the connection to the status line. Source: spec, "Time limits". */
export const ANSWER_MS = 10 * SECOND;

/** Timeouts in a row after which an endpoint is sent its events one by one. Spec is silent. */
const MAX_TIMEOUTS = 5;

/** Between two events that such an endpoint is sent: longer than it can take over one. */
export const TURN_MS = ANSWER_MS + SECOND;

/** No event waits longer for its turn: then it is looked at again. */
export const LONGEST_TURN_MS = HOUR;

export interface Circumstances {
  kind: DeliveryKind;
  attempt: number;
  hasSlot: boolean;
  queuedAt: Date;
  /** Null once the webhook was deleted. */
  webhook: { isActive: boolean; activeSince: Date; timeouts: number } | null;
  /** Null once the event is too old to be kept. */
  event: object | null;
}

/**
 * Decides about a delivery that is due: `send`, `queue_up` behind others of an endpoint that keeps timing out,
 * `skip` because the webhook was switched off since, `forget` because nothing is left to be sent.
 */
export function decideDelivery(delivery: Circumstances): "send" | "queue_up" | "skip" | "forget" {
  const { kind, attempt, hasSlot, queuedAt, webhook, event } = delivery;
  if (webhook === null || event === null) return "forget";
  if (kind === "test") return "send";
  if (!webhook.isActive || queuedAt < webhook.activeSince) return "skip";
  const isSlow = webhook.timeouts > MAX_TIMEOUTS;
  return isSlow && kind === "event" && attempt === 1 && !hasSlot ? "queue_up" : "send";
}

/** Webhooks of a team. Spec is silent. */
export const MAX_WEBHOOKS = 50;

/** The headers' names. Source: spec, "Events", request headers. */
export const HEADERS = {
  event: "X-Webhook-Event",
  id: "X-Webhook-ID",
  timestamp: "X-Webhook-Timestamp",
  signature: "X-Webhook-Signature",
} as const;

export const disabledRefusal = (): AppError =>
  new AppError(
    "WEBHOOK_DISABLED",
    "The webhook is switched off. Switch it on with PATCH /webhooks/{id}, then replay.",
  );
