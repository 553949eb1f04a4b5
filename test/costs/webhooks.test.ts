import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { forgetSlow } from "../../src/features/webhooks/round.ts";
import {
  fails,
  forgetStoredEvents,
  Hooks,
  RECEIVER_URL,
  succeeds,
  timesOut,
} from "../support/hooks.ts";
import { measure } from "../support/meter.ts";
import { finishChores, slowPlans } from "./support.ts";

/** Bar: rows written for an attempt, the one that puts the event up not included. */
const MAX_WRITTEN = 2;
const BATCH = 10;
const WAITING = 100_000;

let hooks: Hooks;

afterEach(forgetStoredEvents);

beforeEach(async () => {
  forgetSlow();
  hooks = await Hooks.open();
  // Receivers answer before their batch is over.
  hooks.harness.deps.wait = () => new Promise(() => {});
});

const deliverEvents = async (events: number) => {
  for (let i = 0; i < events; i++) await hooks.suggest();
  const messages = hooks.harness.sentDeliveries.splice(0).map(({ message }) => message);
  const work = () => hooks.harness.consume(messages, "akimbo-webhooks");
  const { costs } = await measure(hooks.harness, work);
  return { ...costs, messages: messages.length };
};

test("10 events in a batch: 2 rows written and 1 message each, 2 round trips together", async () => {
  await hooks.subscribe();
  const { rowsWritten, rowsRead, roundTrips, messages } = await deliverEvents(BATCH);
  expect(hooks.arrivals).toHaveLength(BATCH);
  expect(messages).toBe(BATCH);
  expect(hooks.harness.sentDeliveries).toHaveLength(0);
  expect(rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN * BATCH);
  expect(roundTrips).toHaveLength(2);
  expect(roundTrips.flat().length).toBeLessThanOrEqual(4);
  console.log(`A batch of ${BATCH}: ${rowsRead} rows read, ${rowsWritten} written.`);
});

test("a failed attempt writes 2 rows as well, and its retry is 1 message", async () => {
  await hooks.subscribe();
  hooks.reply = fails;
  const { rowsWritten, roundTrips } = await deliverEvents(1);
  expect(rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN);
  expect(roundTrips).toHaveLength(2);
  expect(hooks.harness.sentDeliveries).toHaveLength(1);
});

test("an attempt that outlasts its batch writes 1 row more", async () => {
  await hooks.subscribe();
  hooks.harness.deps.wait = async () => {};
  const { rowsWritten } = await deliverEvents(1);
  expect(rowsWritten).toBeLessThanOrEqual(MAX_WRITTEN + 1);
});

test("100,000 deliveries that wait change nothing about an attempt, and no statement walks them", async () => {
  const { id } = await hooks.subscribe();
  const before = await deliverEvents(BATCH);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
      SELECT ?2 + i, 'evt_' || i, ?3, ?4, 'event', ?2 FROM n`,
  )
    .bind(WAITING, Date.now() + 3_600_000, id, hooks.member.teamId)
    .run();
  const after = await deliverEvents(BATCH);
  expect(after.rowsRead).toBe(before.rowsRead);
  expect(after.rowsWritten).toBe(before.rowsWritten);
  hooks.replies = [fails, timesOut, succeeds];
  const mixed = await deliverEvents(BATCH);
  expect(await slowPlans([...before.roundTrips, ...mixed.roundTrips].flat())).toEqual([]);
  await finishChores(hooks.harness);
  const { costs } = await measure(hooks.harness, () => runSchedule(hooks.harness.deps));
  expect(costs.rowsRead).toBeLessThanOrEqual(10);
  expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
});

test("a healthy receiver beside 100,000 that wait for a dead one: sent first, without a wait, by the same reads", async () => {
  const dead = await hooks.subscribe(["suggestion.updated"], "https://dead.example/");
  await hooks.subscribe();
  const alone = await deliverEvents(BATCH);
  await env.DB.prepare("UPDATE webhooks SET timeouts = 6 WHERE id = ?").bind(dead.id).run();
  await hooks.storeEvents(BATCH, "suggestion.updated");
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, has_slot, queued_at)
      SELECT ?2 + i, 'evt_' || i, ?3, ?4, 'event', 1, ?2 FROM n`,
  )
    .bind(WAITING, Date.now() + 60_000, dead.id, hooks.member.teamId)
    .run();
  const beside = await deliverEvents(BATCH);
  const { rowsRead, rowsWritten, messages } = alone;
  expect(beside).toMatchObject({ rowsRead, rowsWritten, messages });

  // The dead one's turn has come: its events are older, and in the same batch.
  const { results: due } = await env.DB.prepare(
    "SELECT due_at, event_id FROM deliveries WHERE webhook_id = ? AND kind = 'event' AND has_slot = 0",
  )
    .bind(dead.id)
    .all<{ due_at: number; event_id: string }>();
  await env.DB.prepare("UPDATE deliveries SET has_slot = 1 WHERE webhook_id = ?")
    .bind(dead.id)
    .run();
  hooks.harness.advance(1);
  hooks.arrivals.length = 0;
  await hooks.suggest();
  const healthy = hooks.harness.sentDeliveries.splice(0).map(({ message }) => message);
  const line = due.map(({ due_at, event_id }) => ({
    ...{ kind: "deliver" as const, due: [[due_at, event_id]] as [number, string][] },
  }));
  hooks.reply = () => new Promise(() => {});
  hooks.replies = [succeeds];
  hooks.harness.deps.defer = () => {};
  await hooks.harness.consume([...line, ...healthy], "akimbo-webhooks");
  expect(hooks.arrivals.map(({ url }) => url)).toEqual([
    ...[RECEIVER_URL, "https://dead.example/", "https://dead.example/"],
  ]);
});

test("a page of the log reads each of its attempts and their events, and little else", async () => {
  const { id } = await hooks.subscribe();
  for (let i = 0; i < 3; i++) await deliverEvents(BATCH);
  const { costs } = await measure(hooks.harness, () => hooks.log(id, 20));
  const [authentication, webhook, page] = costs.roundTrips.flat();
  expect(authentication?.rowsRead).toBeLessThanOrEqual(6);
  expect(webhook?.rowsRead).toBeLessThanOrEqual(6);
  expect(page?.rowsRead).toBeLessThanOrEqual(2 * 20 + 6);
  expect(costs.rowsWritten).toBe(0);
  expect(costs.roundTrips).toHaveLength(1);
  expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
  console.log(`A page of 20: ${costs.rowsRead} rows read, ${page?.rowsRead} by the page itself.`);
});

test("a long line at an endpoint that times out is given its turns by one statement", async () => {
  const { id } = await hooks.subscribe();
  await env.DB.prepare("UPDATE webhooks SET timeouts = 6 WHERE id = ?").bind(id).run();
  const { roundTrips, rowsWritten } = await deliverEvents(BATCH);
  expect(hooks.arrivals).toHaveLength(1);
  // Read, turns, moves with the lease of the one that is sent; and its end, as nobody waits for it.
  expect(roundTrips).toHaveLength(4);
  // One for each that is moved, three for the attempt, and the webhook twice.
  expect(rowsWritten).toBeLessThanOrEqual(BATCH - 1 + 3 + 2);
  expect(await slowPlans(roundTrips.flat())).toEqual([]);
});
