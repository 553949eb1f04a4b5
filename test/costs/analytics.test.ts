import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR } from "../../src/core/time.ts";
import { NOTHING, takeSync } from "../../src/features/analytics/rules/series.ts";
import { summarize } from "../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../src/features/analytics/stored.ts";
import { ALL, reading } from "../features/analytics/readings.ts";
import { createMember, Harness, type Member } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { slowPlans } from "./support.ts";

/** Bar of an overview of 100 accounts with 365 days and 1,000 posts each. */
const MAX_READ = 2_000;
const ACCOUNTS = 100;
const DAYS = 365;
const POSTS = 1_000;

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

/** Makes up what is stored of an account that has been read every night of a year. */
function yearOf() {
  const today = Date.parse("2026-12-01T03:00:00Z");
  const posts = Array.from({ length: POSTS }, (_, i) =>
    reading(`post-${i}-with-an-id`, today, [i, 1, 2, 3], today - i * 9 * HOUR),
  );
  const state = takeSync(
    NOTHING,
    { at: today, posts, followers: 1 },
    new Map([["post-3", 1]]),
    ALL,
  );
  const days = Array.from({ length: DAYS }, (_, i) => ({
    ...{ day: Math.floor(today / DAY) - DAYS + 1 + i, gains: [9_000 + i, 500, 40, 3] },
    ...{ followers: 10_000 + i, followersAt: 0 },
  }));
  return {
    series: JSON.stringify(packSeries({ firstAt: 0, days, months: [] })),
    summary: JSON.stringify(summarize(state.posts)),
    posts: JSON.stringify(state.posts),
  };
}

async function plantYears(teamId: number, accounts: number): Promise<void> {
  const { series, summary, posts } = yearOf();
  for (let i = 0; i < accounts; i++) {
    const id = `acc_${teamId}_${i}`;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode,
          status, connected_at) VALUES (?, ?, 'youtube', ?, 'A', 'sandbox', 'active', 0)`,
      ).bind(id, teamId, id),
      env.DB.prepare("INSERT INTO analytics VALUES (?, ?, 1, NULL, NULL, 1, '[]', ?, ?)").bind(
        ...[teamId, id, series, summary],
      ),
      env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)").bind(teamId, id, posts),
    ]);
  }
}

test("an overview of 100 accounts, a year and 1,000 posts each is one round trip of few rows", async ({
  task,
}) => {
  await plantYears(owner.teamId, ACCOUNTS);
  const other = await createMember();
  await plantYears(other.teamId, 3);
  const { result, costs } = await measure(harness, () =>
    harness.call("GET", "/analytics/overview", { token: owner.token }),
  );
  expect(result.body.data.overview).toMatchObject({
    ...{ accountCount: ACCOUNTS, videoCount: ACCOUNTS * POSTS },
  });
  expect(result.body.data.dailyHistory).toHaveLength(DAYS);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(MAX_READ);
  Object.assign(task.meta, { measured: `${costs.rowsRead} rows read` });
});

test("reading one account with 1,000 posts is one round trip of few rows", async () => {
  await plantYears(owner.teamId, 2);
  const { result, costs } = await measure(harness, () =>
    harness.call("GET", `/analytics/acc_${owner.teamId}_0`, { token: owner.token }),
  );
  expect(result.body.data.videos).toHaveLength(POSTS);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(20);
});

test("no statement walks a table", async () => {
  await plantYears(owner.teamId, 1);
  const statements = [];
  for (const path of ["overview", `acc_${owner.teamId}_0`]) {
    const { costs } = await measure(harness, () =>
      harness.call("GET", `/analytics/${path}`, { token: owner.token }),
    );
    statements.push(...costs.roundTrips.flat());
  }
  expect(await slowPlans(statements)).toEqual([]);
});
