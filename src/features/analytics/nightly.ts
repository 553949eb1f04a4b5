import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { hasAnalytics } from "./plan.ts";
import { accountsInUse, type ReadableAccount } from "./repo/write.ts";
import { nightOf } from "./rules/nights.ts";

/** Accounts of a page: messages of one send, and of one minute. Source: Queues, "Limits". */
const PAGE = 100;
const SPREAD_SECONDS = 60;
/** By then a collection that was begun a moment ago, as the instance woke late, has come to its end. */
const MISSED_SECONDS = 3_600;

/** Calls of a page: the accounts, and their messages. */
export const COLLECTION_CALLS = 2;

/**
 * Has the next accounts read, one message each, spread over the minute. Teams whose plan has no analytics are
 * left out. Null once none is left.
 *
 * @param after id of the last account of the page before
 */
export const collectAll = (deps: Deps, after: string | null): Promise<string | null> =>
  collectPage(deps, after, () => true, 0);

/** Does the same, in an hour, for accounts whose collection has not come to its end: messages may be lost. */
export function collectMissed(deps: Deps, after: string | null): Promise<string | null> {
  const tonight = nightOf(deps.now());
  const isMissed = ({ night, isOpen }: ReadableAccount) => night !== tonight || isOpen === true;
  return collectPage(deps, after, isMissed, MISSED_SECONDS);
}

async function collectPage(
  deps: Deps,
  after: string | null,
  isWanted: (account: ReadableAccount) => boolean,
  afterSeconds: number,
): Promise<string | null> {
  const [page] = await deps.db.run([accountsInUse({ after: after ?? "", most: PAGE })]);
  const collection = nightOf(deps.now());
  const messages = page
    .filter(
      (account) =>
        isWanted(account) &&
        connectorOf(account.platform).metrics &&
        hasAnalytics(deps, account.plan),
    )
    .map(({ id: accountId, teamId }, i) => ({
      body: { kind: "collect" as const, teamId, accountId, collection },
      delaySeconds: afterSeconds + Math.floor((i * SPREAD_SECONDS) / PAGE),
    }));
  if (messages.length > 0) await deps.collectQueue.sendBatch(messages);
  return page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
}
