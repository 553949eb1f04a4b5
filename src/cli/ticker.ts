const MINUTE_MS = 60_000;

/** Returns the start of the minute, in epoch ms. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

/** No minute ticks twice, even when a timer fires early. Minutes in which the computer slept are skipped. */
export const nextTick = (lastTickMs: number, nowMs: number): number =>
  minuteOf(Math.max(lastTickMs, nowMs)) + MINUTE_MS;

/** Repeated failures are reported once. */
export function startTicker(
  tick: (minuteMs: number) => Promise<void>,
  report: (message: string) => void,
): void {
  let isFailing = false;
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
    setTimeout(() => fire(next), next - Date.now());
  };
  fire(minuteOf(Date.now()));
}

/** @param offsetSeconds fallback for an instance that does not report its clock offset */
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
