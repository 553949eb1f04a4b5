import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDeps, type Deps } from "../../../src/deps.ts";
import { EVENTS, SUBSCRIBABLE } from "../../../src/features/events/catalogue.ts";
import { deliver } from "../../../src/features/webhooks/deliver.ts";
import { forgetSlow } from "../../../src/features/webhooks/round.ts";
import { Harness } from "../../support/harness.ts";
import {
  fails,
  forgetStoredEvents,
  Hooks,
  RECEIVER_URL,
  succeeds,
  timesOut,
} from "../../support/hooks.ts";
import { loadOf } from "../../support/load.ts";

afterEach(forgetStoredEvents);

let hooks: Hooks;
let harness: Harness;

beforeEach(async () => {
  forgetSlow();
  hooks = await Hooks.open();
  harness = hooks.harness;
});

const replay = async (id: number, deliveryId: string) => {
  const answer = await hooks.call("POST", `/webhooks/${id}/deliveries/${deliveryId}/replay`);
  expect(answer.status).toBe(200);
};

describe("replays of one event at the same time", () => {
  beforeEach(async () => {
    const { id } = await hooks.subscribe();
    await hooks.suggest();
    await harness.deliverEvents();
    const [attempt] = await hooks.log(id);
    for (let i = 0; i < 3; i++) {
      harness.advance(0.001);
      await replay(id, attempt.id);
    }
  });

  test("break no sweep once their messages are lost", async () => {
    hooks.loseMessages();
    harness.advance(120);
    await harness.tick();
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(4);
    expect(await hooks.count("deliveries")).toBe(0);
  });

  test("that nobody answers at once are each sent and logged", async () => {
    hooks.replies = [timesOut, timesOut, timesOut];
    await harness.drainEvents();
    expect(await hooks.count("attempts")).toBe(1 + 6);
    expect(await hooks.count("deliveries")).toBe(0);
  });
});

test("a secret that cannot be read fails its own attempts, and a new one heals them", async () => {
  const broken = await hooks.subscribe();
  const whole = await hooks.subscribe(["suggestion.created"], "https://whole.example/");
  await env.DB.prepare("UPDATE webhooks SET secret = 'v1.gone.x.y' WHERE id = ?")
    .bind(broken.id)
    .run();
  await hooks.suggest();
  await harness.deliverEvents();
  expect(hooks.arrivals.map(({ url }) => url)).toEqual(["https://whole.example/"]);
  expect(await hooks.log(whole.id)).toMatchObject([{ success: true }]);
  expect(await hooks.log(broken.id)).toMatchObject([
    { success: false, statusCode: null, error: expect.stringContaining("secret") },
  ]);
  await hooks.call("POST", `/webhooks/${broken.id}/rotate-secret`);
  await harness.drainEvents();
  expect(hooks.arrivals.map(({ url }) => url)).toEqual(["https://whole.example/", RECEIVER_URL]);
  expect(await hooks.count("deliveries")).toBe(0);
});

/** Fails writes of attempts, before or after they are stored. */
const breaking = (times: number, side: "before" | "after"): Partial<Deps> => {
  const { db } = createDeps(env);
  let remaining = times;
  const runAll: Deps["db"]["runAll"] = async (queries) => {
    const isStore = queries.some(({ sql }) => sql.includes("INTO attempts")) && remaining-- > 0;
    if (isStore && side === "before") throw new Error("D1_ERROR: Network connection lost.");
    const results = await db.runAll(queries);
    if (isStore) throw new Error("D1_ERROR: Network connection lost.");
    return results;
  };
  return { db: { ...db, runAll }, wait: (ms) => scheduler.wait(ms) };
};

