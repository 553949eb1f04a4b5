import type { Deps } from "../../deps.ts";
import { fail } from "./failing.ts";
import { brokenJob } from "./repo/jobs.ts";
import { LostLease } from "./save.ts";
import { BROKE_OFF, timeoutOrFailure } from "./verdicts.ts";

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
