import { beforeAll, describe, expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { createMember, type Fields, form, Harness, START } from "../support/harness.ts";
import { measure, type Statement } from "../support/meter.ts";
import { connectLive } from "../support/pds.ts";
import { photo } from "../support/stage.ts";
import { finishChores, planOf, slowPlans } from "./support.ts";
import { listFilters } from "./workload.ts";

/** Each distinct statement of the everyday calls, as the database received it. */
const statements = new Map<string, Statement>();

async function record(harness: Harness, work: () => Promise<unknown>): Promise<void> {
  const { costs } = await measure(harness, work);
  for (const statement of costs.roundTrips.flat()) statements.set(statement.sql, statement);
}

describe("the statements of reading, creating, publishing and the tick", () => {
  beforeAll(async () => {
    const harness = new Harness();
    const member = await createMember();
    const { token } = member;
    const accountId = await connectLive(harness, member);
    const get = (path: string) => record(harness, () => harness.call("GET", path, { token }));
    const post = (fields: Fields) =>
      record(harness, () =>
        harness.call("POST", "/upload", { token, body: form({ accountId, ...fields }) }),
      );

    await post({ description: "Now", photo: photo() });
    await post({ description: "Later", schedule_date: "2027-01-01T00:00:00Z" });
    await record(harness, () => harness.deliver());
    await finishChores(harness);
    await record(harness, () => runSchedule(harness.deps));
    for (const { query } of listFilters(START.getTime())) {
      await get(`/upload?${new URLSearchParams(query)}`);
    }
    await get("/upload/1");
    await get("/accounts");
    await get(`/accounts/${accountId}`);
    await get("/tokens");
  });

  test("are all recorded", () => {
    const recorded = [...statements.keys()].join("\n").toLowerCase();
    for (const part of [
      "from tokens t",
      "insert into uploads",
      "insert into media_uses",
      "set status = 'processing'",
      "select count(*) as total",
      "set woken_at",
    ]) {
      expect(recorded).toContain(part);
    }
  });

  test("walk no table and sort no page", async () => {
    expect(await slowPlans(statements.values())).toEqual([]);
  });

  test("find files by their hash, not by their team alone", async () => {
    const ofMedia = [...statements.values()].filter(({ sql }) => /JOIN "media"/.test(sql));
    expect(ofMedia).toHaveLength(1);
    const steps = (await Promise.all(ofMedia.map(planOf))).flat();
    expect(steps.find((step) => /^SEARCH media\b/.test(step))).toContain("team_id=? AND sha256=?");
  });
});
