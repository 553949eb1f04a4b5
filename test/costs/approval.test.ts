import { expect, test } from "vitest";
import { SYSTEM } from "../../src/features/activity/repo.ts";
import { approveUploads } from "../../src/features/approval/decide.ts";
import { beginLife, mediaOf } from "../support/life.ts";
import { measure, type Statement } from "../support/meter.ts";
import { slowPlans, summary } from "./support.ts";

const decide = async (status: string, action: string, json?: unknown) => {
  const life = await beginLife();
  const media = mediaOf(...(await life.storeFiles(2)));
  const id = await life.insert({ status, media });
  const { costs, result } = await measure(life.harness, () =>
    life.call("POST", `/upload/${id}/${action}`, json),
  );
  expect(result.status).toBe(200);
  return costs;
};

test("a post is submitted, approved or sent back in 2 round trips, and no statement walks a table", async () => {
  const submitted = await decide("draft", "submit");
  expect(summary(submitted)).toMatchObject({ roundTrips: 2, rowsRead: 48, rowsWritten: 3 });
  const approved = await decide("pending_approval", "approve");
  const { rowsRead, ...others } = summary(approved);
  // One less where the index has no entry behind the account's.
  expect([57, 58]).toContain(rowsRead);
  expect(others).toEqual({
    ...{ roundTrips: 2, rowsWritten: 10, queueSends: [1] },
    ...{ storageCalls: [], fetches: [] },
  });
  const sentBack = await decide("pending_approval", "request-changes", { comment: "Shorter" });
  expect(summary(sentBack)).toMatchObject({ roundTrips: 2, rowsRead: 17, rowsWritten: 6 });
  const statements = new Map<string, Statement>();
  for (const { roundTrips } of [submitted, approved, sentBack]) {
    for (const one of roundTrips.flat()) statements.set(one.sql, one);
  }
  expect(await slowPlans(statements.values())).toEqual([]);
});

test("50 posts are approved together in 2 round trips and by 1 call to the queue", async () => {
  const life = await beginLife();
  const ids = await life.insertMany(
    Array.from({ length: 50 }, (_, i) => ({ status: "pending_approval", title: `Post ${i}` })),
  );
  const work = { deps: life.harness.deps, teamId: life.member.teamId, by: SYSTEM };
  const posts = ids.map((id) => ({ id }));
  const { costs, result } = await measure(life.harness, () =>
    approveUploads(work, posts, { by: "client" }),
  );
  expect(result.filter((one) => "status" in one)).toHaveLength(50);
  expect(summary(costs)).toMatchObject({ roundTrips: 2, rowsWritten: 451, queueSends: [50] });
  // Each approval looks once more at the account's posts within 48 hours, 50 here: 5,100 of these rows.
  expect(costs.rowsRead).toBeLessThanOrEqual(8_600);
});
