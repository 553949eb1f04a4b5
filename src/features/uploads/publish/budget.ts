/**
 * Subrequests that the publishes of one queue batch share. The free plan allows 50 per invocation;
 * the rest is for the database. Source: Workers, "Platform limits".
 */
const SUBREQUESTS = 40;
/** More than any single step of a connector makes. */
const STEP_RESERVE = 10;
/** Queue consumers are ended after 15 minutes. Source: Queues, "Limits". */
const SECONDS = 10 * 60;

export interface Budget {
  spend(): void;
  /** Whether another step can be begun. */
  hasRoom(): boolean;
}

export function createBudget(now: () => Date): Budget {
  const startedAt = now().getTime();
  let spent = 0;
  return {
    spend: () => {
      spent++;
    },
    hasRoom: () =>
      SUBREQUESTS - spent >= STEP_RESERVE && now().getTime() - startedAt < SECONDS * 1_000,
  };
}
