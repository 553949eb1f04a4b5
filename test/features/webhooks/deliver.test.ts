import { beforeEach, describe, expect, test } from "vitest";
import { createMember, type Harness } from "../../support/harness.ts";
import {
  type Arrival,
  fails,
  Hooks,
  RECEIVER_URL,
  signatureOf,
  succeeds,
  timesOut,
} from "../../support/hooks.ts";

let harness: Harness;
let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.open();
  harness = hooks.harness;
});

describe("an event", () => {
  test("is sent signed, once, and logged", async () => {
    const { id, secret } = await hooks.subscribe();
    await hooks.suggest();
    expect(harness.sentDeliveries).toHaveLength(1);
    await harness.deliverEvents();
    expect(hooks.arrivals).toHaveLength(1);
    const [arrival] = hooks.arrivals as [Arrival];
    const { headers } = arrival;
    const payload = JSON.parse(arrival.body);
    expect(payload).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{28}$/),
      event: "suggestion.created",
      createdAt: "2026-12-01T09:00:00.000Z",
      data: { suggestionId: expect.any(Number), title: expect.any(String), status: "open" },
    });
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-webhook-event")).toBe("suggestion.created");
    expect(headers.get("x-webhook-id")).toBe(payload.id);
    expect(headers.get("x-webhook-timestamp")).toBe(String(Date.now() / 1_000));
    expect(headers.get("x-webhook-signature")).toBe(await signatureOf(secret, arrival));
    expect(await hooks.log(id)).toEqual([
      {
        id: expect.any(String),
        eventId: payload.id,
        event: "suggestion.created",
        attempt: 1,
        success: true,
        statusCode: 200,
        error: null,
        durationMs: 0,
        answer: null,
        payload,
        createdAt: "2026-12-01T09:00:00.000Z",
      },
    ]);
    expect(await hooks.count("deliveries")).toBe(0);
  });

  test("goes to every webhook that subscribes to it, and to no other", async () => {
    await hooks.subscribe(["suggestion.created", "suggestion.updated"]);
    await hooks.subscribe(["suggestion.created"]);
    await hooks.subscribe(["suggestion.updated"]);
    const off = await hooks.subscribe();
    await hooks.call("PATCH", `/webhooks/${off.id}`, { isActive: false });
    const deleted = await hooks.subscribe();
    await hooks.call("DELETE", `/webhooks/${deleted.id}`);
    const stranger = await createMember();
    const json = { url: RECEIVER_URL, events: ["suggestion.created"] };
    await harness.call("POST", "/webhooks", { token: stranger.token, json });
    await hooks.suggest();
    await harness.deliverEvents();
    expect(hooks.arrivals).toHaveLength(2);
  });

  test("nobody waits for sends no message", async () => {
    await hooks.subscribe(["suggestion.updated"]);
    await hooks.suggest();
    expect(harness.sentDeliveries).toHaveLength(0);
  });
});

const lost = () => Promise.reject(new Error("Network connection lost."));
const broken = () => Promise.reject(new Error("internal error; reference = abc"));

/** The runtime gives what follows an interim answer as its body. */
const interim = (rest: string): Response =>
  ({ status: 100, body: new Response(rest).body }) as Response;

