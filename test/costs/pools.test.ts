import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { PoolTeam } from "../support/pools.ts";
import { finishChores, slowPlans, store } from "./support.ts";

const SLOTS = 1_000;
const SLOTS_PER_POOL = 50;
const FIRST = 900_000;

const NUMBERS = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${SLOTS - 1})`;

/** A team for every fifty slots that are due at one minute, each with an account of its own and an item. */
async function plantSlots(at: number): Promise<void> {
  const team = `${FIRST} + i / ${SLOTS_PER_POOL}`;
  await store([
    `${NUMBERS} INSERT INTO users (id, email, name, created_at)
      SELECT DISTINCT ${team}, 'pool-' || (${team}) || '@example.com', 'A person', 0 FROM n`,
    `${NUMBERS} INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at)
      SELECT DISTINCT ${team}, 'A team', 'pool-' || (${team}), ${team}, 0, 0 FROM n`,
    `${NUMBERS} INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT DISTINCT ${team}, ${team}, 'OWNER', 0 FROM n`,
    `${NUMBERS} INSERT INTO pools (id, team_id, name, timezone, created_at, updated_at)
      SELECT DISTINCT ${team}, ${team}, 'Pool', 'Europe/Berlin', 0, 0 FROM n`,
    `${NUMBERS} INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status, connected_at)
      SELECT 'acc_slot_' || i, ${team}, 'bluesky', 'did:' || i, 'Ada', 'sandbox', 'active', 0 FROM n`,
    `${NUMBERS} INSERT INTO pool_slots (pool_id, team_id, time, days, account_ids, next_at, next_day, created_at)
      SELECT ${team}, ${team}, '10:30', '[0,1,2,3,4,5,6]', '["acc_slot_' || i || '"]', ${at}, '2026-12-01', 0 FROM n`,
    `${NUMBERS} INSERT INTO pool_items (pool_id, team_id, position, state, title, settings, media, origin, added_by,
        may_publish, created_at)
      SELECT ${team}, ${team}, i, 'queued', 'Tip ' || i, '{}', '[]', 'https://akimbo.test', ${team}, 1, 0 FROM n`,
  ]);
}

test("an idle tick reads no more for slots that are not due", async () => {
  const harness = new Harness();
  const team = await PoolTeam.make(harness);
  await team.pool();
  await finishChores(harness);
  const { costs } = await measure(harness, () => runSchedule(harness.deps));
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(10);
  expect(costs.rowsWritten).toBe(0);
});

test("many slots of one minute are taken in slices, and a firing costs less than a round trip", async () => {
  const harness = new Harness();
  await finishChores(harness);
  const at = START.getTime() + 30 * 60_000;
  await plantSlots(at);
  harness.advance(30 * 60);
  await finishChoresBefore(harness);
  const claimed = await measure(harness, () => runSchedule(harness.deps, new Date(at)));
  const claims = claimed.costs.roundTrips.length;
  const fires = harness.sent.splice(0).map(({ message }) => message);
  const began = performance.now();
  let trips = 0;
  for (const message of fires) {
    const { costs } = await measure(harness, () => harness.consume([message]));
    trips += costs.roundTrips.length;
  }
  const seconds = (performance.now() - began) / 1_000;
  const made = await env.DB.prepare(
    "SELECT COUNT(*) AS n FROM uploads WHERE account_id LIKE 'acc_slot_%'",
  ).first("n");
  console.log(
    `${SLOTS} slots: taken in ${claims} round trips, ${fires.length} messages, posts in ${trips} round trips (${((claims + trips) / SLOTS).toFixed(2)} a firing), ${seconds.toFixed(1)} s one after another.`,
  );
  expect(made).toBe(SLOTS);
  expect(claims + trips).toBeLessThanOrEqual(SLOTS);
  expect(await slowPlans(claimed.costs.roundTrips.flat(), ["v", "last"])).toEqual([]);
}, 600_000);

/** The chores of the hour that has begun. */
async function finishChoresBefore(harness: Harness): Promise<void> {
  for (let i = 0; i < 50; i++) {
    const { costs } = await measure(harness, () => runSchedule(harness.deps, START));
    if (costs.roundTrips.length === 1) return;
  }
}
