import type { Deps } from "../../deps.ts";
import { fail } from "./failing.ts";
import { brokenJob } from "./repo/jobs.ts";
import { LostLease } from "./save.ts";
import { BROKE_OFF, timeoutOrFailure } from "./verdicts.ts";

/**
 * Ends a job whose runs broke off each time they took it, so that it is not swept up again for ever. A
 * message also dies where the job could not be reached (the database was away for longer than the queue
 * tries, say): the sweep sends it again, and it goes on from where it stood.
 */
export async function endDeadJob(deps: Deps, uploadId: number): Promise<void> {
  const find = brokenJob({ id: uploadId, now: deps.now() });
  const [[upload]] = await deps.db.run([find]);
  if (!upload) return;
  try {
    await fail(deps, upload, timeoutOrFailure(upload, BROKE_OFF));
  } catch (error) {
    if (!(error instanceof LostLease)) throw error;
  }
}
