import { expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { createMember, Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { finishChores, store, summary } from "./support.ts";
import { loadPosts } from "./workload.ts";

const ROWS = 20_000;

async function fill(): Promise<Harness> {
  const { teamId } = await createMember();
  const from = START.getTime();
  const posts = { firstTeam: teamId, teams: 50, rows: ROWS, firstId: teamId * 1_000_000, from };
  await store(loadPosts(posts));
  const harness = new Harness();
  await finishChores(harness);
  return harness;
}

test("a tick with nothing to do asks once, reads 10 rows at most and sends nothing", async () => {
  const harness = await fill();
  const { costs } = await measure(harness, () => runSchedule(harness.deps));
  expect(costs.rowsRead).toBeLessThanOrEqual(10);
  expect(summary(costs)).toMatchObject({
    roundTrips: 1,
    rowsWritten: 0,
    queueSends: [],
    fetches: [],
  });
});

test("a due post costs 1 row written and a hundredth of a call to the queue", async () => {
  const harness = await fill();
  const due = 250;
  await store([
    `UPDATE uploads SET due_at = ${START.getTime()} WHERE id IN
      (SELECT id FROM uploads WHERE status = 'scheduled' ORDER BY id DESC LIMIT ${due})`,
  ]);
  const { costs } = await measure(harness, () => runSchedule(harness.deps));
  expect(costs.rowsWritten).toBe(due);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.queueSends).toEqual([100, 100, 50]);
});

test("with very many due at once, a tick waits for the right moment of a second 5 times at most", async () => {
  const harness = await fill();
  await store([
    `UPDATE uploads SET due_at = ${START.getTime() + 30_000} WHERE id IN
      (SELECT id FROM uploads WHERE due_at IS NULL ORDER BY id DESC LIMIT 7_500)`,
  ]);
  let waits = 0;
  const wait = async () => void waits++;
  const { costs } = await measure(harness, () => runSchedule({ ...harness.deps, wait }));
  expect(waits).toBe(5);
  expect(costs.queueSends).toHaveLength(75);
  expect(costs.roundTrips).toHaveLength(8);
});
