import { SECOND, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

const TIMER_SLACK_MS = 2;

/**
 * A message's delay counts whole seconds, so it is sent a whole number of them before its time: waits,
 * less than a second, until that is so.
 */
export async function untilWholeSeconds(deps: Deps, at: Date): Promise<void> {
  const ms = at.getTime() - deps.now().getTime();
  // A timer that is a moment early would cost a whole second.
  if (ms > 0) await deps.wait((ms % SECOND) + TIMER_SLACK_MS);
}

/** The delay with which a message that is sent now arrives at `at`, and never before. Seconds. */
export const delayUntil = (deps: Deps, at: Date): number =>
  Math.max(0, Math.ceil(secondsBetween(deps.now(), at)));

/**
 * Sends the wake-up message of a job, to arrive at `at` and never before. Best effort: a message that
 * does not get out is made up for by the sweep.
 */
export const wake = (deps: Deps, uploadId: number, at: Date): Promise<void> =>
  bestEffort(deps, [uploadId], () =>
    deps.publishQueue.send({ kind: "publish", uploadId }, { delaySeconds: delayUntil(deps, at) }),
  );

/** Sends the wake-up message of a job as `wake` does, without keeping the caller waiting for the second. */
export async function wakeOnTime(deps: Deps, uploadId: number, at: Date): Promise<void> {
  if (at <= deps.now()) return wake(deps, uploadId, at);
  deps.defer(untilWholeSeconds(deps, at).then(() => wake(deps, uploadId, at)));
}

/** Wakes up to 100 jobs of the same time in one call, as `wakeOnTime` does. */
export async function wakeTogether(deps: Deps, ids: readonly number[], at: Date): Promise<void> {
  const send = () =>
    bestEffort(deps, ids, () =>
      deps.publishQueue.sendBatch(
        ids.map((uploadId) => ({
          body: { kind: "publish" as const, uploadId },
          delaySeconds: delayUntil(deps, at),
        })),
      ),
    );
  if (at <= deps.now()) return send();
  deps.defer(untilWholeSeconds(deps, at).then(send));
}

async function bestEffort(
  deps: Deps,
  ids: readonly number[],
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    deps.log({
      event: "wake.failed",
      uploadId: ids[0],
      uploads: ids.length,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
