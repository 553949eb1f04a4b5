import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { timeSortedId } from "../../../src/core/ids.ts";
import { forgetOldEvents } from "../../../src/features/events/expiry.ts";
import { slowPlans } from "../../costs/support.ts";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  type Member,
  START,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const DAY_SECONDS = 86_400;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM events;");
});

const eventsOf = async ({ teamId }: Member): Promise<number> =>
  (await env.DB.prepare("SELECT COUNT(*) AS n FROM events WHERE team_id = ?")
    .bind(teamId)
    .first<number>("n")) ?? 0;

async function storeEvents({ teamId }: Member, count: number, daysAgo: number): Promise<void> {
  const at = new Date(START.getTime() - daysAgo * DAY_SECONDS * 1_000);
  const ids = Array.from({ length: count }, () => timeSortedId("evt", at));
  await env.DB.prepare(
    `INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ?, value, 'subscription.cancelled', '{"plan":null,"previousPlan":"pro"}', ?
      FROM json_each(?)`,
  )
    .bind(teamId, at.getTime(), JSON.stringify(ids))
    .run();
}

test("the night's sweep removes the events that are past 30 days, and no others", async () => {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  const body = form({ accountId, description: "An event when it is out" });
  await harness.call("POST", "/upload", { token: member.token, body });
  await harness.drain();
  const made = await eventsOf(member);
  expect(made).toBeGreaterThan(0);

  harness.advance(30 * DAY_SECONDS - 3_600);
  await harness.tick();
  expect(await eventsOf(member)).toBe(made);
  harness.advance(DAY_SECONDS);
  await harness.tick();
  expect(await eventsOf(member)).toBe(0);
});

type Measured = Awaited<ReturnType<typeof measure<string | null>>>;

const pageFrom = (harness: Harness, cursor: string) => () => forgetOldEvents(harness.deps, cursor);

test("a slice is 500 rows of 500 teams at most, and each team's are found", async () => {
  const harness = new Harness();
  const [one, other, third] = [await createMember(), await createMember(), await createMember()];
  await storeEvents(one, 700, 31);
  await storeEvents(one, 3, 29);
  await storeEvents(other, 2, 29);
  await storeEvents(third, 400, 40);
  const all = async () => (await eventsOf(one)) + (await eventsOf(other)) + (await eventsOf(third));
  const removed: number[] = [];
  for (let cursor: string | null = "0"; cursor !== null; ) {
    const before = await all();
    const page: Measured = await measure(harness, pageFrom(harness, cursor));
    const { costs, result } = page;
    expect(costs.roundTrips).toHaveLength(1);
    expect(await slowPlans(costs.roundTrips.flat(), ["teams", "team"])).toEqual([]);
    removed.push(before - (await all()));
    cursor = result;
  }
  expect(removed).toEqual([500, 500, 100]);
  expect(await Promise.all([one, other, third].map(eventsOf))).toEqual([3, 2, 0]);
});

test("with more than 500 teams the sweep goes on where it was", async () => {
  const harness = new Harness();
  const at = START.getTime();
  await env.DB.batch([
    env.DB.prepare(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO users (email, created_at) SELECT 'crowd-' || i || '@example.com', ${at} FROM n`),
    env.DB.prepare(`INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
      SELECT 'A team', 'crowd-' || id, id, ${at}, ${at} FROM users WHERE email LIKE 'crowd-%'`),
  ]);
  const last = await createMember();
  await storeEvents(last, 1, 31);
  const cursors: string[] = [];
  for (let cursor = await forgetOldEvents(harness.deps, null); cursor !== null; ) {
    cursors.push(cursor);
    cursor = await forgetOldEvents(harness.deps, cursor);
  }
  expect(cursors).toHaveLength(2);
  expect(await eventsOf(last)).toBe(0);
});
