import { SECOND } from "./time.ts";

/** Reserved for each job, to hand over to the next invocation: one call to the database, one to the queue. */
const HAND_OVER_CALLS = 2;
/** Every batch has at least this many calls, which the largest step needs. */
const MIN_STEP_CALLS = 32;
/** A step waits at most this long for steps of other jobs to end. */
const PATIENCE_MS = 5 * SECOND;
/**
 * A batch begins no step after this time. Queue consumers are ended after 15 minutes, and the transfer of a file
 * may take 10 of them. Source: Queues, "Limits".
 */
const MAX_MS = 4 * 60 * SECOND;
/** The local queue delivers one batch at a time, so a long batch would delay all other posts. */
const MAX_MS_IN_DEVELOPMENT = 15 * SECOND;

/**
 * Counts the subrequests of one invocation, which are all calls to the network and to Cloudflare's services.
 *
 * @see https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export class Budget {
  /** Calls that can still be made. Below zero when a job made more calls than it reserved. */
  remaining: number;

  constructor(calls: number) {
    this.remaining = calls;
  }

  readonly spend = (): void => {
    this.remaining--;
  };

  readonly allows = (calls: number): boolean => this.remaining >= calls;
}

/** The subrequests of one invocation, shared by the jobs of a queue batch. */
export interface SharedBudget {
  /**
   * Runs a step as soon as `calls` calls are free. The step reports each call by `spend`, and reserves further calls by
   * `more`, which returns false when too few are free. Reserved calls that were not made become free again.
   *
   * @returns null, without running the step, when too few calls will be free soon or the batch has no time left: the
   * job has to hand over to the next invocation
   */
  within<T>(
    calls: number,
    step: (spend: () => void, more?: (calls: number) => boolean) => Promise<T>,
  ): Promise<T | null>;
}

interface Batch {
  calls: number;
  jobs: number;
  isDevelopment: boolean;
  now(): Date;
  wait(ms: number): Promise<void>;
}

export function shareBudget({ calls, jobs, isDevelopment, now, wait }: Batch): SharedBudget {
  const endsAt = now().getTime() + (isDevelopment ? MAX_MS_IN_DEVELOPMENT : MAX_MS);
  const budget = new Budget(Math.max(MIN_STEP_CALLS, calls - jobs * HAND_OVER_CALLS));
  let stepsInFlight = 0;
  let stepEnds = Promise.withResolvers<void>();
  return {
    async within(reserved, step) {
      let patience: Promise<void> | null = null;
      let isPatient = true;
      while (!budget.allows(reserved)) {
        if (stepsInFlight === 0 || !isPatient) return null;
        patience ??= wait(PATIENCE_MS).then(() => {
          isPatient = false;
        });
        await Promise.race([stepEnds.promise, patience]);
      }
      if (now().getTime() >= endsAt) return null;
      budget.remaining -= reserved;
      stepsInFlight++;
      let unspent = reserved;
      try {
        return await step(
          () => {
            // A call beyond the step's share is taken from the calls left for other jobs.
            if (unspent > 0) unspent--;
            else budget.spend();
          },
          (more) => {
            if (!budget.allows(more)) return false;
            budget.remaining -= more;
            unspent += more;
            return true;
          },
        );
      } finally {
        budget.remaining += unspent;
        stepsInFlight--;
        stepEnds.resolve();
        stepEnds = Promise.withResolvers();
      }
    },
  };
}
