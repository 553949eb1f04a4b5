import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { type DueKey, tryToWakeDeliveries, type Wake } from "../../queue/wake.ts";
import * as repo from "./repo/deliveries.ts";
import { BATCH_MS, Round, type Unstarted } from "./round.ts";
import { type Moved, store } from "./store.ts";
import { triage } from "./triage.ts";

/** After a crash, unanswered attempts are due again after this time. An attempt lasts at most 10 seconds. */
const LEASE_MS = 30 * SECOND;
const BUSY_MS = 2 * SECOND;
const MAX_READ = 100;

/** Skips deliveries that another run has taken: they no longer match their key. */
export async function deliver(deps: Deps, dueKeys: readonly DueKey[]): Promise<void> {
  const keys = [...new Map(dueKeys.map((key) => [key.join(), key])).values()];
  if (keys.length === 0) return;
  const [deliveries] = await deps.db.run([repo.dueDeliveries(keys, MAX_READ)]);
  const { ready, ended, moved } = await triage(deps, deliveries);
  const round = await Round.start(deps, ready);
  await Promise.race([round.work, round.healthyWork, deps.wait(BATCH_MS)]);
  const { inFlight, unstarted } = round.close();
  const now = deps.now().getTime();
  const first = store(deps, [...ended, ...round.takeEnded()], [
    ...moved,
    ...inFlight.map((lease) => ({ lease, to: new Date(now + LEASE_MS), isSilent: true })),
  ] satisfies Moved[]);
  if (inFlight.length > 0) deps.defer(storeLater(deps, round, first));
  await Promise.all([first, round.returnPlaces()]);
  // These deliveries keep their due time, so no row is written.
  await tryToWakeDeliveries(deps, [
    ...unstarted.map((one) => toWake(one, now)),
    ...unreadKeys(keys, deliveries).map((key) => ({ key, atMs: now })),
  ]);
}

function unreadKeys(keys: readonly DueKey[], deliveries: readonly repo.Due[]): readonly DueKey[] {
  const last = deliveries.at(-1);
  if (!last || deliveries.length < MAX_READ) return [];
  const isLast = ([dueAtMs, eventId]: DueKey) =>
    dueAtMs === last.dueAt.getTime() && eventId === last.eventId;
  return keys.slice(keys.findIndex(isLast));
}

const toWake = ({ lease: { due, dueAt }, isBusy }: Unstarted, now: number): Wake => ({
  key: [dueAt.getTime(), due.eventId],
  atMs: isBusy ? now + BUSY_MS : now,
});

/** Stores answers that arrive after the batch was acknowledged. */
async function storeLater(deps: Deps, round: Round, first: Promise<void>): Promise<void> {
  await Promise.allSettled([round.work, first]);
  try {
    await store(deps, round.takeEnded());
  } catch (error) {
    deps.log({ event: "webhooks.not_stored", error: String(error) });
  }
}
