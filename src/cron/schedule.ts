import { Budget } from "../core/budget.ts";
import type { Deps } from "../deps.ts";
import { theHeartbeat } from "../durable/heartbeat.ts";
import { domainsDue } from "../features/domains/repo.ts";
import { firstOverdueNotice, wakeOverdueNotices } from "../features/notices/sweep.ts";
import { fireSlots, firstDueSlots, firstLost } from "../features/pools/sweep.ts";
import { wakeDueUploads } from "../features/publishing/sweep.ts";
import { firstOverdue, wakeOverdue } from "../features/webhooks/sweep.ts";
import { countedDeps } from "../queue/counted-deps.ts";
import { roundsDone } from "./repo.ts";
import { roundsAt } from "./rounds.ts";

const MAX_DOMAINS = 5;
/** Subrequests reserved for the end: one stores the rounds, one updates the heartbeat. */
const LAST_CALLS = 2;

/**
 * Runs once a minute. Ticks come late, twice, or not at all, so the database rows determine what is due.
 *
 * @param scheduledAt when the tick was due
 */
export async function runSchedule(uncounted: Deps, scheduledAt = uncounted.now()): Promise<void> {
  const budget = new Budget(uncounted.config.subrequestsPerInvocation - LAST_CALLS);
  const deps = countedDeps(uncounted, budget.spend);
  const alongside = [
    roundsDone(),
    firstOverdue(deps),
    firstOverdueNotice(deps),
    firstDueSlots(scheduledAt),
    firstLost(deps),
    domainsDue(deps.now(), MAX_DOMAINS),
  ] as const;
  const {
    woken,
    alongside: [rounds, overdue, notices, due, lost, domains],
  } = await wakeDueUploads(deps, alongside);
  const deliveries = await wakeOverdue(deps, overdue);
  if (deliveries > 0) deps.log({ event: "cron.woken_deliveries", deliveries });
  await wakeOverdueNotices(deps, notices);
  if (due.length > 0 || lost.length > 0) {
    const dueWork = { scheduledAt, due, lost, allows: budget.allows };
    deps.log({ event: "cron.fired_slots", firings: await fireSlots(deps, dueWork) });
  }
  if (domains.length > 0) {
    const { watchDomains } = await import("../features/domains/watch.ts");
    await watchDomains(deps, domains, budget.allows);
  }
  // Most ticks find all chores done and need not load them.
  if (!rounds.includes(roundsAt(deps.now()))) {
    const { runChores } = await import("./chores.ts");
    await runChores(deps, budget.allows);
  }
  await theHeartbeat(deps.heartbeat).beat(deps.now().getTime());
  if (woken > 0) deps.log({ event: "cron.woken", uploads: woken });
}
