const MINUTE_MS = 60_000;

/** The minute an instant lies in, epoch milliseconds. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

/**
 * The next minute to tick for. Timers may fire a moment early, and a machine may sleep: a minute is
 * never ticked twice, and what was slept through is skipped.
 */
export const nextTick = (lastTickMs: number, nowMs: number): number =>
  minuteOf(Math.max(lastTickMs, nowMs)) + MINUTE_MS;

/**
 * Calls `tick` for the present minute and then at each minute boundary; returns what stops it. A
 * failing tick is reported once, until one works again.
 */
export function startTicker(
  tick: (minuteMs: number) => Promise<void>,
  report: (message: string) => void,
): () => void {
  let isFailing = false;
  let timer: NodeJS.Timeout;
  const fire = (minuteMs: number) => {
    tick(minuteMs).then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) report(error instanceof Error ? error.message : String(error));
        isFailing = true;
      },
    );
    const next = nextTick(minuteMs, Date.now());
    timer = setTimeout(() => fire(next), next - Date.now());
  };
  fire(minuteOf(Date.now()));
  return () => clearTimeout(timer);
}

/**
 * Runs the Worker's `scheduled` for that minute, as Cloudflare does in production. The time that the Worker is told
 * is by its own clock, which may have been moved.
 *
 * @param offsetSeconds by how much that clock was moved at the start, where the sandbox does not tell by how much it is now
 */
export async function runSchedule(
  origin: string,
  minuteMs: number,
  offsetSeconds: number,
): Promise<void> {
  const timeMs = Math.round(minuteMs + (await readOffset(origin, offsetSeconds)) * 1_000);
  const url = `${origin}/cdn-cgi/local/scheduled?cron=*+*+*+*+*&time=${timeMs}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(MINUTE_MS) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`the schedule answered ${response.status}: ${text.slice(0, 200)}`);
}

async function readOffset(origin: string, initial: number): Promise<number> {
  const signal = AbortSignal.timeout(MINUTE_MS);
  const response = await fetch(`${origin}/sandbox/api/clock`, { signal });
  if (!response.ok) return initial;
  const { offsetSeconds } = (await response.json()) as { offsetSeconds: number };
  return offsetSeconds;
}
