import { timeSortedId } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { tryToWakeDeliveries, wakeNotices, whenDue } from "../../queue/wake.ts";
import * as repo from "./repo/deliveries.ts";
import { retryAt } from "./rules.ts";
import type { Sent } from "./send.ts";

/** A delivery in our hands. */
export interface Held {
  due: repo.Due;
  /** When it is due, as we last wrote it: part of its key. */
  dueAt: Date;
}

export interface Ended {
  held: Held;
  at: Date;
  end: { kind: "sent"; sent: Sent } | { kind: "skipped" | "forgotten" };
}

/** A delivery that is due at another time. */
export interface Moved {
  held: Held;
  to: Date;
  attempt?: number;
  hasSlot?: boolean;
  /** No message wakes it: only the sweep, should its run break off. */
  isSilent?: boolean;
}

/** After an answer of the database that got lost. */
const SECOND_TRY_MS = SECOND / 2;

/**
 * Stores what became of deliveries and which of them are moved, in one batch; then wakes what is due again.
 *
 * @throws what the database throws, twice
 */
export async function store(
  deps: Deps,
  ended: readonly Ended[],
  given: readonly Moved[] = [],
): Promise<void> {
  const retried = ended.flatMap(toRetry);
  const moved = [...given, ...retried];
  const isRetried = new Set(retried.map(({ held }) => held));
  const closed = ended.filter(({ held }) => !isRetried.has(held));
  const attempts = ended.flatMap(toAttempt);
  tell(deps, attempts);
  const writes = [...logged(attempts), ...moves(moved), ...ends(closed), ...judged(ended, closed)];
  if (writes.length === 0) return;
  try {
    await deps.db.runAll(writes);
  } catch {
    // All but the counts of timeouts can be written twice; a batch that throws would send everything again.
    await deps.wait(SECOND_TRY_MS);
    await deps.db.runAll(writes);
  }
  for (const { held, to } of moved) held.dueAt = to;
  const awake = moved.filter(({ isSilent }) => !isSilent);
  await tryToWakeDeliveries(
    deps,
    awake.map(({ held, to }) => whenDue([to.getTime(), held.due.eventId])),
  );
  if (closed.some(isExhausted)) deps.defer(wakeNotices(deps));
}

const isSuccess = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.success;
const isTimeout = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.isTimeout;
const isAnswered = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.statusCode !== null;

function toRetry({ held, at, end }: Ended): Moved[] {
  if (end.kind !== "sent" || end.sent.success) return [];
  const to = retryAt(held.due, at, Math.random());
  return to ? [{ held, to, attempt: held.due.attempt + 1 }] : [];
}

/** An event, whose last attempt failed. Replays and tests are sent at somebody's wish and do not count. */
const isExhausted = ({ held, end }: Ended): boolean =>
  held.due.kind === "event" && end.kind === "sent" && !end.sent.success;

const keyOf = ({ due: { eventId, webhookId, queuedAt }, dueAt }: Held): repo.DeliveryKey => ({
  ...{ dueAt, eventId, webhookId, queuedAt },
});

const logged = (attempts: readonly repo.AttemptRow[]): Query<number>[] =>
  attempts.length > 0 ? [repo.insertAttempts(attempts)] : [];

/** Writes lines for the operator: one of all that arrived, and one of each failure. No address, no payload. */
function tell({ log }: Deps, attempts: readonly repo.AttemptRow[]): void {
  const failed = attempts.filter(({ success }) => !success);
  const delivered = attempts.length - failed.length;
  if (delivered > 0) log({ event: "webhooks.delivered", count: delivered });
  for (const { id: deliveryId, event: name, ...row } of failed) {
    const { webhookId, teamId, eventId, attempt, statusCode, error, durationMs } = row;
    log({
      event: "webhook.failed",
      ...{ webhookId, teamId, deliveryId, eventId, name, attempt },
      ...{ statusCode, error, durationMs },
    });
  }
}

const moves = (moved: readonly Moved[]): Query<number>[] =>
  moved.length === 0
    ? []
    : [
        repo.moveDeliveries(
          moved.map(({ held, to, attempt = held.due.attempt, hasSlot = held.due.hasSlot }) => ({
            ...{ key: keyOf(held), to, attempt, hasSlot },
          })),
        ),
      ];

/** Each event that is exhausted is ended by itself: it counts only where that has ended it. */
function ends(closed: readonly Ended[]): Query<number>[] {
  const together = closed.filter((one) => !isExhausted(one)).map(({ held }) => keyOf(held));
  return [
    ...(together.length > 0 ? [repo.endDeliveries(together)] : []),
    ...closed
      .filter(isExhausted)
      .flatMap(({ held, at }) => [
        repo.endDeliveries([keyOf(held)]),
        repo.noteExhausted({ id: held.due.webhookId, at }),
      ]),
  ];
}

const webhooksOf = (some: readonly Ended[]): number[] => [
  ...new Set(some.map(({ held }) => held.due.webhookId)),
];

/** Statements that note how the endpoints did in these attempts. */
function judged(ended: readonly Ended[], closed: readonly Ended[]): Query<number>[] {
  const exhausted = new Set(webhooksOf(closed.filter(isExhausted)));
  // As it was read: an event that another batch exhausts meanwhile counts as the later one.
  const hasFailures = ({ held: { due } }: Ended) =>
    (due.failureCount ?? 0) > 0 || exhausted.has(due.webhookId);
  const ofEvents = ended.filter(({ held }) => held.due.kind === "event");
  const successes = webhooksOf(ofEvents.filter((one) => isSuccess(one) && hasFailures(one)));
  const timeouts = Map.groupBy(ended.filter(isTimeout), ({ held }) => held.due.webhookId);
  const answers = webhooksOf(
    ended.filter((one) => isAnswered(one) && (one.held.due.timeouts ?? 0) > 0),
  );
  return [
    ...(successes.length > 0 ? [repo.noteSuccesses(successes)] : []),
    ...(timeouts.size > 0
      ? [repo.noteTimeouts([...timeouts].map(([id, { length }]) => [id, length] as const))]
      : []),
    ...(answers.length > 0 ? [repo.noteAnswers(answers)] : []),
  ];
}

const SKIPPED = {
  ...{ success: false, statusCode: null, durationMs: 0 },
  error: "Not sent: the webhook was switched off before.",
} as const;

function toAttempt({ held, at, end }: Ended): repo.AttemptRow[] {
  if (end.kind === "forgotten") return [];
  const { webhookId, teamId, eventId, event, attempt } = held.due;
  const { success, statusCode, error, durationMs } = end.kind === "sent" ? end.sent : SKIPPED;
  return [
    {
      ...{ webhookId, teamId, eventId, attempt, success, statusCode, error, durationMs },
      id: timeSortedId("dlv", at),
      event: event ?? "webhook.ping",
      createdAt: at,
    },
  ];
}
