import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "./program.ts";

/** Exit code when another try may succeed. */
export const TRY_LATER = 3;

/** A temporary failure: another try may succeed. */
export class TemporaryProblem extends Problem {
  /** Wait that the server asks for, or null. */
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null = null) {
    super(message, TRY_LATER);
    this.waitMs = waitMs;
  }
}

/** A final refusal. The call changed nothing and would fail again. */
export class Refusal extends Problem {}

export const isTemporaryStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 429;

/** Returns the wait in milliseconds. */
export function readRetryAfter(value: string | null | undefined): number | null {
  return value && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : null;
}

export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || code || cause.name;
}

/** All tries together take about half a minute. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;
const LONGEST_WAIT_MS = 60_000;

/**
 * Repeats the call after temporary failures, so the call must be safe to repeat.
 *
 * @throws PassingProblem of the last try
 */
export async function retrying<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[tries];
      if (!(error instanceof TemporaryProblem) || delayMs === undefined) throw error;
      const waitMs = error.waitMs ?? delayMs * (0.75 + Math.random() / 2);
      if (waitMs > LONGEST_WAIT_MS) throw error;
      await sleep(waitMs, undefined, signal ? { signal } : {});
    }
  }
}
