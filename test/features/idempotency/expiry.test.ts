import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { forgetOldAnswers } from "../../../src/features/idempotency/expiry.ts";
import { slowPlans } from "../../costs/support.ts";
import { createMember, Harness, START } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const HOUR_MS = 3_600_000;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM idempotency;");
});

const storeAnswers = (teamId: number, count: number, at: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO idempotency (team_id, route, key, fingerprint, answer, created_at)
      SELECT ${teamId}, '/upload', ${at} || '-' || i, 'f', '{}', ${at} FROM n`,
  ).run();

const storedTimes = async (): Promise<number[]> => {
  const { results } = await env.DB.prepare(
    "SELECT DISTINCT created_at FROM idempotency ORDER BY created_at",
  ).run<{ created_at: number }>();
  return results.map((row) => row.created_at);
};

test("the night's sweep removes the answers that are past 24 hours, and no others", async () => {
  const { teamId } = await createMember();
  const harness = new Harness();
  const now = START.getTime();
  for (const age of [0, 24 * HOUR_MS - 1, 24 * HOUR_MS, 25 * HOUR_MS]) {
    await storeAnswers(teamId, 2, now - age);
  }
  await harness.tick();
  expect(await storedTimes()).toEqual([now - 24 * HOUR_MS + 1, now]);
});

test("a slice is 500 rows at most, and a tick does several", async () => {
  const { teamId } = await createMember();
  const harness = new Harness();
  await storeAnswers(teamId, 1_200, START.getTime() - 25 * HOUR_MS);
  const changes: number[] = [];
  let cursor: string | null = null;
  do {
    const before = await count();
    const { costs, result } = await measure(harness, () => forgetOldAnswers(harness.deps));
    cursor = result;
    expect(costs.roundTrips).toHaveLength(1);
    expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
    changes.push(before - (await count()));
  } while (cursor !== null);
  expect(changes).toEqual([500, 500, 200]);
  await storeAnswers(teamId, 1_200, START.getTime() - 25 * HOUR_MS);
  await harness.tick();
  expect(await count()).toBe(0);
});

const count = async (): Promise<number> =>
  (await env.DB.prepare("SELECT COUNT(*) AS n FROM idempotency").first<number>("n")) ?? 0;
