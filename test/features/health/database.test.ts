import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY } from "../../../src/core/time.ts";
import type { Query } from "../../../src/db/client.ts";
import type { Deps } from "../../../src/deps.ts";
import { theHeartbeat } from "../../../src/durable/heartbeat.ts";
import { measureDatabase } from "../../../src/features/health/nightly.ts";
import { dayOf, fullInDays, type Level, levelOf } from "../../../src/features/health/rules.ts";
import { sendNotices } from "../../../src/features/notices/deliver.ts";
import { Desk } from "../../support/desk.ts";
import { createMember, Harness, harnessWith, instanceOwner, START } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

const GB = 1_000_000_000;
const today = dayOf(START);

describe("when a database is full", () => {
  test.each<
    [string, sizeBytes: number, first: [daysAgo: number, bytes: number] | null, number | null]
  >([
    ["nothing was measured yet", GB, null, null],
    ["it was watched for six days", GB, [6, GB / 2], null],
    ["it grew by 1 GB in ten days", 5 * GB, [10, 4 * GB], 50],
    ["it grew by 3 GB in four weeks", 9 * GB, [28, 6 * GB], 9],
    ["it did not grow", GB, [28, GB], null],
    ["it shrank", GB, [28, 2 * GB], null],
    ["it is full", 10 * GB, null, 0],
  ])("%s", (_, sizeBytes, first, days) => {
    const earlier = first && { day: today - first[0], sizeBytes: first[1] };
    expect(fullInDays({ sizeBytes, limitBytes: 10 * GB }, earlier, today)).toBe(days);
  });

  test.each<[percent: number, before: Level, after: Level]>([
    [69.9, 0, 0],
    [70, 0, 70],
    [95, 0, 90],
    [90, 70, 90],
    [89, 70, 70],
    [86, 90, 90],
    [84, 90, 70],
    [66, 70, 70],
    [64, 70, 0],
    [10, 90, 0],
  ])("%s %% after level %s is level %s", (percent, before, after) => {
    expect(levelOf({ sizeBytes: percent, limitBytes: 100 }, before)).toBe(after);
  });
});

describe("/health", () => {
  beforeEach(async () => {
    await env.DB.exec("DELETE FROM database_sizes");
    const heartbeat = theHeartbeat(env.HEARTBEAT);
    await heartbeat.beat(START.getTime() - 60_000);
    await heartbeat.beat(START.getTime());
  });

  const ask = async (harness: Harness, headers: Record<string, string> = {}) => {
    const { result, costs } = await measure(harness, () => harness.request("/health", { headers }));
    // biome-ignore lint/suspicious/noExplicitAny: the test reads what the answer holds
    const body = (await result.json()) as any;
    return { status: result.status, body, roundTrips: costs.roundTrips.length };
  };

  test("says nothing of the database to callers without a token", async () => {
    const { body, roundTrips } = await ask(new Harness());
    expect(body.status).toBe("ok");
    expect(body).not.toHaveProperty("database");
    expect(roundTrips).toBe(1);
  });

  test.each([
    ["x-api-key", (token: string) => token],
    ["authorization", (token: string) => `Bearer ${token}`],
  ])("has the size for a token in %s, in one round trip", async (header, toValue) => {
    const { token } = await createMember();
    const harness = new Harness();
    const { status, body, roundTrips } = await ask(harness, { [header]: toValue(token) });
    expect(status).toBe(200);
    expect(body.database).toEqual({
      sizeBytes: expect.any(Number),
      limitBytes: 500_000_000,
      fullInDays: null,
    });
    expect(body.database.sizeBytes).toBeGreaterThan(100_000);
    expect(roundTrips).toBe(1);
  });

  test("has the limit of the paid plan, and says when it is reached at the pace of the last weeks", async () => {
    const { token } = await createMember();
    const harness = harnessWith({ subrequestsPerInvocation: 10_000 });
    const { sizeBytes } = (await ask(harness, { "x-api-key": token })).body.database;
    await env.DB.prepare("INSERT INTO database_sizes VALUES (?, 0, 0), (?, ?, 0)")
      .bind(today - 20, today - 10, sizeBytes)
      .run();
    const { database } = (await ask(harness, { "x-api-key": token })).body;
    expect(database).toEqual({
      sizeBytes,
      limitBytes: 10 * GB,
      fullInDays: Math.floor((10 * GB - sizeBytes) / (sizeBytes / 20)),
    });
  });

  test.each([
    ["unknown", `kmb_${"0".repeat(64)}`],
    ["malformed", "nonsense"],
  ])("refuses a token that is %s", async (_, token) => {
    const { status, body } = await ask(new Harness(), { "x-api-key": token });
    expect(status).toBe(401);
    expect(body).toMatchObject({ success: false, code: "UNAUTHORIZED" });
  });

  test("is down, and refuses no token, while the database does not answer", async () => {
    const { token } = await createMember();
    const fails = () => Promise.reject(new Error("no answer"));
    const harness = new Harness({ db: { run: fails, runAll: fails } });
    const { status, body } = await ask(harness, { "x-api-key": token });
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: "down", checks: { database: "failing" } });
  });
});

