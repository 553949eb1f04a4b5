import { setTimeout as sleep } from "node:timers/promises";
import { firstIdSince } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Api, FeedEvent } from "./api.ts";
import { TemporaryProblem } from "./retry.ts";

const PAGE = 1_000;
/** At this rate, the feed's limit leaves room for a second caller at the same IP address. */
export const POLL_MS = 1.5 * SECOND;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 10 * SECOND;
const CLOCK_SKEW_MS = 5 * MINUTE;
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 10 * SECOND;

interface Patience {
  stopping: AbortSignal;
  tell(problem: string): void;
}

/** Repeats temporary failures without end. Waits grow, or follow the answer's Retry-After. */
export async function withRetries<T>(
  act: () => Promise<T>,
  { stopping, tell }: Patience,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof TemporaryProblem)) throw error;
      if (waitMs === firstWaitMs) tell(error.message);
      await sleep(error.waitMs ?? waitMs, undefined, { signal: stopping });
    }
  }
}

interface Follow extends Patience {
  /** Start of the events. Null means the present. */
  since: Date | null;
  longestPollMs?: number;
  wait?: (ms: number, stopping: AbortSignal) => Promise<void>;
}

const sleepFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal });

export async function followEvents(
  api: Pick<Api, "listEvents">,
  { since, longestPollMs = LONGEST_POLL_MS, wait = sleepFor, ...patience }: Follow,
): Promise<AsyncGenerator<FeedEvent>> {
  const seen = new Set<string>();
  let cursor = since ? firstIdSince("evt", since) : null;

  /** Drops repeated events, because older instances repeat the last 30 seconds. */
  const readPage = async () => {
    const after = cursor;
    const page = await withRetries(() => api.listEvents({ after, limit: PAGE }), patience);
    const fresh = page.data.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    cursor = page.nextCursor;
    for (const id of seen) if (id <= page.nextCursor) seen.delete(id);
    return { fresh, hasMore: page.hasMore };
  };

  async function* follow() {
    for (let pollMs = POLL_MS; ; pollMs = Math.min(pollMs * POLL_GROWTH, longestPollMs)) {
      const { fresh, hasMore } = await readPage();
      yield* fresh;
      if (fresh.length > 0) pollMs = POLL_MS;
      if (!hasMore) await wait(pollMs, patience.stopping);
    }
  }

  if (!since) {
    const earlier = firstIdSince("evt", new Date(Date.now() - CLOCK_SKEW_MS));
    cursor = earlier;
    while ((await readPage()).hasMore);
    // An unchanged cursor means that the instance's clock is far behind. Then all existing events are skipped.
    if (cursor === earlier) {
      cursor = null;
      while ((await readPage()).hasMore);
    }
  }
  return follow();
}
