import { beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { SECOND } from "../../../src/core/time.ts";
import { createMember, Harness, harnessWith, type Member } from "../../support/harness.ts";
import { hmac } from "../../support/hmac.ts";

interface Arrival {
  event: string;
  eventId: string;
  seen: number;
  isTrusted: boolean;
  problem: string | null;
  body: string;
  answer: string;
  arrivedAt: string;
}

interface State {
  url: string;
  secret: string;
  answer: string;
  arrivals: Arrival[];
}

const OWN_FORM = { "sec-fetch-site": "same-origin" };

let harness: Harness;

beforeEach(async () => {
  harness = new Harness();
  await harness.request("/sandbox/api/reset", { method: "POST" });
  await set({ answer: "200" });
});

const read = async (): Promise<State> =>
  (await harness.request("/sandbox/api/webhook")).json<State>();

async function set(change: Partial<State>, headers: Record<string, string> = OWN_FORM) {
  const { secret, answer } = { ...(await read()), ...change };
  const body = new URLSearchParams({ secret, answer });
  return harness.request("/sandbox/webhook/settings", { method: "POST", body, headers });
}

let events = 0;

async function send(headers: Record<string, string | null> = {}, body = '{"id":"evt_1"}') {
  const timestamp = headers["x-webhook-timestamp"] ?? String(Date.now() / SECOND);
  const { secret } = await read();
  const all = {
    "x-webhook-event": "upload.completed",
    "x-webhook-id": `evt_${++events}`,
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": (await hmac(secret, `${timestamp}.${body}`)).toHex(),
    ...headers,
  };
  const sent = Object.entries(all).filter((header): header is [string, string] => !!header[1]);
  return harness.request("/sandbox/webhook", { method: "POST", headers: sent, body });
}

const page = async () => (await harness.request("/sandbox/webhook")).text();

describe("the receiver", () => {
  test("keeps what arrives, newest first, and counts an id that comes again", async () => {
    expect((await send({ "x-webhook-id": "evt_a" })).status).toBe(200);
    await send({ "x-webhook-id": "evt_b", "x-webhook-event": "upload.failed" });
    await send({ "x-webhook-id": "evt_a" });
    const { arrivals, url, secret } = await read();
    expect(url).toBe("https://akimbo.test/sandbox/webhook");
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(arrivals.map(({ eventId, event, seen }) => [eventId, event, seen])).toEqual([
      ["evt_a", "upload.completed", 2],
      ["evt_b", "upload.failed", 1],
      ["evt_a", "upload.completed", 1],
    ]);
    expect(arrivals[0]).toEqual({
      event: "upload.completed",
      eventId: "evt_a",
      seen: 2,
      isTrusted: true,
      problem: null,
      body: '{"id":"evt_1"}',
      answer: "200",
      arrivedAt: "2026-12-01T09:00:00.000Z",
    });
  });

  test.each<[string, Record<string, string | null>, RegExp]>([
    ["no signature", { "x-webhook-signature": null }, /not signed/],
    ["another signature", { "x-webhook-signature": "0".repeat(64) }, /another secret/],
    ["a timestamp in words", { "x-webhook-timestamp": "noon" }, /not a number/],
    ["an old timestamp", { "x-webhook-timestamp": "1796115299" }, /5 minutes/],
    ["a timestamp to come", { "x-webhook-timestamp": "1796115901" }, /5 minutes/],
  ])("does not trust %s", async (_, headers, problem) => {
    await send(headers);
    expect((await read()).arrivals).toEqual([
      expect.objectContaining({ isTrusted: false, problem: expect.stringMatching(problem) }),
    ]);
    expect(await page()).toContain("signature not valid");
  });

  test("trusts a timestamp that is just young enough", async () => {
    await send({ "x-webhook-timestamp": "1796115300" });
    expect((await read()).arrivals).toEqual([expect.objectContaining({ isTrusted: true })]);
  });

  test("keeps the last hundred", async () => {
    for (let i = 0; i < 101; i++) await send({ "x-webhook-id": `evt_of_many_${i}` });
    const { arrivals } = await read();
    expect(arrivals).toHaveLength(100);
    expect(arrivals.at(-1)?.eventId).toBe("evt_of_many_1");
  });

  test("refuses what is larger than an event (413)", async () => {
    expect((await send({}, "x".repeat(300_000))).status).toBe(413);
    expect((await read()).arrivals).toEqual([]);
  });

  test("checks by the secret that was pasted", async () => {
    const secret = `whsec_${"5".repeat(64)}`;
    expect((await set({ secret: ` ${secret} ` })).status).toBe(303);
    expect((await read()).secret).toBe(secret);
    await send();
    expect((await read()).arrivals).toEqual([expect.objectContaining({ isTrusted: true })]);
  });

  test.each([{ secret: "too short" }, { secret: "with spaces and all" }, { answer: "404" }])(
    "refuses the settings %o (400)",
    async (change) => {
      const before = await read();
      expect((await set(change)).status).toBe(400);
      expect(await read()).toEqual(before);
    },
  );

  test("takes settings from its own page alone (403)", async () => {
    const reply = await set({ answer: "500" }, { "sec-fetch-site": "cross-site" });
    expect(reply.status).toBe(403);
    expect((await read()).answer).toBe("200");
  });

  test("shows what came as text, with the call that subscribes it", async () => {
    await send({ "x-webhook-event": "<b>" }, '{"text":"<script>alert(1)</script>"}');
    const shown = await page();
    expect(shown).not.toMatch(/<script|<b>/);
    expect(shown).toContain("&lt;script&gt;alert(1)");
    expect(shown).toContain("https://akimbo.test/sandbox/webhook");
    expect(await (await harness.request("/sandbox")).text()).toContain('href="/sandbox/webhook"');
  });

  test.each([
    ["http://192.168.1.20:8797", "http://127.0.0.1:8797"],
    ["http://my-machine:8797", "http://127.0.0.1:8797"],
    ["http://10.0.0.5", "http://127.0.0.1:80"],
    ["http://localhost:8797", "http://localhost:8797"],
    ["http://127.0.0.1:8797", "http://127.0.0.1:8797"],
    ["https://akimbo.example", "https://akimbo.example"],
  ])("asked at %s, it is subscribed at %s, which webhooks are sent to", async (asked, origin) => {
    const app = createApp(() => harness.deps);
    const answer = await app.fetch(new Request(`${asked}/sandbox/api/webhook`));
    expect((await answer.json<State>()).url).toBe(`${origin}/sandbox/webhook`);
  });

  test("is emptied with the sandbox, and keeps its secret", async () => {
    const { secret } = await read();
    await send();
    await harness.request("/sandbox/api/reset", { method: "POST" });
    expect(await read()).toMatchObject({ secret, arrivals: [] });
  });

  test.each([
    ["GET", "/sandbox/webhook"],
    ["POST", "/sandbox/webhook"],
    ["POST", "/sandbox/webhook/settings"],
    ["GET", "/sandbox/api/webhook"],
  ])("%s %s is not there in production", async (method, path) => {
    const { status } = await harnessWith({ isDevelopment: false }).request(path, {
      method,
      headers: OWN_FORM,
    });
    expect(status).toBe(404);
  });
});

describe("a webhook that leads to the receiver", () => {
  let member: Member;
  let webhook: number;

  const call = (method: string, path: string, json?: unknown) =>
    harness.call(method, path, { token: member.token, json });

  const log = async () => (await call("GET", `/webhooks/${webhook}/deliveries`)).body.data;

  beforeEach(async () => {
    member = await createMember();
    // The receiver stands in the same Worker.
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      return harness.request(new URL(request.url).pathname, request);
    };
    const { url, secret } = await read();
    const answer = await call("POST", "/webhooks", { url, secret, events: ["suggestion.created"] });
    webhook = answer.body.data.id;
    await call("POST", "/suggestions", { title: "A receiver in the sandbox" });
  });

  test("delivers there, signed well", async () => {
    await harness.deliverEvents();
    const { arrivals } = await read();
    expect(arrivals).toEqual([
      expect.objectContaining({ event: "suggestion.created", isTrusted: true, seen: 1 }),
    ]);
    const [{ payload }] = await log();
    expect(JSON.parse(arrivals[0]?.body ?? "")).toEqual(payload);
  });

  test.each([
    ["500", 500],
    ["redirect", 302],
  ])("tries again after the answer %s", async (answer, statusCode) => {
    await set({ answer });
    await harness.deliverEvents();
    await set({ answer: "200" });
    harness.advance(60);
    await harness.deliverEvents();
    expect(await log()).toEqual([
      expect.objectContaining({ attempt: 2, statusCode: 200, success: true }),
      expect.objectContaining({ attempt: 1, statusCode, success: false }),
    ]);
    const { arrivals } = await read();
    expect(
      arrivals.map(({ seen, isTrusted, ...arrival }) => [arrival.answer, seen, isTrusted]),
    ).toEqual([
      ["200", 2, true],
      [answer, 1, true],
    ]);
  });

  test("is left without an answer in time", async () => {
    const waits: number[] = [];
    await set({ answer: "timeout" });
    harness.deps.wait = async (ms) => void waits.push(ms);
    await harness.deliverEvents();
    expect(Math.max(...waits)).toBe(11_000);
    expect((await read()).arrivals).toEqual([expect.objectContaining({ answer: "timeout" })]);
  });

  test("is signed by another secret after a rotation, until that is pasted", async () => {
    const { secret } = (await call("POST", `/webhooks/${webhook}/rotate-secret`)).body.data;
    await harness.deliverEvents();
    expect((await read()).arrivals).toEqual([expect.objectContaining({ isTrusted: false })]);
    await set({ secret });
    const [{ id }] = await log();
    await call("POST", `/webhooks/${webhook}/deliveries/${id}/replay`);
    await harness.deliverEvents();
    expect((await read()).arrivals[0]).toMatchObject({ isTrusted: true, seen: 2 });
  });
});