/** The same service with a database of this size. */
function grownTo(deps: Deps, bytes: number): Deps {
  const grown = <T>(query: Query<T>): Query<T> => ({
    ...query,
    read: (result) =>
      query.read({ ...result, meta: { ...result.meta, size_after: bytes } } as typeof result),
  });
  const runAll = <T>(queries: readonly Query<T>[]) => deps.db.runAll(queries.map(grown));
  return { ...deps, db: { runAll, run: (queries) => runAll<unknown>(queries) as never } };
}

describe("the nightly measurement", () => {
  beforeEach(() => env.DB.exec("DELETE FROM database_sizes; DELETE FROM notices"));

  const rows = async () =>
    (await env.DB.prepare("SELECT * FROM database_sizes ORDER BY day").all()).results;

  test("keeps one row a day, of the last four weeks", async () => {
    const harness = new Harness();
    await env.DB.prepare("INSERT INTO database_sizes VALUES (?, 1, 0), (?, 1, 0)")
      .bind(today - 29, today - 28)
      .run();
    await measureDatabase(harness.deps);
    await measureDatabase(harness.deps);
    const sizeBytes = expect.any(Number);
    expect(await rows()).toEqual([
      { day: today - 28, size_bytes: 1, level: 0 },
      { day: today, size_bytes: sizeBytes, level: 0 },
    ]);
  });

  test("tells the owner of the instance alone, once for each level that is passed", async () => {
    const owner = await instanceOwner();
    const desk = await Desk.open();
    const { deps } = desk.harness;
    const told: Record<string, string[]> = {};
    for (const percent of [60, 71, 71, 72, 91, 86, 64, 72]) {
      await measureDatabase(grownTo(deps, (percent / 100) * 500_000_000));
      await sendNotices(deps);
      const mails = desk.mails.splice(0);
      const day = `${Object.keys(told).length}: ${percent} %`;
      told[day] = mails.map(({ to, text }) => `${to} ${/\d+ % full/.exec(text)?.[0]}`);
      desk.harness.advance(DAY / 1_000);
    }
    const email = await desk.emailOf(owner);
    expect(told).toEqual({
      "0: 60 %": [],
      "1: 71 %": [`${email} 70 % full`],
      "2: 71 %": [],
      "3: 72 %": [],
      "4: 91 %": [`${email} 90 % full`],
      "5: 86 %": [],
      "6: 64 %": [],
      "7: 72 %": [`${email} 70 % full`],
    });
  });
});

test("the settings say how full the database is, to the owner of the instance alone", async () => {
  const harness = new Harness();
  const owner = await instanceOwner();
  const other = await createMember();
  const pageOf = async ({ userId, teamId }: typeof owner) => {
    const browser = (await new Browser(harness).signIn({ userId })).show(teamId);
    return (await browser.get("/app/settings")).html;
  };
  expect(await pageOf(owner)).toMatch(/Database of this instance[\s\S]*of the 500 MB/);
  expect(await pageOf(other)).not.toContain("Database of this instance");
});