test("an interim answer is not the answer: the attempt succeeds by what follows", async () => {
  const { id } = await hooks.subscribe();
  hooks.replies = [
    () => interim("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
  ];
  await hooks.suggest();
  await harness.drainEvents();
  expect(await hooks.log(id)).toMatchObject([{ success: true, statusCode: 204, error: null }]);
});

test.each<[string, () => Promise<Response>, boolean, string]>([
  ["https://down.example/", lost, false, "The connection was refused."],
  ["https://down.example/", lost, true, "The connection was closed before an answer."],
  ["https://down.example/", broken, true, "The TLS handshake failed."],
  ["https://down.example/", broken, false, "The name of the address was not found."],
])("a connection to %s that fails is told apart (%#)", async (url, reply, isOpen, error) => {
  const probes: unknown[] = [];
  harness.deps.reaches = async (...at) => probes.push(at) > 0 && isOpen;
  const { id } = await hooks.subscribe(["suggestion.created"], url);
  hooks.replies = [reply];
  await hooks.suggest();
  await harness.deliverEvents();
  expect(await hooks.log(id)).toMatchObject([{ success: false, statusCode: null, error }]);
  expect(probes).toEqual([["down.example", 443]]);
  // A later sweep finds nothing of this test.
  await harness.drainEvents();
});

describe("a failed attempt", () => {
  test.each<[string, () => Response | Promise<Response>, number | null, string]>([
    ["404", () => new Response(null, { status: 404 }), 404, "Answered 404."],
    ["500", fails, 500, "Answered 500."],
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } }),
      302,
      "Answered 302: redirects are not followed.",
    ],
    ["a reset", lost, null, "The connection was closed before an answer."],
    [
      "an interim answer alone",
      () => interim(""),
      null,
      "The connection was closed before an answer.",
    ],
    [
      "what follows an interim answer",
      () => interim("HTTP/1.1 503 Busy\r\n\r\n"),
      503,
      "Answered 503.",
    ],
    [
      "the edge",
      () => new Response(null, { status: 525 }),
      525,
      "Answered 525: the TLS handshake failed.",
    ],
    ["no answer in time", timesOut, null, "No answer within 10 seconds."],
  ])("by %s is logged, and made again", async (_, answer, statusCode, error) => {
    const { id } = await hooks.subscribe();
    hooks.replies = [answer];
    await hooks.suggest();
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(2);
    const [second, first] = await hooks.log(id);
    expect(first).toMatchObject({ attempt: 1, success: false, statusCode, error });
    expect(second).toMatchObject({ attempt: 2, success: true, statusCode: 200, error: null });
    expect([first.answer, second.answer]).toEqual([statusCode === 500 ? "boom" : null, null]);
  });

  test("is repeated five times by the schedule, byte for byte, signed anew", async () => {
    const { id, secret } = await hooks.subscribe();
    hooks.reply = fails;
    const startedAt = Date.now();
    await hooks.suggest();
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(6);
    const delays = hooks.arrivals.map(
      ({ at }, i) => (at - (hooks.arrivals[i - 1]?.at ?? startedAt)) / 1_000,
    );
    for (const [i, delay] of [0, 30, 120, 600, 3_600, 21_600].entries()) {
      expect(delays[i]).toBeGreaterThanOrEqual(delay);
      expect(delays[i]).toBeLessThanOrEqual(delay * 1.1 + 1);
    }
    expect(new Set(hooks.arrivals.map(({ body }) => body)).size).toBe(1);
    for (const arrival of hooks.arrivals) {
      expect(arrival.headers.get("x-webhook-signature")).toBe(await signatureOf(secret, arrival));
    }
    expect((await hooks.log(id)).map(({ attempt }: { attempt: number }) => attempt)).toEqual([
      6, 5, 4, 3, 2, 1,
    ]);
    expect(await hooks.count("deliveries")).toBe(0);
    expect(await hooks.webhook(id)).toMatchObject({ failureCount: 1, isActive: true });
  });

  test("whose message was lost is found by the sweep", async () => {
    await hooks.subscribe();
    await hooks.suggest();
    harness.sentDeliveries.length = 0;
    harness.advance(59);
    await harness.tick();
    expect(harness.sentDeliveries).toHaveLength(0);
    harness.advance(60);
    await harness.tick();
    await harness.deliverEvents();
    expect(hooks.arrivals).toHaveLength(1);
    expect(await hooks.count("deliveries")).toBe(0);
  });
});