describe("a database that breaks off", () => {
  test.each(["before", "after"] as const)(
    "once, %s it stored the attempts: they are neither repeated nor logged twice",
    async (side) => {
      hooks = await Hooks.open(new Harness(breaking(1, side)));
      await hooks.subscribe();
      for (let i = 0; i < 3; i++) await hooks.suggest();
      await hooks.harness.drainEvents();
      expect(hooks.arrivals).toHaveLength(3);
      expect(await hooks.count("attempts")).toBe(3);
      expect(await hooks.count("deliveries")).toBe(0);
    },
  );

  test("twice: the messages come back, and nothing is lost", async () => {
    hooks = await Hooks.open(new Harness(breaking(2, "before")));
    await hooks.subscribe();
    await hooks.suggest();
    const { due } = hooks.harness.sentDeliveries[0]?.message ?? { due: [] };
    const retried = await hooks.harness.consume([{ kind: "deliver", due }], "akimbo-webhooks");
    expect(retried).toHaveLength(1);
    await hooks.harness.consume(retried, "akimbo-webhooks");
    expect(hooks.arrivals).toHaveLength(2);
    expect(new Set(hooks.arrivals.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await hooks.count("attempts")).toBe(1);
    expect(await hooks.count("deliveries")).toBe(0);
  });
});

test("a queue that takes no messages loses nothing: the sweep makes up for it", async () => {
  const { id } = await hooks.subscribe();
  const { webhookQueue } = harness.deps;
  harness.deps.webhookQueue = {
    sendBatch: async () => {
      throw new Error("The queue is away.");
    },
  } as unknown as typeof webhookQueue;
  await hooks.suggest();
  const ping = await hooks.call("POST", `/webhooks/${id}/test`);
  expect(ping.status).toBe(200);
  harness.deps.webhookQueue = webhookQueue;
  harness.advance(61);
  await harness.tick();
  await harness.drainEvents();
  expect(hooks.arrivals).toHaveLength(2);
});

describe("at the same time", () => {
  const take = async () => {
    await harness.settle();
    return harness.sentDeliveries.splice(0).map(({ message }) => message);
  };

  test.each<[string, () => Response | Promise<Response>, number]>([
    ["taken", succeeds, 0],
    ["refused", fails, 1],
    ["unanswered", timesOut, 1],
  ])(
    "two consumers with one message: an event that is %s is sent and logged twice, and waits %s",
    async (_, reply, remaining) => {
      await hooks.subscribe();
      hooks.reply = reply;
      await hooks.suggest();
      const messages = await take();
      const both = [1, 2].map(() => harness.consume(messages, "akimbo-webhooks"));
      await Promise.all(both);
      await harness.settle();
      expect(hooks.arrivals).toHaveLength(2);
      expect(await hooks.count("attempts")).toBe(2);
      expect(await hooks.count("deliveries")).toBe(remaining);
      hooks.reply = succeeds;
      await harness.drainEvents();
      expect(hooks.arrivals).toHaveLength(2 + remaining);
      expect(await hooks.count("deliveries")).toBe(0);
    },
  );

  test("two consumers with the last attempt: it counts once against the webhook", async () => {
    const { id } = await hooks.subscribe();
    hooks.reply = fails;
    await hooks.suggest();
    await harness.drainEvents();
    await hooks.suggest();
    await env.DB.prepare("UPDATE deliveries SET attempt = 6").run();
    const messages = await take();
    await Promise.all([1, 2].map(() => harness.consume(messages, "akimbo-webhooks")));
    await harness.settle();
    expect(await hooks.webhook(id)).toMatchObject({ failureCount: 2, isActive: true });
  });

  test("the third event in a row runs out of attempts, and somebody switches the webhook on: one of both holds", async () => {
    const { id } = await hooks.subscribe();
    hooks.reply = fails;
    for (let i = 0; i < 3; i++) await hooks.suggest();
    await harness.drainEvents(14);
    while ((await hooks.webhook(id)).failureCount < 2) await harness.drainEvents(1);
    for (let i = 0; i < 5; i++) {
      await Promise.all([
        harness.drainEvents(1),
        hooks.call("PATCH", `/webhooks/${id}`, { isActive: true }),
        hooks.call("PATCH", `/webhooks/${id}`, { isActive: true }),
      ]);
      const { isActive, failureCount } = await hooks.webhook(id);
      expect(isActive).toBe(failureCount < 3);
    }
  });

  test("a message twice in one batch is one request", async () => {
    await hooks.subscribe();
    await hooks.suggest();
    const messages = await take();
    await harness.consume([...messages, ...messages], "akimbo-webhooks");
    await harness.settle();
    expect(hooks.arrivals).toHaveLength(1);
    expect(await hooks.count("attempts")).toBe(1);
  });

  test("a sweep during an attempt: the event comes again, both attempts are logged, nothing stays", async () => {
    await hooks.subscribe();
    await hooks.suggest();
    const messages = await take();
    harness.advance(61);
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<Response>();
    hooks.replies = [
      () => {
        arrived.resolve();
        return gate.promise;
      },
    ];
    harness.deps.wait = () => new Promise(() => {});
    const attempt = harness.consume(messages, "akimbo-webhooks");
    await arrived.promise;
    await harness.tick();
    gate.resolve(new Response("ok"));
    await attempt;
    expect(await hooks.count("deliveries")).toBe(1);
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(2);
    expect(await hooks.count("attempts")).toBe(2);
    expect(await hooks.count("deliveries")).toBe(0);
  });

  test("an attempt that outlasts its batch is nobody else's: no message and no sweep takes it", async () => {
    await hooks.subscribe();
    await hooks.suggest();
    const messages = await take();
    const gate = Promise.withResolvers<Response>();
    hooks.replies = [() => gate.promise];
    await harness.consume(messages, "akimbo-webhooks");
    await harness.consume(messages, "akimbo-webhooks");
    harness.advance(10);
    await harness.tick();
    expect(harness.sentDeliveries).toHaveLength(0);
    gate.resolve(new Response("ok"));
    await harness.settle();
    expect(hooks.arrivals).toHaveLength(1);
    expect(await hooks.count("attempts")).toBe(1);
    expect(await hooks.count("deliveries")).toBe(0);
  });

  test("a run that broke off: the sweep repeats its attempt after the lease", async () => {
    await hooks.subscribe();
    await hooks.suggest();
    const messages = await take();
    hooks.replies = [() => new Promise(() => {})];
    await harness.consume(messages, "akimbo-webhooks");
    harness.advance(91);
    harness.deps.defer = () => {};
    await harness.tick();
    await deliver(
      harness.deps,
      harness.sentDeliveries.flatMap(({ message }) => message.due),
    );
    expect(hooks.arrivals).toHaveLength(2);
  });
});

test("a clock that jumps by seven hours: what waits is sent once, and goes on by the schedule", async () => {
  const { id } = await hooks.subscribe();
  harness.deps.wait = () => new Promise(() => {});
  hooks.reply = fails;
  for (let i = 0; i < 3; i++) await hooks.suggest();
  await harness.deliverEvents();
  hooks.loseMessages();
  harness.advance(7 * 3_600);
  await harness.tick();
  await harness.deliverEvents();
  expect(hooks.arrivals).toHaveLength(6);
  await harness.drainEvents(200);
  const byEvent = Map.groupBy(hooks.arrivals, ({ eventId }) => eventId);
  for (const arrivals of byEvent.values()) {
    const gaps = arrivals.slice(1).map(({ at }, i) => (at - (arrivals[i]?.at ?? 0)) / 1_000);
    for (const [i, least] of [7 * 3_600, 120, 600, 3_600, 21_600].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(least);
      expect(gaps[i]).toBeLessThanOrEqual(least * 1.1 + 1);
    }
  }
  expect(await hooks.webhook(id)).toMatchObject({ failureCount: 3, isActive: false });
  expect(await hooks.count("deliveries")).toBe(0);
});

const LOST = loadOf(150, 500);

test(`${LOST} messages that were lost are made up for by two sweeps`, async () => {
  await hooks.subscribe();
  await hooks.storeEvents(LOST);
  expect(await hooks.count("deliveries")).toBe(LOST);
  for (let sweep = 0; sweep < 2; sweep++) {
    harness.advance(60);
    await harness.tick();
  }
  await harness.drainEvents(1_000);
  expect(new Set(hooks.arrivals.map(({ eventId }) => eventId)).size).toBe(LOST);
  expect(hooks.arrivals).toHaveLength(LOST);
  expect(await hooks.count("deliveries")).toBe(0);
});

describe("what is gone is not sent", () => {
  test.each<[string, (id: number) => Promise<unknown>]>([
    ["webhook", (id) => hooks.call("DELETE", `/webhooks/${id}`)],
    ["event", () => env.DB.prepare("DELETE FROM events").run()],
    [
      "team",
      () =>
        env.DB.prepare("UPDATE webhooks SET deleted_at = 1, is_active = 0 WHERE team_id = ?")
          .bind(hooks.member.teamId)
          .run(),
    ],
  ])("a %s", async (_, remove) => {
    const { id } = await hooks.subscribe();
    hooks.reply = fails;
    await hooks.suggest();
    await harness.deliverEvents();
    await remove(id);
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(1);
    expect(await hooks.count("deliveries")).toBe(0);
  });
});

test("an event for 50 webhooks reaches each of them once, within a subrequest budget of 50", async () => {
  for (let i = 0; i < 50; i++) {
    await hooks.subscribe(["suggestion.created"], `https://receiver-${i}.example/`);
  }
  await hooks.suggest();
  harness.deps.wait = () => new Promise(() => {});
  await harness.deliverEvents();
  expect(hooks.arrivals).toHaveLength(34);
  await harness.deliverEvents();
  expect(new Set(hooks.arrivals.map(({ url }) => url)).size).toBe(50);
  expect(hooks.arrivals).toHaveLength(50);
});

test("an event for 50 webhooks reaches them in one batch where a run may make more subrequests", async () => {
  for (let i = 0; i < 50; i++) {
    await hooks.subscribe(["suggestion.created"], `https://receiver-${i}.example/`);
  }
  await hooks.suggest();
  harness.deps.config = { ...harness.deps.config, subrequestsPerInvocation: 10_000 };
  harness.deps.wait = () => new Promise(() => {});
  await harness.deliverEvents();
  expect(hooks.arrivals).toHaveLength(50);
});

test.each(SUBSCRIBABLE)("%s reaches a webhook that subscribes to it alone", async (name) => {
  const { id } = await hooks.subscribe([name]);
  for (const other of Object.keys(EVENTS)) await hooks.storeEvents(1, other);
  harness.advance(61);
  await harness.tick();
  await harness.drainEvents();
  expect(hooks.arrivals.map(({ headers }) => headers.get("x-webhook-event"))).toEqual([name]);
  expect(await hooks.log(id)).toMatchObject([{ event: name, success: true }]);
});
