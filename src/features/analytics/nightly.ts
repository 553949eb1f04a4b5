import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { hasAnalytics } from "./plan.ts";
import { accountsInUse } from "./repo/write.ts";
import { nightOf } from "./rules/nights.ts";

/** Accounts of a page: messages of one send, and of one minute. Source: Queues, "Limits". */
const PAGE = 100;
const SPREAD_SECONDS = 60;

/** Calls of a page: the accounts, and their messages. */
export const COLLECTION_CALLS = 2;

/**
 * Has the next accounts read whose collection has not come to its end, one message each, spread over the minute.
 * In the morning that is whose messages were lost. Teams whose plan has no analytics are left out. Null once
 * none is left.
 *
 * @param after id of the last account of the page before
 */
export async function collectAll(deps: Deps, after: string | null): Promise<string | null> {
  const [page] = await deps.db.run([accountsInUse({ after: after ?? "", most: PAGE })]);
  const collection = nightOf(deps.now());
  const messages = page
    .filter(({ night, isOpen }) => night !== collection || isOpen)
    .filter(({ platform, plan }) => connectorOf(platform).metrics && hasAnalytics(deps, plan))
    .map(({ id: accountId, teamId }, i) => ({
      body: { kind: "collect" as const, teamId, accountId, collection },
      delaySeconds: Math.floor((i * SPREAD_SECONDS) / PAGE),
    }));
  if (messages.length > 0) await deps.collectQueue.sendBatch(messages);
  return page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
}
