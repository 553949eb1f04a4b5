import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "./program.ts";

/** The exit code where nothing is wrong with the command, and another try may succeed. */
export const TRY_LATER = 3;

/** A failure that may be over in a moment: no answer, or an answer that says so. */
export class PassingProblem extends Problem {
  /** How long the answer asks to wait; null when it does not say. */
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null = null) {
    super(message, TRY_LATER);
    this.waitMs = waitMs;
  }
}

/** An answer that nothing was done, and nothing will be when the same call is made again. */
export class Refusal extends Problem {}

/** Status codes after which the same call may succeed. */
export const isPassingStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 429;

/** The wait of a Retry-After header in seconds; null without one. */
export function readRetryAfter(value: string | null | undefined): number | null {
  return value && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : null;
}

/** Says in words why a call failed: `fetch failed` alone says nothing. */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || code || cause.name;
}

/** Waits before the second try and those after it; with the tries themselves, about half a minute. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;
/** Longest wait; when the server asks for more, the user sees that instead. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Repeats what failed in passing, with growing waits. Only for calls that may be repeated.
 *
 * @throws PassingProblem the last one, when there are no more tries
 */
export async function retrying<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[tries];
      if (!(error instanceof PassingProblem) || delayMs === undefined) throw error;
      const waitMs = error.waitMs ?? delayMs * (0.75 + Math.random() / 2);
      if (waitMs > LONGEST_WAIT_MS) throw error;
      await sleep(waitMs, undefined, signal ? { signal } : {});
    }
  }
}
