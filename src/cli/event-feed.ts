import { setTimeout as sleep } from "node:timers/promises";
import { firstIdSince } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Api, FeedEvent } from "./api.ts";
import { PassingProblem } from "./retry.ts";

/** The most that a page of the feed holds. */
const PAGE = 1_000;
/** Between two looks: within the feed's limit of calls, with room for somebody else at the same address. */
export const POLL_MS = 1.5 * SECOND;
/** While nothing comes, each wait is longer than the one before, up to ten seconds. */
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 10 * SECOND;
/** The clocks of both sides may differ by this, as far as the present is looked for there. */
const CLOCK_SKEW_MS = 5 * MINUTE;
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 10 * SECOND;

interface Patience {
  stopping: AbortSignal;
  /** Called once for each time that something is waited for. */
  tell(problem: string): void;
}

/** Repeats what fails in passing until it succeeds, with growing waits or as long as the answer asks. */
export async function withRetries<T>(
  act: () => Promise<T>,
  { stopping, tell }: Patience,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PassingProblem)) throw error;
      if (waitMs === firstWaitMs) tell(error.message);
      await sleep(error.waitMs ?? waitMs, undefined, { signal: stopping });
    }
  }
}

interface Follow extends Patience {
  /** Null: from now on. */
  since: Date | null;
  /** The longest wait between two looks while nothing comes. */
  longestPollMs?: number;
  /** Waits between two looks; a test's own returns at once. */
  wait?: (ms: number, stopping: AbortSignal) => Promise<void>;
}

const sleepFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal });

/**
 * Looks for the place in the feed to begin with; the generator then yields the team's events from there as they
 * happen, each once, oldest first, without end.
 */
export async function followEvents(
  api: Pick<Api, "listEvents">,
  { since, longestPollMs = LONGEST_POLL_MS, wait = sleepFor, ...patience }: Follow,
): Promise<AsyncGenerator<FeedEvent>> {
  const known = new Set<string>();
  let cursor = since ? firstIdSince("evt", since) : null;

  /** Reads the events of the next page that are new; an older instance repeats the events of the last 30 seconds. */
  const readPage = async () => {
    const after = cursor;
    const page = await withRetries(() => api.listEvents({ after, limit: PAGE }), patience);
    const fresh = page.data.filter(({ id }) => !known.has(id));
    for (const { id } of fresh) known.add(id);
    cursor = page.nextCursor;
    for (const id of known) if (id <= page.nextCursor) known.delete(id);
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
    // The clock there is far behind ours: its present is behind this cursor, too.
    if (cursor === earlier) {
      cursor = null;
      while ((await readPage()).hasMore);
    }
  }
  return follow();
}
