import { readRetryAfter } from "./error.ts";

/** @param isRepeatable whether a second sending does nothing twice; by default what the request itself shows */
export type Send = (request: Request, isRepeatable?: boolean) => Promise<Response>;

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

interface RetryOptions {
  /** How often a call is repeated where that is safe. */
  retries: number;
  sleep?: Sleep;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

export const sleepFor: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });

/** Repeats calls that found no answer, or an answer by which another try may succeed. */
export function withRetries(
  send: (request: Request) => Promise<Response>,
  { retries, sleep = sleepFor }: RetryOptions,
): Send {
  return async (request, isRepeatable = isSafeToRepeat(request)) => {
    for (let tries = 1; tries <= retries; tries++) {
      const backoffMs = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
      try {
        const response = await send(request.clone());
        const waitMs = waitAfter(response, isRepeatable, backoffMs);
        if (waitMs === null || waitMs > LONGEST_WAIT_MS) return response;
        await response.body?.cancel();
        await sleep(waitMs, request.signal);
      } catch (error) {
        if (!isRepeatable || request.signal.aborted) throw error;
        await sleep(backoffMs, request.signal);
      }
    }
    return send(request);
  };
}

const isSafeToRepeat = ({ method, headers }: Request): boolean =>
  method === "GET" || headers.has("Idempotency-Key");

/** Returns null when another try would not help, or might do something twice. */
function waitAfter(
  { ok, status, headers }: Response,
  isRepeatable: boolean,
  backoffMs: number,
): number | null {
  const seconds = readRetryAfter(headers);
  const askedMs = seconds === null ? null : seconds * 1_000;
  // Calls over the limit are refused before anything is done. A daily cap has no Retry-After.
  if (ok || status === 429) return ok ? null : askedMs;
  if (!isRepeatable) return null;
  if (status === 409) return askedMs;
  return status >= 500 || status === 408 ? (askedMs ?? backoffMs) : null;
}