describe("a webhook", () => {
  const exhaust = async () => {
    await hooks.suggest();
    await harness.drainEvents();
  };

  test("is switched off by three events in a row that failed all attempts; its owner is told", async () => {
    const { id } = await hooks.subscribe();
    hooks.reply = fails;
    await exhaust();
    await exhaust();
    hooks.replies = [succeeds];
    await exhaust();
    expect(await hooks.webhook(id)).toMatchObject({ failureCount: 0, isActive: true });
    for (let i = 0; i < 3; i++) await exhaust();
    expect(await hooks.webhook(id)).toMatchObject({ failureCount: 3, isActive: false });
    await harness.drainNotices();
    const mails = harness.logs.filter((entry) => "to" in entry);
    expect(mails).toMatchObject([
      {
        event: "mail.not_sent",
        subject: "A webhook was switched off",
        text: expect.stringContaining(RECEIVER_URL),
      },
    ]);
    const sent = hooks.arrivals.length;
    await exhaust();
    expect(hooks.arrivals).toHaveLength(sent);
    const on = await hooks.call("PATCH", `/webhooks/${id}`, { isActive: true });
    expect(on.body.data).toMatchObject({ failureCount: 0, isActive: true });
    hooks.reply = () => new Response(null, { status: 204 });
    await exhaust();
    expect(hooks.arrivals).toHaveLength(sent + 1);
  });

  test("is not sent what waited when it was switched off", async () => {
    const { id } = await hooks.subscribe();
    hooks.replies = [fails];
    await hooks.suggest();
    await harness.deliverEvents();
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: false });
    harness.advance(1);
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: true });
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(1);
    const [skipped] = await hooks.log(id);
    expect(skipped).toMatchObject({ attempt: 2, success: false, statusCode: null });
    expect(await hooks.count("deliveries")).toBe(0);
  });

  test("with a new secret signs retries by it", async () => {
    const { id } = await hooks.subscribe();
    hooks.replies = [fails];
    await hooks.suggest();
    await harness.deliverEvents();
    const { secret } = (await hooks.call("POST", `/webhooks/${id}/rotate-secret`)).body.data;
    await harness.drainEvents();
    const retry = hooks.arrivals[1] as Arrival;
    expect(retry.headers.get("x-webhook-signature")).toBe(await signatureOf(secret, retry));
  });

  test("is sent a ping, once, even while it is off", async () => {
    const { id } = await hooks.subscribe();
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: false });
    hooks.reply = fails;
    const answer = await hooks.call("POST", `/webhooks/${id}/test`);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(1);
    expect(JSON.parse(hooks.arrivals[0]?.body ?? "")).toMatchObject({
      event: "webhook.ping",
      data: { webhookId: id },
    });
    expect(await hooks.webhook(id)).toMatchObject({ failureCount: 0 });
    expect((await hooks.call("GET", "/events")).body.data).toEqual([]);
  });

  test("is sent an event once more for each of ten replays at the same moment", async () => {
    const { id } = await hooks.subscribe();
    await hooks.suggest();
    await harness.deliverEvents();
    const [first] = await hooks.log(id);
    const arrived = hooks.arrivals.length;
    const replays = await Promise.all(
      Array.from({ length: 10 }, () =>
        hooks.call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`),
      ),
    );
    expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([200]));
    harness.advance(1);
    await harness.drainEvents();
    expect(hooks.arrivals.length - arrived).toBe(10);
    expect(await hooks.log(id)).toHaveLength(11);
  });

  test("is sent an event again, under its id and with attempts of its own", async () => {
    const { id } = await hooks.subscribe();
    await hooks.suggest();
    await harness.deliverEvents();
    const [first] = await hooks.log(id);
    hooks.replies = [fails];
    const replay = await hooks.call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`);
    expect(replay).toMatchObject({ status: 200, body: { data: { eventId: first.eventId } } });
    await harness.drainEvents();
    expect(hooks.arrivals).toHaveLength(3);
    expect(new Set(hooks.arrivals.map(({ body }) => body)).size).toBe(1);
    expect(await hooks.log(id)).toMatchObject([
      { eventId: first.eventId, attempt: 2, success: true },
      { eventId: first.eventId, attempt: 1, success: false },
      { eventId: first.eventId, attempt: 1, success: true },
    ]);
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: false });
    const refused = await hooks.call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { code: "WEBHOOK_DISABLED" } });
  });

  test("that keeps timing out is sent its events one by one", async () => {
    await hooks.subscribe();
    hooks.reply = timesOut;
    for (let i = 0; i < 3; i++) {
      await hooks.suggest();
      await harness.deliverEvents();
      harness.advance(31);
      harness.advance(3);
      await harness.deliverEvents();
    }
    hooks.arrivals.length = 0;
    for (let i = 0; i < 4; i++) await hooks.suggest();
    await harness.deliverEvents();
    expect(hooks.arrivals).toHaveLength(1);
    expect(await hooks.count("deliveries")).toBeGreaterThan(4);
    hooks.reply = succeeds;
    await harness.drainEvents(100);
    expect(await hooks.count("deliveries")).toBe(0);
    expect(hooks.arrivals.length).toBeGreaterThanOrEqual(7);
  });
});
