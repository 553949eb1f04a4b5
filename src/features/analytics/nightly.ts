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
 * Sends a message for each of the next accounts whose collection is not finished, spread over the minute. In the
 * morning these are the accounts whose messages were lost. Teams whose plan has no analytics are left out. Returns
 * the id of the last account of a full page; null once no page is left.
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
