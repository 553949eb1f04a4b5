import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { sendNotices } from "../../src/features/notices/deliver.ts";
import { CHAT_URL, Desk } from "../support/desk.ts";
import { measure } from "../support/meter.ts";
import { finishChores, slowPlans } from "./support.ts";

let desk: Desk;

beforeEach(async () => {
  desk = await Desk.open();
});

const send = () => measure(desk.harness, () => sendNotices(desk.harness.deps));

test("an event that people are told of writes one row more, every other none", async () => {
  const id = await desk.post({ created_by: desk.owner.userId });
  const cost = async (name: "upload.failed" | "upload.cancelled") =>
    (await measure(desk.harness, () => desk.tell(id, name))).costs;
  const told = await cost("upload.failed");
  const other = await cost("upload.cancelled");
  expect(told.rowsWritten - other.rowsWritten).toBe(1);
  expect(told.roundTrips).toHaveLength(1);
  const again = await cost("upload.failed");
  expect(again.rowsWritten).toBe(other.rowsWritten);
  expect(again.rowsRead).toBeLessThanOrEqual(other.rowsRead + 5);
});

test("10 notices of 3 ways each: 4 round trips, 2 rows written for each and 1 for its seed", async () => {
  await desk.set({ messaging: { own: CHAT_URL } });
  await desk.subscribe();
  for (let i = 0; i < 10; i++) {
    const id = await desk.post({ created_by: desk.owner.userId });
    await desk.tell(id, "upload.approved");
  }
  const { costs } = await send();
  expect([desk.mails.length, desk.posts.length]).toEqual([1, 2]);
  expect(costs.roundTrips).toHaveLength(4);
  // Each seed is taken and removed; each row for a receiver is made and removed.
  expect(costs.rowsWritten).toBeLessThanOrEqual(10 * (2 + 3 * 2));
  expect(await slowPlans(costs.roundTrips.flat(), ["t", "k", "m", "r", "backups"])).toEqual([]);
  console.log(
    `10 decisions told on 3 ways: ${costs.rowsRead} rows read, ${costs.rowsWritten} written.`,
  );
});

test("a run with nothing to tell reads next to nothing, and the tick one row", async () => {
  await finishChores(desk.harness);
  const { costs } = await send();
  expect(costs.rowsRead).toBeLessThanOrEqual(4);
  expect(costs.roundTrips).toHaveLength(1);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO notices SELECT ?1 + i, 'evt_' || i, 1, 0, 'email', 1, 1, ?1 FROM n`,
  )
    .bind(Date.now() + 3_600_000)
    .run();
  const tick = await measure(desk.harness, () => runSchedule(desk.harness.deps));
  const [statement] = tick.costs.roundTrips.flat().filter(({ sql }) => sql.includes("notices"));
  expect(statement?.rowsRead).toBeLessThanOrEqual(1);
  expect(await slowPlans(tick.costs.roundTrips.flat())).toEqual([]);
  expect(tick.costs.roundTrips).toHaveLength(1);
});
