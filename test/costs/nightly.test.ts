import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import { createDeps } from "../../src/deps.ts";
import { COLLECTION_CALLS, collectAll } from "../../src/features/analytics/nightly.ts";
import { connectorOf } from "../../src/platforms/registry.ts";
import type { CollectMessage } from "../../src/queue/messages.ts";
import { createMember, Harness } from "../support/harness.ts";
import { loadOf } from "../support/load.ts";
import { measure } from "../support/meter.ts";
import { networkOf, POSTS, plantAccounts, removeAccounts } from "./night.ts";

const ACCOUNTS = loadOf(60, 1_000);
/** The night that a plan has to hold. */
const SHARE = ACCOUNTS / 1_000;
/** Messages of a batch, as `wrangler.toml` has them. */
const BATCH = 5;
/** Bar of rows written for an account in a night. */
const MAX_WRITTEN = 4;
/** Bar of messages for an account in a night: some wait for those of their batch in vain. */
const MAX_MESSAGES = 1.1;
/** Subrequests of an invocation, rows and queue operations of a day. Source: free plan of Workers, D1 and Queues. */
const FREE = { subrequests: 50, rowsRead: 5_000_000, rowsWritten: 100_000, operations: 10_000 };
/** The same of a paid plan, of which a night takes the 30th part. Source: as above. */
const PAID = { rowsRead: 25e9 / 30, rowsWritten: 50e6 / 30, operations: 1e6 / 30 };
/** A message is written, read and deleted. Source: Queues, "Pricing". */
const OPERATIONS = 3;

beforeEach(() => {
  // The deadlines of thousands of calls are more timers than the runtime gives to one invocation.
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
});

/** Prepares a night of some accounts on one platform, most of which have to renew their logins. */
async function prepare(platform: Platform, count: number) {
  const keys = { clientId: "id", clientSecret: "secret" };
  const appKeys = { youtube: keys, tiktok: keys, x: keys };
  const harness = new Harness({
    config: { ...createDeps(env).config, appKeys },
    wait: (ms) => scheduler.wait(ms),
  });
  const { teamId } = await createMember();
  const ids = await plantAccounts(harness, { teamId, platform, count });
  harness.network = networkOf(platform);
  return { harness, teamId, ids };
}

/** Consumes messages batch by batch; what finds no room in its batch comes again, in another one. */
async function consumeAll(harness: Harness, messages: readonly CollectMessage[]) {
  const sums = {
    ...{ messages: 0, roundTrips: 0, fetches: 0 },
    ...{ rowsRead: 0, rowsWritten: 0, mostCalls: 0 },
  };
  for (let waiting = messages; waiting.length > 0; ) {
    const batch = waiting.slice(0, BATCH);
    const { costs } = await measure(harness, () => harness.consume(batch));
    const again = harness.sentCollections.splice(0).map(({ message }) => message);
    waiting = [...waiting.slice(BATCH), ...again];
    sums.messages += batch.length;
    sums.roundTrips += costs.roundTrips.length;
    sums.fetches += costs.fetches.length;
    sums.rowsRead += costs.rowsRead;
    sums.rowsWritten += costs.rowsWritten;
    const calls = costs.roundTrips.length + costs.fetches.length + again.length;
    sums.mostCalls = Math.max(sums.mostCalls, calls);
  }
  return sums;
}

/** How many accounts of a team were read in that night to the end, without an error. */
async function readAccounts(teamId: number) {
  const { results } = await env.DB.prepare(
    `SELECT count(*) AS done FROM analytics WHERE team_id = ? AND night = '2026-12-01'
       AND bookmark IS NULL AND errors = '[]' AND summary ->> '$.posts' = ?`,
  )
    .bind(teamId, POSTS)
    .all();
  return results;
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

test.for(["youtube", "instagram", "tiktok", "x"] as const)(
  `a night of ${ACCOUNTS} accounts with 50 posts each on %s takes no more than their share of the free plan`,
  { timeout: 60_000 },
  async (platform, { task }) => {
    const { harness, teamId } = await prepare(platform, ACCOUNTS);
    let after: string | null = null;
    let pages = 0;
    do {
      after = await collectAll(harness.deps, after);
      pages++;
    } while (after !== null);
    // Accounts of other tests are not ours to count.
    const sent = harness.sentCollections.splice(0).map(({ message }) => message);
    const own = sent.filter((message) => message.teamId === teamId);
    expect(own).toHaveLength(ACCOUNTS);

    const sums = await consumeAll(harness, own);
    const { messages, rowsRead, rowsWritten } = sums;
    const operations = messages * OPERATIONS;
    const subrequests = sums.roundTrips + sums.fetches + messages - ACCOUNTS;
    expect(await readAccounts(teamId)).toEqual([{ done: ACCOUNTS }]);
    expect(messages).toBeLessThanOrEqual(MAX_MESSAGES * ACCOUNTS);
    expect(rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN * ACCOUNTS);
    expect(sums.mostCalls).toBeLessThanOrEqual(FREE.subrequests);
    expect(rowsRead).toBeLessThanOrEqual((FREE.rowsRead / 10) * SHARE);
    expect(rowsWritten).toBeLessThanOrEqual((FREE.rowsWritten / 10) * SHARE);
    expect(operations).toBeLessThanOrEqual((FREE.operations / 3) * SHARE);

    const measured = [
      `${messages} messages from ${pages} ticks of ${COLLECTION_CALLS} calls`,
      `${subrequests} subrequests (${sums.fetches} to the platform, at most ${sums.mostCalls} in a batch)`,
      `${rowsRead} rows read, ${rowsWritten} written`,
      `free plan: ${percent(operations, FREE.operations)} of queue operations, ${percent(rowsRead, FREE.rowsRead)} and ${percent(rowsWritten, FREE.rowsWritten)} of rows`,
      `paid plan: ${percent(operations, PAID.operations)}, ${percent(rowsRead, PAID.rowsRead)} and ${percent(rowsWritten, PAID.rowsWritten)}`,
    ].join("; ");
    Object.assign(task.meta, { measured });
    console.log(`${platform}: ${measured}`);
    await removeAccounts(teamId);
  },
);

test.each(PLATFORMS.filter((platform) => connectorOf(platform).metrics))(
  "a batch of %s accounts is read in one invocation, by at most four rows each",
  async (platform) => {
    const { harness, teamId, ids } = await prepare(platform, BATCH);
    const messages = ids.map((accountId) => ({
      ...{ kind: "collect" as const, teamId, accountId, collection: "2026-12-01" },
    }));
    const sums = await consumeAll(harness, messages);
    expect(await readAccounts(teamId)).toEqual([{ done: BATCH }]);
    expect(sums.messages).toBe(BATCH);
    expect(sums.mostCalls).toBeLessThanOrEqual(FREE.subrequests);
    expect(sums.rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN * BATCH);
    console.log(
      `${platform}: ${sums.rowsWritten / BATCH} rows written, ${sums.rowsRead / BATCH} read, ${sums.fetches / BATCH} calls to the platform.`,
    );
    await removeAccounts(teamId);
  },
);
