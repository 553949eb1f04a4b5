const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export const retryWaitMs = (attempt: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);

/** Ends early when the line is back; with null it waits for that alone. Rejects when `signal` aborts. */
export function waitForLine(ms: number | null, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === null ? 0 : setTimeout(() => end(resolve), ms);
    const onOnline = () => end(resolve);
    const onAbort = () => end(() => reject(signal.reason));
    const end = (settle: () => void) => {
      clearTimeout(timer);
      removeEventListener("online", onOnline);
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    if (signal.aborted) return onAbort();
    addEventListener("online", onOnline);
    signal.addEventListener("abort", onAbort);
  });
}

export function afterPause(ms: number, run: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms) as unknown as number;
  };
}

export function inTurns(
  max: number,
): <T>(signal: AbortSignal, task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (signal, task) => {
    while (running >= max) await new Promise<void>((next) => waiting.push(next));
    running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
