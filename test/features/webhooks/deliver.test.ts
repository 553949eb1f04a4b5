import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createMember, Harness, type Member } from "../../support/harness.ts";

const URL_OF_RECEIVER = "https://receiver.example/hook";

interface Arrival {
  headers: Headers;
  body: string;
  at: number;
}

/** A receiver that answers as the test says, and checks signatures with its own few lines. */
class Receiver {
  readonly arrivals: Arrival[] = [];
  answers: (() => Response | Promise<Response>)[] = [];
  usual: () => Response | Promise<Response> = () => new Response("ok");

  async take(request: Request): Promise<Response> {
    this.arrivals.push({
      headers: request.headers,
      body: await request.text(),
      at: Date.now(),
    });
    return (this.answers.shift() ?? this.usual)();
  }
}

async function signatureOf(secret: string, { headers, body }: Arrival): Promise<string> {
  const utf8 = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);
  const text = `${headers.get("x-webhook-timestamp")}.${body}`;
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

let harness: Harness;
let member: Member;
let receiver: Receiver;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  receiver = new Receiver();
  harness.network = (input, init) => receiver.take(new Request(input, init));
});

const call = (method: string, path: string, json?: unknown) =>
  harness.call(method, path, { token: member.token, json });

async function subscribe(events = ["suggestion.created"], url = URL_OF_RECEIVER) {
  const answer = await call("POST", "/webhooks", { url, events });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answer.body.data as { id: number; secret: string };
}

let suggestions = 0;
/** Something that is an event at once. */
const suggest = async () => {
  await call("POST", "/suggestions", { title: `Idea ${++suggestions}` });
  await harness.settle();
};

const log = async (id: number) => (await call("GET", `/webhooks/${id}/deliveries`)).body.data;
const webhook = async (id: number) =>
  (await call("GET", "/webhooks")).body.data.find((one: { id: number }) => one.id === id);

const waiting = async (webhookId: number) =>
  (await env.DB.prepare("SELECT COUNT(*) AS n FROM deliveries WHERE webhook_id = ?")
    .bind(webhookId)
    .first<number>("n")) as number;

const fails = () => new Response("boom", { status: 500 });

