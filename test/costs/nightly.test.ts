import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DAY } from "../../src/core/time.ts";
import { sealCredentials } from "../../src/features/accounts/platform-access.ts";
import { COLLECTION_CALLS, collectAll } from "../../src/features/analytics/nightly.ts";
import { NOTHING, takeSync } from "../../src/features/analytics/rules/series.ts";
import { summarize } from "../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../src/features/analytics/stored.ts";
import type { Fetch } from "../../src/platforms/connector.ts";
import { ALL, reading } from "../features/analytics/readings.ts";
import { createMember, Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";

const ACCOUNTS = 1_000;
const POSTS = 50;
/** Messages of a batch, as `wrangler.toml` has them. */
const BATCH = 5;
/** Bar of rows written for an account in a night. */
const MAX_WRITTEN = 4;
/** Subrequests of an invocation, rows and queue operations of a day. Source: free plan of Workers, D1 and Queues. */
const FREE = { subrequests: 50, rowsRead: 5_000_000, rowsWritten: 100_000, operations: 10_000 };
/** A message is written, read and deleted. Source: Queues, "Pricing". */
const OPERATIONS = 3;

/** A channel of 50 videos, each seen ten times more than it was the night before. */
const youtube: Fetch = async (input, init) => {
  const { pathname } = new URL(new Request(input, init).url);
  const ids = Array.from({ length: POSTS }, (_, i) => `video-${i}`);
  if (pathname.endsWith("/playlistItems")) {
    return Response.json({ items: ids.map((videoId) => ({ contentDetails: { videoId } })) });
  }
  if (pathname.endsWith("/videos")) {
    const snippet = { title: "A video", publishedAt: "2026-11-20T10:00:00Z" };
    const statistics = { viewCount: "110", likeCount: "12", commentCount: "1" };
    return Response.json({ items: ids.map((id) => ({ id, snippet, statistics })) });
  }
  const contentDetails = { relatedPlaylists: { uploads: "UU1" } };
  const counts = { subscriberCount: "123", hiddenSubscriberCount: false };
  const channel = { id: "UC1", snippet: { title: "A" }, contentDetails, statistics: counts };
  return Response.json({ items: [channel] });
};

/** Accounts that were read the night before. */
async function plantAccounts({ deps }: Harness, teamId: number): Promise<void> {
  const at = START.getTime() - DAY;
  const readings = Array.from({ length: POSTS }, (_, i) =>
    reading(`video-${i}`, at, [100, 10, 1, null], Date.parse("2026-11-20T10:00:00Z")),
  );
  const sync = { at, posts: readings, followers: 120 };
  const { series, posts } = takeSync(NOTHING, sync, new Map(), ALL);
  const stored = [packSeries(series), summarize(posts)].map((part) => JSON.stringify(part));
  for (let i = 0; i < ACCOUNTS; i++) {
    const owner = { teamId, id: `acc_night_${teamId}_${i}`, platform: "youtube" as const };
    const login = { accessToken: `token-${i}`, refreshToken: null, expiresAt: null };
    const { credentials } = await sealCredentials(deps, owner, login);
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode,
          status, connected_at, credentials) VALUES (?, ?, 'youtube', ?, 'A', 'live', 'active', 0, ?)`,
      ).bind(...[owner.id, teamId, owner.id, credentials]),
      env.DB.prepare(
        "INSERT INTO analytics VALUES (?, ?, 1, '2026-11-30', NULL, ?, '[]', ?, ?)",
      ).bind(...[teamId, owner.id, at, ...stored]),
      env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)").bind(
        ...[teamId, owner.id, JSON.stringify(posts)],
      ),
    ]);
  }
}

test("a night of 1,000 accounts with 50 posts each fits the free plan", async ({ task }) => {
  const harness = new Harness({ wait: (ms) => scheduler.wait(ms) });
  const { teamId } = await createMember();
  await plantAccounts(harness, teamId);
  harness.network = youtube;

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

  const sums = {
    messages: 0,
    roundTrips: 0,
    fetches: 0,
    rowsRead: 0,
    rowsWritten: 0,
    mostCalls: 0,
  };
  // What finds no room in its batch comes again, in another one.
  for (let waiting = own; waiting.length > 0; ) {
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
  const { messages } = sums;
  const subrequests = sums.roundTrips + sums.fetches + messages - ACCOUNTS;

  expect(sums.rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN * ACCOUNTS);
  expect(sums.mostCalls).toBeLessThanOrEqual(FREE.subrequests);
  expect(sums.rowsRead).toBeLessThanOrEqual(FREE.rowsRead / 10);
  expect(sums.rowsWritten).toBeLessThanOrEqual(FREE.rowsWritten / 10);
  expect(messages * OPERATIONS).toBeLessThanOrEqual(FREE.operations);
  const { results } = await env.DB.prepare(
    "SELECT count(*) AS done FROM analytics WHERE team_id = ? AND night = '2026-12-01' AND bookmark IS NULL",
  )
    .bind(teamId)
    .all();
  expect(results).toEqual([{ done: ACCOUNTS }]);

  const measured =
    `${messages} messages from ${pages} ticks of ${COLLECTION_CALLS} calls, ${subrequests} subrequests ` +
    `(${sums.fetches} to the platform, ${sums.roundTrips} to the database, at most ${sums.mostCalls} in a batch), ` +
    `${sums.rowsRead} rows read, ${sums.rowsWritten} written`;
  Object.assign(task.meta, { measured });
  console.log(measured);
  await env.DB.prepare("UPDATE accounts SET deleted_at = 1 WHERE team_id = ?").bind(teamId).run();
}, 60_000);
