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

/** A message contains a row's id, never its state. It may come late, twice or not at all: the row decides. */
export const publishMessage = objectOf({ kind: only("publish"), uploadId: wholeNumber(1) });

export type PublishMessage = Read<typeof publishMessage>;

/** Identifies each firing of a posting slot by slot and instant (ms). */
export const fireMessage = objectOf({
  kind: only("fire"),
  firings: listOf(pairOf(wholeNumber(1), wholeNumber(0))),
});

export type FireMessage = Read<typeof fireMessage>;

export const collectMessage = objectOf({
  kind: only("collect"),
  teamId: wholeNumber(1),
  accountId: text,
  collection: text,
});

export type CollectMessage = Read<typeof collectMessage>;

/** Says that feeds are due. The database tells which. */
export const feedsMessage = objectOf({ kind: only("feeds") });

export const jobMessage = eitherOf(
  publishMessage,
  eitherOf(fireMessage, eitherOf(collectMessage, feedsMessage)),
);

export type JobMessage = Read<typeof jobMessage>;

/** Identifies webhook deliveries by due time (ms) and event. */
export const deliverMessage = objectOf({
  kind: only("deliver"),
  due: listOf(pairOf(wholeNumber(0), text)),
});

export type DeliverMessage = Read<typeof deliverMessage>;

/** Says that notices are due. The database tells which. */
export const notifyMessage = objectOf({ kind: only("notify") });

export const webhookMessage = eitherOf(deliverMessage, notifyMessage);

export type WebhookMessage = Read<typeof webhookMessage>;

/** Time (ms), country (null when unknown), device and, of a link with rules, the key of the rule that matched. */
export type Click = [atMs: number, country: string | null, device: string, rule?: string];

export type LinkClick = [linkId: number, ...click: Click];

/** A message that comes twice is recognized by its id. */
export interface ClicksMessage {
  kind: "clicks";
  id: string;
  clicks: LinkClick[];
}