describe("an event", () => {
  test("is sent signed, once, and logged", async () => {
    const { id, secret } = await subscribe();
    await suggest();
    expect(harness.sentDeliveries).toHaveLength(1);
    await harness.deliverEvents();
    expect(receiver.arrivals).toHaveLength(1);
    const [arrival] = receiver.arrivals as [Arrival];
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
    expect(await log(id)).toEqual([
      {
        id: expect.any(String),
        eventId: payload.id,
        event: "suggestion.created",
        attempt: 1,
        success: true,
        statusCode: 200,
        error: null,
        durationMs: 0,
        payload,
        createdAt: "2026-12-01T09:00:00.000Z",
      },
    ]);
    expect(await waiting(id)).toBe(0);
  });

  test("goes to every webhook that subscribes to it, and to no other", async () => {
    await subscribe(["suggestion.created", "suggestion.updated"]);
    await subscribe(["suggestion.created"]);
    await subscribe(["suggestion.updated"]);
    const off = await subscribe();
    await call("PATCH", `/webhooks/${off.id}`, { isActive: false });
    const deleted = await subscribe();
    await call("DELETE", `/webhooks/${deleted.id}`);
    const stranger = await createMember();
    const json = { url: URL_OF_RECEIVER, events: ["suggestion.created"] };
    await harness.call("POST", "/webhooks", { token: stranger.token, json });
    await suggest();
    await harness.deliverEvents();
    expect(receiver.arrivals).toHaveLength(2);
  });

  test("nobody waits for sends no message", async () => {
    await subscribe(["suggestion.updated"]);
    await suggest();
    expect(harness.sentDeliveries).toHaveLength(0);
  });
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
    ["a reset", () => Promise.reject(new TypeError("reset")), null, "The connection failed."],
    [
      "no answer in time",
      () => Promise.reject(new DOMException("late", "TimeoutError")),
      null,
      "No answer within 10 seconds.",
    ],
  ])("by %s is logged, and made again", async (_, answer, statusCode, error) => {
    const { id } = await subscribe();
    receiver.answers = [answer];
    await suggest();
    await harness.drainEvents();
    expect(receiver.arrivals).toHaveLength(2);
    const [second, first] = await log(id);
    expect(first).toMatchObject({ attempt: 1, success: false, statusCode, error });
    expect(second).toMatchObject({ attempt: 2, success: true, statusCode: 200, error: null });
    expect(JSON.stringify(await log(id))).not.toContain("boom");
  });

  test("is repeated five times by the schedule, byte for byte, signed anew", async () => {
    const { id, secret } = await subscribe();
    receiver.usual = fails;
    const begun = Date.now();
    await suggest();
    await harness.drainEvents();
    expect(receiver.arrivals).toHaveLength(6);
    const delays = receiver.arrivals.map(
      ({ at }, i) => (at - (receiver.arrivals[i - 1]?.at ?? begun)) / 1_000,
    );
    for (const [i, delay] of [0, 30, 120, 600, 3_600, 21_600].entries()) {
      expect(delays[i]).toBeGreaterThanOrEqual(delay);
      expect(delays[i]).toBeLessThanOrEqual(delay * 1.1 + 1);
    }
    expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1);
    for (const arrival of receiver.arrivals) {
      expect(arrival.headers.get("x-webhook-signature")).toBe(await signatureOf(secret, arrival));
    }
    expect((await log(id)).map(({ attempt }: { attempt: number }) => attempt)).toEqual([
      6, 5, 4, 3, 2, 1,
    ]);
    expect(await waiting(id)).toBe(0);
    expect(await webhook(id)).toMatchObject({ failureCount: 1, isActive: true });
  });

  test("whose message was lost is found by the sweep", async () => {
    const { id } = await subscribe();
    await suggest();
    harness.sentDeliveries.length = 0;
    harness.advance(59);
    await harness.tick();
    expect(harness.sentDeliveries).toHaveLength(0);
    harness.advance(60);
    await harness.tick();
    await harness.deliverEvents();
    expect(receiver.arrivals).toHaveLength(1);
    expect(await waiting(id)).toBe(0);
  });
});

