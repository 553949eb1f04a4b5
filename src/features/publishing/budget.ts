import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

/** Subrequests of one invocation; a paid plan has 10,000. Source: Workers, "Limits", of the free plan. */
const SUBREQUESTS = 50;
/** Kept for every message, to hand over with: the row and the next message. */
const HAND_OVER = 2;
/** Kept for steps, or those of a very large batch would never get on: as many as any step asks for. */
const LEAST = 32;
/** Longest wait of a step for those of other posts to end. */
const PATIENCE_MS = 5 * SECOND;
/**
 * No step begins after this: queue consumers are ended after 15 minutes (Queues, "Limits"), and a transfer
 * may take 10 of them.
 */
const MAX_MS = 4 * 60 * SECOND;
/** The local queue hands out one batch at a time: all other posts wait until the slowest post of it ends. */
const MAX_MS_IN_DEVELOPMENT = 15 * SECOND;

/** The calls that leave the Worker, shared by the messages of one queue batch. */
export interface Budget {
  /**
   * Does a step once there is room for so many calls; what it does not spend is given back. Null, and
   * nothing done, where there is no room, nor soon will be: the next invocation has to go on. The step
   * calls `spend` with every call that it makes. It may ask for `more` calls, without waiting: false where
   * there is no room for them.
   */
  within<T>(
    calls: number,
    step: (spend: () => void, more?: (calls: number) => boolean) => Promise<T>,
  ): Promise<T | null>;
}

export function createBudget(
  { now, wait, config }: Pick<Deps, "now" | "wait" | "config">,
  messages: number,
): Budget {
  const endsAt = now().getTime() + (config.isDevelopment ? MAX_MS_IN_DEVELOPMENT : MAX_MS);
  let free = Math.max(LEAST, SUBREQUESTS - messages * HAND_OVER);
  let stepsInFlight = 0;
  let stepEnds = Promise.withResolvers<void>();
  return {
    async within(calls, step) {
      let patience: Promise<void> | null = null;
      let isPatient = true;
      while (free < calls) {
        if (stepsInFlight === 0 || !isPatient) return null;
        patience ??= wait(PATIENCE_MS).then(() => {
          isPatient = false;
        });
        await Promise.race([stepEnds.promise, patience]);
      }
      if (now().getTime() >= endsAt) return null;
      free -= calls;
      stepsInFlight++;
      let unspent = calls;
      try {
        return await step(
          () => {
            // A call beyond the step's share is taken from the calls left for other jobs.
            if (unspent > 0) unspent--;
            else free--;
          },
          (more) => {
            if (free < more) return false;
            free -= more;
            unspent += more;
            return true;
          },
        );
      } finally {
        free += unspent;
        stepsInFlight--;
        stepEnds.resolve();
        stepEnds = Promise.withResolvers();
      }
    },
  };
}
