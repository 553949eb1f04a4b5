import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { forgetSlow } from "../../../src/features/webhooks/round.ts";
import type { DeliverMessage } from "../../../src/queue/messages.ts";
import type { Harness } from "../../support/harness.ts";
import { Hooks } from "../../support/hooks.ts";

const EVENTS = 40;
const BATCH = 10;
const SLOW_MS = 8_000;
const SLOW_URL = "https://slow.example/";
const QUICK_URL = "https://quick.example/";

let hooks: Hooks;
let harness: Harness;
/** Requests at the slow receiver, and their maximum. */
let open: { at: number; answer: (response: Response) => void }[] = [];
let mostOpen = 0;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM deliveries");
  forgetSlow();
  open = [];
  mostOpen = 0;
  hooks = await Hooks.open();
  harness = hooks.harness;
  harness.deps.wait = (ms) => scheduler.wait(ms / 10);
});

const answersSlowly = (): Promise<Response> => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  open.push({ at: Date.now(), answer: resolve });
  mostOpen = Math.max(mostOpen, open.length);
  return promise;
};

const arrivalsAt = (url: string) => hooks.arrivals.filter((arrival) => arrival.url === url);

/** Consumes due messages in concurrent batches of ten. */
async function consumeAtOnce(): Promise<void> {
  const due = harness.sentDeliveries.filter(({ at }) => at <= Date.now());
  for (const sent of due) harness.sentDeliveries.splice(harness.sentDeliveries.indexOf(sent), 1);
  const messages: DeliverMessage[] = due.map(({ message }) => message);
  const batches = Array.from({ length: Math.ceil(messages.length / BATCH) }, (_, i) =>
    messages.slice(i * BATCH, (i + 1) * BATCH),
  );
  await Promise.all(batches.map((batch) => harness.consume(batch, "akimbo-webhooks")));
}

/** After two seconds, the receiver answers requests of eight seconds ago. */
async function pass(): Promise<void> {
  harness.advance(2);
  const old = open.filter(({ at }) => Date.now() - at >= SLOW_MS);
  open = open.filter((one) => !old.includes(one));
  for (const { answer } of old) answer(new Response("ok"));
  if (open.length === 0) await harness.settle();
  await scheduler.wait(5);
}

test("forty deliveries in four batches at once: never more than two wait for a receiver that takes eight seconds", async () => {
  await hooks.subscribe(["suggestion.created"], SLOW_URL);
  hooks.reply = answersSlowly;
  for (let i = 0; i < EVENTS; i++) await hooks.suggest();
  for (let turns = 0; turns < 200 && (await hooks.count("deliveries")) > 0; turns++) {
    await consumeAtOnce();
    await pass();
    if (turns % 30 === 29) await harness.tick();
  }
  expect(await hooks.count("deliveries")).toBe(0);
  expect(new Set(hooks.arrivals.map(({ eventId }) => eventId)).size).toBe(EVENTS);
  expect(hooks.arrivals).toHaveLength(EVENTS);
  expect(mostOpen).toBe(2);
}, 120_000);

test("a receiver that answers at once gets its forty within seconds, beside one that takes eight", async () => {
  await hooks.subscribe(["suggestion.created"], SLOW_URL);
  await hooks.subscribe(["suggestion.created"], QUICK_URL);
  hooks.reply = () =>
    hooks.arrivals.at(-1)?.url === SLOW_URL ? answersSlowly() : new Response("ok");
  for (let i = 0; i < EVENTS; i++) await hooks.suggest();
  const startedAt = Date.now();
  for (let turns = 0; turns < 5 && arrivalsAt(QUICK_URL).length < EVENTS; turns++) {
    await consumeAtOnce();
    await pass();
  }
  expect(new Set(arrivalsAt(QUICK_URL).map(({ eventId }) => eventId)).size).toBe(EVENTS);
  expect(arrivalsAt(QUICK_URL)).toHaveLength(EVENTS);
  expect(Date.now() - startedAt).toBeLessThanOrEqual(8_000);
  expect(mostOpen).toBe(2);
});

test("runs that broke off leave their endpoint free again after their leases", async () => {
  await hooks.subscribe(["suggestion.created"], SLOW_URL);
  const { defer } = harness.deps;
  harness.deps.defer = () => {};
  hooks.reply = () => new Promise(() => {});
  for (let i = 0; i < 3; i++) await hooks.suggest();
  await consumeAtOnce();
  expect(hooks.arrivals).toHaveLength(2);
  harness.deps.defer = defer;
  hooks.reply = () => new Response("ok");
  harness.advance(2);
  await consumeAtOnce();
  expect(hooks.arrivals).toHaveLength(2);
  harness.advance(92);
  await harness.tick();
  await harness.drainEvents();
  expect(new Set(hooks.arrivals.map(({ eventId }) => eventId)).size).toBe(3);
  expect(await hooks.count("deliveries")).toBe(0);
});

test("without an answer of the gate deliveries go on", async () => {
  await hooks.subscribe(["suggestion.created"], QUICK_URL);
  harness.deps.deliveryGate = {
    getByName: () => ({ take: () => Promise.reject(new Error("away")), giveBack: () => {} }),
  } as unknown as typeof harness.deps.deliveryGate;
  await hooks.suggest();
  await harness.drainEvents();
  expect(hooks.arrivals).toHaveLength(1);
  expect(harness.logs).toContainEqual({ event: "delivery_gate.failed", error: "Error: away" });
});
