import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { forgetPlaces } from "../links/hot.ts";
import { leaveEdge } from "./leave-edge.ts";
import * as repo from "./repo.ts";
import { nextCheck } from "./rules.ts";
import { missingOf } from "./service.ts";

/** Calls that one takes at most: two questions to DNS, and what is stored of it. */
const CALLS = 5;

/** Verifies domains whose records are there, gives up those that take too long, and removes deleted ones from the edge. */
export async function watchDomains(
  deps: Deps,
  due: readonly repo.DomainRow[],
  allows: (calls: number) => boolean,
): Promise<void> {
  for (const row of due) {
    if (!allows(CALLS)) return;
    try {
      await (row.deletedAt ? remove(deps, row) : check(deps, row));
    } catch (error) {
      deps.log({ event: "domain.not_checked", domainId: row.id, error: String(error) });
    }
  }
}

/** Sets the next try first: a domain that cannot be removed does not stand in the way of others. */
async function remove(deps: Deps, row: repo.DomainRow): Promise<void> {
  await deps.db.run([repo.setCheck(row.id, new Date(deps.now().getTime() + HOUR))]);
  await leaveEdge(deps, row);
}

async function check(deps: Deps, row: repo.DomainRow): Promise<void> {
  const now = deps.now();
  const next = nextCheck(row.createdAt, now);
  if (next) await deps.db.run([repo.setCheck(row.id, next)]);
  const missing = await missingOf(deps, row);
  if (missing === null) {
    await deps.db.run([repo.markVerified(row.id, now)]);
    forgetPlaces();
    deps.log({ event: "domain.verified", domainId: row.id });
  } else if (next === null) {
    await deps.db.run(repo.deleteDomain(row.teamId, row.id, now));
    deps.log({ event: "domain.given_up", domainId: row.id });
  }
}
