import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { activityLineBy, SYSTEM } from "../activity/repo.ts";
import { forgetPlaces } from "../links/hot-links.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { domainSubject } from "../notices/rules.ts";
import { OWN_PREFIX, ownRecord } from "./claims.ts";
import { hasText } from "./dns.ts";
import { leaveEdge } from "./edge.ts";
import * as repo from "./repo.ts";
import { MAX_MISSES, nextCheck, RECHECK_MS } from "./rules.ts";
import { missingOf } from "./service.ts";

/** Subrequests for one domain. */
const CALLS = 5;

export async function watchDomains(
  deps: Deps,
  due: readonly repo.DomainRow[],
  allows: (calls: number) => boolean,
): Promise<void> {
  for (const row of due) {
    if (!allows(CALLS)) return;
    try {
      const work = row.deletedAt ? remove : row.verifiedAt ? checkAgain : check;
      await work(deps, row);
    } catch (error) {
      deps.log({ event: "domain.not_checked", domainId: row.id, error: String(error) });
    }
  }
}

/** Schedules the next try first, so that a failure does not block other domains. */
async function remove(deps: Deps, row: repo.DomainRow): Promise<void> {
  await deps.db.run([repo.setCheck(row.id, new Date(deps.now().getTime() + HOUR))]);
  await leaveEdge(deps, row);
}

const lineOf = (
  deps: Deps,
  { teamId, id }: repo.DomainRow,
  action: "domain.verified" | "domain.removed" | "domain.ended",
) => activityLineBy(deps, teamId, SYSTEM, action, id);

async function check(deps: Deps, row: repo.DomainRow): Promise<void> {
  const now = deps.now();
  const next = nextCheck(row.updatedAt, now);
  if (next) await deps.db.run([repo.setCheck(row.id, next)]);
  const missing = await missingOf(deps, row);
  if (missing === null) {
    await deps.db.run([repo.markVerified(row.id, now), lineOf(deps, row, "domain.verified")]);
    forgetPlaces();
    deps.log({ event: "domain.verified", domainId: row.id });
  } else if (next === null) {
    await deps.db.run(
      repo.deleteDomain(row.teamId, row.id, now, lineOf(deps, row, "domain.removed")),
    );
    deps.log({ event: "domain.given_up", domainId: row.id });
  }
}

/**
 * Notifies the team of the first missing TXT record in a row and of the last of `MAX_MISSES`, which ends the
 * verification: links answer 404, and another team may claim the domain.
 */
async function checkAgain(deps: Deps, row: repo.DomainRow): Promise<void> {
  const now = deps.now();
  const { id, teamId, misses } = row;
  await deps.db.run([repo.setCheck(id, new Date(now.getTime() + RECHECK_MS))]);
  if (await hasText(deps, row)) {
    if (misses > 0) await deps.db.run([repo.forgetMisses(id)]);
    return;
  }
  const notice = noticeIfChanged({ subject: domainSubject(id), teamId, now });
  // Older releases required another record.
  const record = row.txtName.startsWith(OWN_PREFIX) ? row : await ownRecord(deps, row);
  const isLast = misses + 1 >= MAX_MISSES;
  await deps.db.runAll([
    repo.noteMiss(row, record),
    ...(isLast ? [repo.endVerification(id, now), lineOf(deps, row, "domain.ended")] : []),
    ...(isLast || misses === 0 ? [notice] : []),
  ]);
  deps.log({ event: isLast ? "domain.ended" : "domain.missed", domainId: id, misses: misses + 1 });
  if (isLast) forgetPlaces();
}
