import {
  eitherOf,
  listOf,
  objectOf,
  only,
  pairOf,
  type Read,
  text,
  wholeNumber,
} from "../core/readers.ts";

/**
 * A wake-up call as it travels through queues: it names a row and never its state. It may come late, twice
 * or not at all; the row decides.
 */
export const publishMessage = objectOf({ kind: only("publish"), uploadId: wholeNumber(1) });

export type PublishMessage = Read<typeof publishMessage>;

/** As above: it names firings of slots by slot and instant (ms). */
export const fireMessage = objectOf({
  kind: only("fire"),
  firings: listOf(pairOf(wholeNumber(1), wholeNumber(0))),
});

export type FireMessage = Read<typeof fireMessage>;

/** As above: it names an account, and the collection of its figures that is to be gone on with. */
export const collectMessage = objectOf({
  kind: only("collect"),
  teamId: wholeNumber(1),
  accountId: text,
  collection: text,
});

export type CollectMessage = Read<typeof collectMessage>;

/** The messages of the queue of jobs. */
export const jobMessage = eitherOf(publishMessage, eitherOf(fireMessage, collectMessage));

export type JobMessage = Read<typeof jobMessage>;

/** As above: it names deliveries by when they are due (ms) and the id of their event. */
export const deliverMessage = objectOf({
  kind: only("deliver"),
  due: listOf(pairOf(wholeNumber(0), text)),
});

export type DeliverMessage = Read<typeof deliverMessage>;

/** A wake-up like the one above: notices are due. The rows say which. */
export const notifyMessage = objectOf({ kind: only("notify") });

export type NotifyMessage = Read<typeof notifyMessage>;

/** The messages of the queue of deliveries. */
export const webhookMessage = eitherOf(deliverMessage, notifyMessage);

export type WebhookMessage = Read<typeof webhookMessage>;

/** A click as it is stored: when (ms), where (null: unknown) and by which device. */
export type Click = [atMs: number, country: string | null, device: string];

/** A click of a short link. */
export type LinkClick = [linkId: number, ...click: Click];

/** Clicks as they travel through the queue of deliveries. A message that comes again is known by its id. */
export interface ClicksMessage {
  kind: "clicks";
  id: string;
  clicks: LinkClick[];
}