describe("a webhook", () => {
  const exhaust = async () => {
    await suggest();
    await harness.drainEvents();
  };

  test("is switched off by three events in a row that failed all attempts; its owner is told", async () => {
    const { id } = await subscribe();
    receiver.usual = fails;
    await exhaust();
    await exhaust();
    receiver.answers = [() => new Response("ok")];
    await exhaust();
    expect(await webhook(id)).toMatchObject({ failureCount: 0, isActive: true });
    for (let i = 0; i < 3; i++) await exhaust();
    expect(await webhook(id)).toMatchObject({ failureCount: 3, isActive: false });
    await harness.drainNotices();
    const mails = harness.logs.filter((entry) => "to" in entry);
    expect(mails).toMatchObject([
      {
        event: "mail.not_sent",
        subject: "A webhook was switched off",
        text: expect.stringContaining(URL_OF_RECEIVER),
      },
    ]);
    const sent = receiver.arrivals.length;
    await exhaust();
    expect(receiver.arrivals).toHaveLength(sent);
    const on = await call("PATCH", `/webhooks/${id}`, { isActive: true });
    expect(on.body.data).toMatchObject({ failureCount: 0, isActive: true });
    receiver.usual = () => new Response(null, { status: 204 });
    await exhaust();
    expect(receiver.arrivals).toHaveLength(sent + 1);
  });

  test("is not sent what waited when it was switched off", async () => {
    const { id } = await subscribe();
    receiver.answers = [fails];
    await suggest();
    await harness.deliverEvents();
    await call("PATCH", `/webhooks/${id}`, { isActive: false });
    harness.advance(1);
    await call("PATCH", `/webhooks/${id}`, { isActive: true });
    await harness.drainEvents();
    expect(receiver.arrivals).toHaveLength(1);
    const [skipped] = await log(id);
    expect(skipped).toMatchObject({ attempt: 2, success: false, statusCode: null });
    expect(await waiting(id)).toBe(0);
  });

  test("with a new secret signs retries by it", async () => {
    const { id } = await subscribe();
    receiver.answers = [fails];
    await suggest();
    await harness.deliverEvents();
    const { secret } = (await call("POST", `/webhooks/${id}/rotate-secret`)).body.data;
    await harness.drainEvents();
    const retry = receiver.arrivals[1] as Arrival;
    expect(retry.headers.get("x-webhook-signature")).toBe(await signatureOf(secret, retry));
  });

  test("is sent a ping, once, even while it is off", async () => {
    const { id } = await subscribe();
    await call("PATCH", `/webhooks/${id}`, { isActive: false });
    receiver.usual = fails;
    const answer = await call("POST", `/webhooks/${id}/test`);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    await harness.drainEvents();
    expect(receiver.arrivals).toHaveLength(1);
    expect(JSON.parse(receiver.arrivals[0]?.body ?? "")).toMatchObject({
      event: "webhook.ping",
      data: { webhookId: id },
    });
    expect(await webhook(id)).toMatchObject({ failureCount: 0 });
    expect((await call("GET", "/events")).body.data).toEqual([]);
  });

  test("is sent an event once more for each of ten replays at the same moment", async () => {
    const { id } = await subscribe();
    await suggest();
    await harness.deliverEvents();
    const [first] = await log(id);
    const arrived = receiver.arrivals.length;
    const replays = await Promise.all(
      Array.from({ length: 10 }, () =>
        call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`),
      ),
    );
    expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([200]));
    harness.advance(1);
    await harness.drainEvents();
    expect(receiver.arrivals.length - arrived).toBe(10);
    expect(await log(id)).toHaveLength(11);
  });

  test("is sent an event again, under its id and with attempts of its own", async () => {
    const { id } = await subscribe();
    await suggest();
    await harness.deliverEvents();
    const [first] = await log(id);
    receiver.answers = [fails];
    const replay = await call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`);
    expect(replay).toMatchObject({ status: 200, body: { data: { eventId: first.eventId } } });
    await harness.drainEvents();
    expect(receiver.arrivals).toHaveLength(3);
    expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1);
    expect(await log(id)).toMatchObject([
      { eventId: first.eventId, attempt: 2, success: true },
      { eventId: first.eventId, attempt: 1, success: false },
      { eventId: first.eventId, attempt: 1, success: true },
    ]);
    await call("PATCH", `/webhooks/${id}`, { isActive: false });
    const refused = await call("POST", `/webhooks/${id}/deliveries/${first.id}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { code: "WEBHOOK_DISABLED" } });
  });

  test("that keeps timing out is sent its events one by one", async () => {
    const { id } = await subscribe();
    receiver.usual = () => Promise.reject(new DOMException("late", "TimeoutError"));
    for (let i = 0; i < 3; i++) {
      await suggest();
      await harness.deliverEvents();
      harness.advance(31);
      harness.advance(3);
      await harness.deliverEvents();
    }
    receiver.arrivals.length = 0;
    for (let i = 0; i < 4; i++) await suggest();
    await harness.deliverEvents();
    expect(receiver.arrivals).toHaveLength(1);
    expect(await waiting(id)).toBeGreaterThan(4);
    receiver.usual = () => new Response("ok");
    await harness.drainEvents(100);
    expect(await waiting(id)).toBe(0);
    expect(receiver.arrivals.length).toBeGreaterThanOrEqual(7);
  });
});

test("the feed has every event once it is asked on from its cursor", async () => {
  await suggest();
  harness.advance(60);
  await suggest();
  const first = await call("GET", "/events?limit=1");
  expect(first.body.data).toHaveLength(1);
  const second = await call("GET", `/events?after=${first.body.nextCursor}`);
  expect(second.body.data).toHaveLength(1);
  const again = await call("GET", `/events?after=${second.body.nextCursor}`);
  expect(again.body.data).toEqual(second.body.data);
  harness.advance(31);
  const later = await call("GET", `/events?after=${second.body.nextCursor}`);
  const none = await call("GET", `/events?after=${later.body.nextCursor}`);
  expect(none.body.data).toEqual([]);
});
