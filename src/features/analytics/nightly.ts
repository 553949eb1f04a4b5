import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { accountsInUse } from "./repo/write.ts";
import { hasAnalytics } from "./rules/access.ts";
import { nightOf } from "./rules/nights.ts";

/** Each account gets a message, and a queue takes 100 at once. Source: Queues, "Limits". */
const PAGE = 100;
const SPREAD_SECONDS = 60;

/** Subrequests per page: one to read accounts, one to send messages. */
export const COLLECTION_CALLS = 2;

/**
 * Starts the unfinished collections of a page of accounts; the morning run replaces lost messages. Returns the last id
 * of a full page, else null.
 *
 * @param after last id of the previous page
 */
export async function collectAll(deps: Deps, after: string | null): Promise<string | null> {
  const [page] = await deps.db.run([accountsInUse({ after: after ?? "", max: PAGE })]);
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
