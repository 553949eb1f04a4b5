import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { type DueKey, tryToWakeDeliveries, type Wake } from "../../queue/wake.ts";
import * as repo from "./repo/deliveries.ts";
import { BATCH_MS, type NotBegun, Round } from "./round.ts";
import { type Moved, store } from "./store.ts";
import { triage } from "./triage.ts";

/** An attempt that goes on is due again by then, should its run break off: it lasts 10 seconds at most. */
const LEASE_MS = 30 * SECOND;
/** Delay of a delivery that was not begun because its endpoint was busy. */
const BUSY_MS = 2 * SECOND;
/** Deliveries that a batch reads: more than it can begin, so that slow endpoints keep none from the others. */
const MAX_READ = 100;

/** Makes the attempts that are due under these keys, those that somebody else has taken left out. */
export async function deliver(deps: Deps, given: readonly DueKey[]): Promise<void> {
  const keys = [...new Map(given.map((key) => [key.join(), key])).values()];
  if (keys.length === 0) return;
  const [found] = await deps.db.run([repo.dueDeliveries(keys, MAX_READ)]);
  const { ready, ended, moved } = await triage(deps, found);
  const round = await Round.begin(deps, ready);
  await Promise.race([round.work, round.healthyWork, deps.wait(BATCH_MS)]);
  const { inFlight, notBegun } = round.close();
  const now = deps.now().getTime();
  const first = store(deps, [...ended, ...round.takeEnded()], [
    ...moved,
    ...inFlight.map((held) => ({ held, to: new Date(now + LEASE_MS), isSilent: true })),
  ] satisfies Moved[]);
  if (inFlight.length > 0) deps.defer(storeLater(deps, round, first));
  await Promise.all([first, round.returnPlaces()]);
  // They stay where they are: nothing is written for a delivery that was only looked at.
  await tryToWakeDeliveries(deps, [
    ...notBegun.map((one) => toWake(one, now)),
    ...unreadKeys(keys, found).map((key) => ({ key, atMs: now })),
  ]);
}

/** The keys from the last one on whose deliveries may not all have been read. */
function unreadKeys(keys: readonly DueKey[], found: readonly repo.Due[]): readonly DueKey[] {
  const last = found.at(-1);
  if (!last || found.length < MAX_READ) return [];
  const isLast = ([dueAtMs, eventId]: DueKey) =>
    dueAtMs === last.dueAt.getTime() && eventId === last.eventId;
  return keys.slice(keys.findIndex(isLast));
}

const toWake = ({ held: { due, dueAt }, isBusy }: NotBegun, now: number): Wake => ({
  key: [dueAt.getTime(), due.eventId],
  atMs: isBusy ? now + BUSY_MS : now,
});

/** Stores what is answered after its batch has been told done. */
async function storeLater(deps: Deps, round: Round, first: Promise<void>): Promise<void> {
  await Promise.allSettled([round.work, first]);
  try {
    await store(deps, round.takeEnded());
  } catch (error) {
    deps.log({ event: "webhooks.not_stored", error: String(error) });
  }
}
