import { secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

/**
 * Sends the wake-up message of a job, to arrive at `at` and never before. Best effort: a message that
 * does not get out is made up for by the sweep.
 */
export async function wake(deps: Deps, uploadId: number, at: Date): Promise<void> {
  const delaySeconds = Math.max(0, Math.ceil(secondsBetween(deps.now(), at)));
  try {
    await deps.publishQueue.send({ kind: "publish", uploadId }, { delaySeconds });
  } catch (error) {
    deps.log({
      event: "wake.failed",
      uploadId,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
