import type { Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time in µs. */
  tdur?: number;
  args?: { name?: string };
}

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-lighthouse"];

/** The longest task of the page's main thread during `act`, in ms of CPU time. */
export async function longestTask(page: Page, act: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  await browser.startTracing(page, { categories: CATEGORIES });
  let trace: Buffer;
  try {
    await act();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString());
  return longestIn(traceEvents);
}

function longestIn(events: readonly TraceEvent[]): number {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(
    ({ name, pid, tid }) => /RunTask/.test(name) && mains.has(`${pid}/${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}
