import type { SharedBudget } from "../../core/budget.ts";
import type { Deps } from "../../deps.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { wakeFeeds } from "../../queue/wake.ts";
import { CALLS_OF_CHECK, checkFeed } from "./check.ts";
import { type DueFeed, takeDueFeeds, updateFeed } from "./repo.ts";
import { nextCheck } from "./rules.ts";

/** Feeds that are checked side by side, within the calls that are reserved for them. */
const FEEDS_AT_ONCE = 3;
const RESERVED_CALLS = 2 + FEEDS_AT_ONCE * CALLS_OF_CHECK;

/** Checks due feeds while calls are left, then hands over to another message. */
export async function handleFeeds(deps: Deps, budget: SharedBudget): Promise<Outcome> {
  for (let rounds = 0; ; rounds++) {
    const taken = await budget.within(RESERVED_CALLS, (spend) =>
      checkDueFeeds(countedDeps(deps, spend)),
    );
    if (taken === null && rounds === 0) return { kind: "again", afterSeconds: 1 };
    if (taken === null) await wakeFeeds(deps, 0);
    if (taken === null || taken < FEEDS_AT_ONCE) return { kind: "done" };
  }
}

/** Returns how many feeds were due, at most `FEEDS_AT_ONCE`. */
async function checkDueFeeds(deps: Deps): Promise<number> {
  const now = deps.now();
  const next = nextCheck(now, 0);
  const [feeds, taken] = await deps.db.run(takeDueFeeds({ now, max: FEEDS_AT_ONCE }, next));
  await Promise.all(
    feeds.map((feed) => checkFeed(deps, feed).catch((error) => noteCrash(deps, feed, error))),
  );
  return taken;
}

async function noteCrash(deps: Deps, feed: DueFeed, error: unknown): Promise<void> {
  deps.log({ event: "feeds.check_failed", feedId: feed.id, error: String(error) });
  const failures = feed.failures + 1;
  const problem = "The check broke off.";
  const nextAt = nextCheck(deps.now(), failures);
  await deps.db.run([updateFeed(feed.teamId, feed.id, { failures, problem, nextAt })]);
}
