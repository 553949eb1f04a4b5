import type { Client } from "openapi-fetch";
import type { components, operations, paths } from "./.generated/api.ts";
import { answerOf } from "./error.ts";
import { type Sleep, sleepFor } from "./retry.ts";

type FeedEvent = components["schemas"]["Event"];
type Query = NonNullable<operations["listEvents"]["parameters"]["query"]>;

export interface EventOptions {
  /** The id of the last event that you have seen. Default: the events of the last 30 days. */
  after?: string;
  /** Events of this name alone. */
  type?: Query["type"];
  /** Waits for further events, instead of ending. */
  follow?: boolean;
  signal?: AbortSignal;
}

const PAGE = 1_000;
/** At this rate, the feed's limit leaves room for a second caller at the same IP address. */
const FIRST_POLL_MS = 1_500;
const LONGEST_POLL_MS = 10_000;
const POLL_GROWTH = 1.5;

/**
 * Yields the team's events, oldest first.
 *
 * @throws AkimboError
 */
export async function* readEvents(
  client: Client<paths>,
  { after, type, follow = false, signal }: EventOptions = {},
  sleep: Sleep = sleepFor,
): AsyncGenerator<FeedEvent, void, void> {
  let cursor = after;
  for (let pollMs = FIRST_POLL_MS; ; ) {
    const query = { after: cursor, limit: PAGE, type };
    const page = await answerOf(client.GET("/api/v1/events", { params: { query }, signal }));
    yield* page.data;
    cursor = page.nextCursor;
    if (page.hasMore) continue;
    if (!follow) return;
    if (page.data.length > 0) pollMs = FIRST_POLL_MS;
    await sleep(pollMs, signal);
    pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS);
  }
}
