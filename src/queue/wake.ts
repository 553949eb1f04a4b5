import { inSends } from "../core/queues.ts";
import { SECOND, secondsBetween } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import type { FireMessage } from "./messages.ts";

type Log = Partial<Pick<Deps, "log">>;

/** Sends messages, and only logs a failure: a sweep makes up for lost messages. */
async function bestEffort(
  { log }: Log,
  entry: Parameters<Deps["log"]>[0],
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    log?.({ ...entry, error: String(error) });
  }
}

const TIMER_SLACK_MS = 2;

/** Waits less than a second, because the delay of a message counts whole seconds. */
export async function untilWholeSeconds(deps: Deps, at: Date): Promise<void> {
  const ms = at.getTime() - deps.now().getTime();
  // A timer that is a moment early would cost a whole second.
  if (ms > 0) await deps.wait((ms % SECOND) + TIMER_SLACK_MS);
}

/** Returns whole seconds, rounded up. */
export const delayUntil = (deps: Pick<Deps, "now">, at: Date): number =>
  Math.max(0, Math.ceil(secondsBetween(deps.now(), at)));

/** Sends the message of a post, to arrive at `at` or up to a second later. */
export const wakePost = (deps: Deps, uploadId: number, at: Date): Promise<void> =>
  bestEffort(deps, { event: "wake.failed", uploadId, uploads: 1 }, () =>
    deps.publishQueue.send({ kind: "publish", uploadId }, { delaySeconds: delayUntil(deps, at) }),
  );

/** Like `wakePost`, but the message arrives exactly on time. */
export async function wakePostOnTime(deps: Deps, uploadId: number, at: Date): Promise<void> {
  if (at <= deps.now()) return wakePost(deps, uploadId, at);
  deps.defer(untilWholeSeconds(deps, at).then(() => wakePost(deps, uploadId, at)));
}

/** Sends up to 100 messages in one call. */
export async function wakePosts(deps: Deps, ids: readonly number[], at: Date): Promise<void> {
  const send = () =>
    bestEffort(deps, { event: "wake.failed", uploadId: ids[0], uploads: ids.length }, () =>
      deps.publishQueue.sendBatch(
        ids.map((uploadId) => ({
          body: { kind: "publish" as const, uploadId },
          delaySeconds: delayUntil(deps, at),
        })),
      ),
    );
  if (at <= deps.now()) return send();
  deps.defer(untilWholeSeconds(deps, at).then(send));
}

interface Firing {
  slotId: number;
  fireAt: Date;
  accounts: number;
}

/** Limits a message, because the consumer reads all its firings and their accounts at once. */
const FIRINGS_PER_MESSAGE = 10;
const MAX_FIRINGS_AND_ACCOUNTS = 40;

/** The next cron runs find firings whose message was lost. */
export const wakeFirings = (
  deps: Pick<Deps, "publishQueue" | "log">,
  firings: readonly Firing[],
): Promise<void> =>
  bestEffort(deps, { event: "pools.not_woken", firings: firings.length }, async () => {
    const fits = (group: readonly Firing[], next: Firing) =>
      group.length < FIRINGS_PER_MESSAGE &&
      [...group, next].reduce((size, { accounts }) => size + 1 + accounts, 0) <=
        MAX_FIRINGS_AND_ACCOUNTS;
    const messages = [...inGroups(firings, fits)].map((group): { body: FireMessage } => ({
      body: {
        kind: "fire",
        firings: group.map(({ slotId, fireAt }) => [slotId, fireAt.getTime()]),
      },
    }));
    for (const group of inSends(messages)) await deps.publishQueue.sendBatch(group);
  });

/** Groups neighbours. A group has at least one item, and takes the next one as long as it fits. */
function* inGroups<T>(
  items: readonly T[],
  fits: (group: readonly T[], next: T) => boolean,
): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    if (group.length > 0 && !fits(group, item)) {
      yield group;
      group = [];
    }
    group.push(item);
  }
  if (group.length > 0) yield group;
}

/** Due time (ms) and event of some deliveries. */
export type DueKey = [dueAtMs: number, eventId: string];

/** `atMs`: when the message arrives. */
export interface Wake {
  key: DueKey;
  atMs: number;
}

const KEYS_PER_MESSAGE = 10;
/** Source: Queues, "Limits": longest delay. */
export const MAX_DELAY_SECONDS = 12 * 3_600;

type Waker = Pick<Deps, "webhookQueue" | "now">;

export const whenDue = (key: DueKey): Wake => ({ key, atMs: key[0] });

/** @throws the queue's error when sending fails */
export async function wakeDeliveries(deps: Waker, wakes: readonly Wake[]): Promise<void> {
  const messages = [...groupWakes(wakes)].map((group) => ({
    body: { kind: "deliver" as const, due: group.map(({ key }) => key) },
    delaySeconds: Math.min(MAX_DELAY_SECONDS, delayUntil(deps, new Date(group.at(-1)?.atMs ?? 0))),
  }));
  for (const group of inSends(messages)) await deps.webhookQueue.sendBatch(group);
}

/** A cron sweep finds deliveries whose message was lost. */
export const tryToWakeDeliveries = (deps: Waker & Log, wakes: readonly Wake[]): Promise<void> =>
  bestEffort(deps, { event: "webhooks.not_woken" }, () => wakeDeliveries(deps, wakes));

/** A key that comes twice keeps its earliest time. */
function groupWakes(wakes: readonly Wake[]): Generator<Wake[]> {
  const latestFirst = wakes.toSorted((a, b) => b.atMs - a.atMs);
  const unique = new Map(latestFirst.map((wake) => [wake.key.join(), wake]));
  const earliestFirst = [...unique.values()].sort((a, b) => a.atMs - b.atMs);
  return inGroups(
    earliestFirst,
    (group, { atMs }) =>
      group.length < KEYS_PER_MESSAGE && atMs - (group[0]?.atMs ?? atMs) < SECOND,
  );
}

/** Waits for more notices: ten posts that fail at once become one message. */
const GATHER_SECONDS = 10;

/** A cron sweep makes up for a lost message. */
export const wakeNotices = (
  deps: Pick<Deps, "webhookQueue"> & Log,
  delaySeconds = GATHER_SECONDS,
): Promise<void> =>
  bestEffort(deps, { event: "notices.not_woken" }, () =>
    deps.webhookQueue.sendBatch([{ body: { kind: "notify" }, delaySeconds }]),
  );

/** The chore of the next hour finds feeds whose message was lost. */
export const wakeFeeds = (
  deps: Pick<Deps, "publishQueue" | "log">,
  delaySeconds: number,
): Promise<void> =>
  bestEffort(deps, { event: "feeds.not_woken" }, () =>
    deps.publishQueue.send({ kind: "feeds" }, { delaySeconds }),
  );
