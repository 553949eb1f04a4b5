import type { SharedBudget } from "../../core/budget.ts";
import { MINUTE } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { wakeFeeds } from "../../queue/wake.ts";
import { CALLS_OF_CHECK, checkFeed } from "./check.ts";
import { takeDueFeeds } from "./repo.ts";

/** Feeds of one message, which fit the subrequests of the free plan. */
const FEEDS_PER_MESSAGE = 4;
/** A feed whose check broke off is due again after this time. */
const LEASE_MS = 10 * MINUTE;

export async function handleFeeds(deps: Deps, budget: SharedBudget): Promise<Outcome> {
  const calls = 2 + FEEDS_PER_MESSAGE * CALLS_OF_CHECK;
  const done = await budget.within(calls, async (spend) => {
    await checkDueFeeds(countedDeps(deps, spend));
    return true;
  });
  return done ? { kind: "done" } : { kind: "again", afterSeconds: 1 };
}

async function checkDueFeeds(deps: Deps): Promise<void> {
  const now = deps.now();
  const lease = new Date(now.getTime() + LEASE_MS);
  const due = { now, max: FEEDS_PER_MESSAGE };
  const [feeds] = await deps.db.run(takeDueFeeds(due, lease));
  const results = await Promise.allSettled(feeds.map((feed) => checkFeed(deps, feed)));
  if (feeds.length === FEEDS_PER_MESSAGE) await wakeFeeds(deps, 0);
  const broken = results.find((one) => one.status === "rejected");
  // The lease ends, and the feed is checked again.
  if (broken) throw broken.reason;
}
