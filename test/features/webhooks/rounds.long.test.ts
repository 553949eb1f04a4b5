import { beforeEach, expect, test } from "vitest";
import { forgetSlow } from "../../../src/features/webhooks/round.ts";
import type { Harness } from "../../support/harness.ts";
import { fails, Hooks, succeeds, timesOut } from "../../support/hooks.ts";

let hooks: Hooks;
let harness: Harness;

beforeEach(async () => {
  forgetSlow();
  hooks = await Hooks.open();
  harness = hooks.harness;
});

const take = async () => {
  await harness.settle();
  return harness.sentDeliveries.splice(0).map(({ message }) => message);
};
const consume = async () => harness.consume(await take(), "akimbo-webhooks");

const soon = () => scheduler.wait(5).then(() => new Response("ok"));

/** The receiver answers shortly after its batch has ended. */
const outlast = async (seconds = 0) => {
  hooks.replies = [
    async () => {
      const answer = await soon();
      harness.advance(seconds);
      return answer;
    },
  ];
  harness.deps.wait = async () => {};
  await hooks.suggest();
  await consume();
  await harness.settle();
};

/** Returns true when a batch waits for the receiver. */
const isWaitedFor = async () => {
  hooks.replies = [soon];
  harness.deps.wait = () => new Promise(() => {});
  await hooks.suggest();
  await consume();
  const isEnded = (await hooks.count("deliveries")) === 0;
  await harness.settle();
  return isEnded;
};

test.each([
  [0, true],
  [1, true],
  [2, true],
  [3, false],
  [4, false],
])(
  "an endpoint that outlasted %d batches in a row by a second is waited for: %j",
  async (times, waits) => {
    await hooks.subscribe();
    for (let i = 0; i < times; i++) await outlast(1);
    expect(await isWaitedFor()).toBe(waits);
    expect(await hooks.count("deliveries")).toBe(0);
  },
);

test("a quick answer ends that, also one that comes after its batch", async () => {
  await hooks.subscribe();
  for (let i = 0; i < 3; i++) await outlast(1);
  expect(await isWaitedFor()).toBe(false);
  expect(await isWaitedFor()).toBe(true);
});

test("after half a minute it is waited for once more", async () => {
  await hooks.subscribe();
  for (let i = 0; i < 3; i++) await outlast(1);
  harness.advance(31);
  await outlast(1);
  expect(await isWaitedFor()).toBe(false);
  for (let i = 0; i < 3; i++) await outlast(1);
  harness.advance(31);
  expect(await isWaitedFor()).toBe(true);
});

test("a line of 1,000 is sent oldest first, in batches that read 100, and nothing is written for what waits", async () => {
  const statements: { sql: string; rows: number }[] = [];
  const { db } = harness.deps;
  harness.deps.db = {
    ...db,
    run: async (queries) => {
      const results = await db.run(queries);
      const [{ sql } = { sql: "" }] = queries;
      const [rows] = results as unknown[];
      statements.push({ sql, rows: Array.isArray(rows) ? rows.length : 0 });
      return results;
    },
    runAll: async (queries) => {
      statements.push(...queries.map(({ sql }) => ({ sql, rows: 0 })));
      return db.runAll(queries);
    },
  };
  for (let i = 0; i < 10; i++) {
    await hooks.subscribe(["suggestion.created"], `https://receiver-${i}.example/`);
  }
  harness.deps.wait = () => new Promise(() => {});
  for (let i = 0; i < 100; i++) {
    await hooks.suggest();
    harness.advance(0.001);
  }
  statements.length = 0;
  let batches = 0;
  while (harness.sentDeliveries.length > 0) {
    const batch = harness.sentDeliveries.splice(0, 10).map(({ message }) => message);
    await harness.consume(batch, "akimbo-webhooks");
    await harness.settle();
    batches++;
  }
  expect(hooks.arrivals).toHaveLength(1_000);
  expect(new Set(hooks.arrivals.map(({ eventId, url }) => eventId + url)).size).toBe(1_000);
  const reads = statements.filter(
    ({ sql }) => sql.includes("json_each") && sql.includes("LEFT JOIN"),
  );
  expect(reads).toHaveLength(batches);
  expect(Math.max(...reads.map(({ rows }) => rows))).toBeLessThanOrEqual(100);
  expect(batches).toBeLessThanOrEqual(40);
  expect(statements.filter(({ sql }) => sql.includes("UPDATE deliveries"))).toEqual([]);
  expect(await hooks.count("deliveries")).toBe(0);
});

test("the log has a line for each attempt, without address, secret and payload", async () => {
  const url = "https://receiver.example/hook?key=in-the-query";
  const { id, secret } = await hooks.subscribe(["suggestion.created"], url);
  hooks.replies = [fails, timesOut, succeeds];
  await hooks.suggest();
  await harness.drainEvents();
  const lines = harness.logs.filter((line) => /"event":"webhook[.]/.test(JSON.stringify(line)));
  const attempts: { id: string; eventId: string; success: boolean; [other: string]: unknown }[] = (
    await hooks.log(id)
  ).reverse();
  expect(lines).toEqual(
    attempts.map(({ id: deliveryId, success, ...attempt }) => ({
      event: success ? "webhook.delivered" : "webhook.failed",
      webhookId: id,
      teamId: hooks.member.teamId,
      deliveryId,
      eventId: attempt.eventId,
      name: "suggestion.created",
      attempt: attempt.attempt,
      statusCode: attempt.statusCode,
      error: attempt.error,
      durationMs: attempt.durationMs,
    })),
  );
  expect(lines).toHaveLength(3);
  for (const hidden of [secret, "in-the-query", "receiver.example", "Idea", "boom"]) {
    expect(JSON.stringify(lines)).not.toContain(hidden);
  }
});
