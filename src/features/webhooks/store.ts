import { timeSortedId } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { tryToWakeDeliveries, wakeNotices, whenDue } from "../../queue/wake.ts";
import * as repo from "./repo/deliveries.ts";
import { retryAt } from "./rules.ts";
import type { Sent } from "./send.ts";

export interface Lease {
  due: repo.Due;
  /** As last written to the row. */
  dueAt: Date;
}

export interface Ended {
  lease: Lease;
  at: Date;
  end: { kind: "sent"; sent: Sent } | { kind: "skipped" | "forgotten" };
}

export interface Moved {
  lease: Lease;
  to: Date;
  attempt?: number;
  hasSlot?: boolean;
  /** Sends no queue message; the sweep finds the delivery. */
  isSilent?: boolean;
}

const SECOND_TRY_MS = SECOND / 2;

/** @throws errors of the database, after a second try */
export async function store(
  deps: Deps,
  ended: readonly Ended[],
  rescheduled: readonly Moved[] = [],
): Promise<void> {
  const retried = ended.flatMap(toRetry);
  const moved = [...rescheduled, ...retried];
  const isRetried = new Set(retried.map(({ lease }) => lease));
  const closed = ended.filter(({ lease }) => !isRetried.has(lease));
  const attempts = ended.flatMap(toAttempt);
  logAttempts(deps, attempts);
  const writes = [
    ...(attempts.length > 0 ? [repo.insertAttempts(attempts)] : []),
    ...moves(moved),
    ...ends(closed),
    ...updateCounts(ended, closed),
  ];
  if (writes.length === 0) return;
  try {
    await deps.db.runAll(writes);
  } catch {
    // Throwing would resend every delivery; a batch stored twice only counts timeouts twice.
    await deps.wait(SECOND_TRY_MS);
    await deps.db.runAll(writes);
  }
  for (const { lease, to } of moved) lease.dueAt = to;
  const awake = moved.filter(({ isSilent }) => !isSilent);
  await tryToWakeDeliveries(
    deps,
    awake.map(({ lease, to }) => whenDue([to.getTime(), lease.due.eventId])),
  );
  if (closed.some(isExhausted)) deps.defer(wakeNotices(deps));
}

const isSuccess = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.success;
const isTimeout = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.isTimeout;
const isAnswered = ({ end }: Ended): boolean => end.kind === "sent" && end.sent.statusCode !== null;

function toRetry({ lease, at, end }: Ended): Moved[] {
  if (end.kind !== "sent" || end.sent.success) return [];
  const to = retryAt(lease.due, at, Math.random());
  return to ? [{ lease, to, attempt: lease.due.attempt + 1 }] : [];
}

/** Replays and tests do not count against the webhook. */
const isExhausted = ({ lease, end }: Ended): boolean =>
  lease.due.kind === "event" && end.kind === "sent" && !end.sent.success;

const keyOf = ({ due: { eventId, webhookId, queuedAt }, dueAt }: Lease): repo.DeliveryKey => ({
  dueAt,
  eventId,
  webhookId,
  queuedAt,
});

function logAttempts({ log }: Deps, attempts: readonly repo.AttemptRow[]): void {
  for (const { id, event: name, success, createdAt: _, answer: __, ...row } of attempts) {
    log({ event: success ? "webhook.delivered" : "webhook.failed", deliveryId: id, name, ...row });
  }
}

const moves = (moved: readonly Moved[]): Query<number>[] =>
  moved.length === 0
    ? []
    : [
        repo.moveDeliveries(
          moved.map(({ lease, to, attempt = lease.due.attempt, hasSlot = lease.due.hasSlot }) => ({
            key: keyOf(lease),
            to,
            attempt,
            hasSlot,
          })),
        ),
      ];

/** An exhausted event counts against the webhook only if its own statement ended its delivery. */
function ends(closed: readonly Ended[]): Query<number>[] {
  const together = closed.filter((one) => !isExhausted(one)).map(({ lease }) => keyOf(lease));
  return [
    ...(together.length > 0 ? [repo.endDeliveries(together)] : []),
    ...closed
      .filter(isExhausted)
      .flatMap(({ lease, at }) => [
        repo.endDeliveries([keyOf(lease)]),
        repo.noteExhausted({ id: lease.due.webhookId, at }),
      ]),
  ];
}

const webhooksOf = (some: readonly Ended[]): number[] => [
  ...new Set(some.map(({ lease }) => lease.due.webhookId)),
];

function updateCounts(ended: readonly Ended[], closed: readonly Ended[]): Query<number>[] {
  const exhausted = new Set(webhooksOf(closed.filter(isExhausted)));
  // `failureCount` may be out of date: if it is 0 here, a failure that another batch counts meanwhile is not reset.
  const hasFailures = ({ lease: { due } }: Ended) =>
    (due.failureCount ?? 0) > 0 || exhausted.has(due.webhookId);
  const ofEvents = ended.filter(({ lease }) => lease.due.kind === "event");
  const successes = webhooksOf(ofEvents.filter((one) => isSuccess(one) && hasFailures(one)));
  const timeouts = Map.groupBy(ended.filter(isTimeout), ({ lease }) => lease.due.webhookId);
  const answers = webhooksOf(
    ended.filter((one) => isAnswered(one) && (one.lease.due.timeouts ?? 0) > 0),
  );
  return [
    ...(successes.length > 0 ? [repo.noteSuccesses(successes)] : []),
    ...(timeouts.size > 0
      ? [repo.noteTimeouts([...timeouts].map(([id, { length }]) => [id, length] as const))]
      : []),
    ...(answers.length > 0 ? [repo.noteAnswers(answers)] : []),
  ];
}

const SKIPPED: Omit<Sent, "isTimeout"> = {
  success: false,
  statusCode: null,
  durationMs: 0,
  answer: null,
  error: "Not sent: the webhook was switched off before.",
};

function toAttempt({ lease, at, end }: Ended): repo.AttemptRow[] {
  if (end.kind === "forgotten") return [];
  const { webhookId, teamId, eventId, event, attempt } = lease.due;
  const { success, statusCode, error, durationMs, answer } =
    end.kind === "sent" ? end.sent : SKIPPED;
  return [
    {
      webhookId,
      teamId,
      eventId,
      attempt,
      success,
      statusCode,
      error,
      durationMs,
      answer,
      id: timeSortedId("dlv", at),
      event: event ?? "webhook.ping",
      createdAt: at,
    },
  ];
}
