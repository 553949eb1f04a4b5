import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import * as repo from "./repo/expiry.ts";

const SLICE = 200;

/** Long enough to recognize a stolen code or token that comes back. */
const ENDED_KEPT_MS = 7 * DAY;
/** Some programs register themselves anew at every try. */
const UNUSED_KEPT_MS = 2 * DAY;
const DOCUMENTS_KEPT_MS = 30 * DAY;

export async function forgetEndedPrograms({ db, now }: Deps): Promise<string | null> {
  const at = now();
  const slice = (keptMs: number) => ({ before: new Date(at.getTime() - keptMs), max: SLICE });
  const removed = await db.run([
    repo.revokeEndedGrants(slice(0)),
    repo.removeEndedCodes(slice(ENDED_KEPT_MS)),
    repo.removeEndedRequests(slice(0)),
    repo.removeEndedDevices(slice(0)),
    repo.removeEndedAccess(slice(ENDED_KEPT_MS)),
    repo.removeReplacedRefresh(slice(ENDED_KEPT_MS)),
    repo.removeUnusedClients(slice(UNUSED_KEPT_MS)),
    repo.removeOldDocuments(slice(DOCUMENTS_KEPT_MS)),
  ]);
  return removed.includes(SLICE) ? "more" : null;
}
