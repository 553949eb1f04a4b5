import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createFetch } from "../../../src/deps.ts";
import { SUBSCRIBABLE } from "../../../src/features/events/catalogue.ts";
import { forgetOldAttempts } from "../../../src/features/webhooks/expiry.ts";
import { createMember, harnessWith } from "../../support/harness.ts";
import { Hooks, RECEIVER_URL } from "../../support/hooks.ts";

const DAY_SECONDS = 24 * 3_600;

/** Private addresses in misleading spellings. */
const FORBIDDEN = [
  "http://receiver.example/",
  "ftp://receiver.example/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "blob:https://receiver.example/x",
  "javascript:alert(1)",
  "//receiver.example/",
  "not a url",
  "https://",
  "https://user@receiver.example/",
  "https://user:word@receiver.example/",
  "https://receiver.example:8080/",
  "https://receiver.example:22/",
  "https://localhost/",
  "https://LOCALHOST./",
  "https://receiver/",
  "https://receiver.local/",
  "https://receiver.internal/",
  "https://receiver.home.arpa/",
  "https://receiver.localhost/",
  "https://receiver.example./",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://0x7f000001/",
  "https://2130706433/",
  "https://0177.0.0.1/",
  "https://１２７.0.0.1/",
  " https://127.0.0.1/",
  "https:\\\\127.0.0.1\\",
  "https://127.0.0.1:443/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.0.0.1/",
  "https://192.0.2.1/",
  "https://192.168.0.1/",
  "https://198.18.0.1/",
  "https://198.51.100.1/",
  "https://203.0.113.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://[::]/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[64:ff9b:1::1]/",
  "https://[100::1]/",
  "https://[2001::1]/",
  "https://[2001:db8::1]/",
  "https://[2002:7f00:1::]/",
  "https://[fc00::1]/",
  "https://[fd12:3456::1]/",
  "https://[fe80::1]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://akimbo.example/hook",
];

describe("an address that nothing may be sent to", () => {
  test.each(FORBIDDEN)(
    "is refused when a webhook is made, and at every attempt: %s",
    async (url) => {
      const harness = harnessWith({ isDevelopment: false, publicUrl: "https://akimbo.example" });
      const hooks = await Hooks.open(harness);
      let calls = 0;
      const count = async () => {
        calls++;
        return new Response("ok");
      };
      harness.network = createFetch(harness.deps.config, count);
      const json = { url, events: ["suggestion.created"] };
      expect(await hooks.call("POST", "/webhooks", json)).toMatchObject({ status: 400 });
      const { id } = await hooks.subscribe();
      await env.DB.prepare("UPDATE webhooks SET url = ? WHERE id = ?").bind(url, id).run();
      await hooks.suggest();
      await harness.drainEvents();
      expect(calls).toBe(0);
      const log = await hooks.log(id);
      expect(log).toHaveLength(6);
      expect(log[0]).toMatchObject({ success: false, statusCode: null });
      expect(log[0].error).toMatch(/^Not sent: the address /);
      const answer = await hooks.call("POST", `/webhooks/${id}/test`);
      expect(answer.status).toBe(200);
      await harness.drainEvents();
      expect(calls).toBe(0);
    },
  );
});

let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.open();
});

const long = (characters: number) =>
  `${RECEIVER_URL}?${"x".repeat(characters)}`.slice(0, characters);
const create = (json: object) =>
  hooks.call("POST", "/webhooks", { url: RECEIVER_URL, events: ["suggestion.created"], ...json });

test.each<[string, object, number]>([
  ["a URL of 2,048 characters", { url: long(2_048) }, 200],
  ["a URL of 2,049 characters", { url: long(2_049) }, 400],
  ["no address", { url: "nope" }, 400],
  ["no URL", { url: undefined }, 400],
  ["no events", { events: [] }, 400],
  ["events that are no list", { events: "suggestion.created" }, 400],
  ["an unknown event", { events: ["suggestion.created", "upload.exploded"] }, 400],
  ["the ping", { events: ["webhook.ping"] }, 400],
  ["all events", { events: SUBSCRIBABLE }, 200],
  ["a secret of 15 characters", { secret: "x".repeat(15) }, 400],
  ["a secret of 16 characters", { secret: "x".repeat(16) }, 200],
  ["a secret of 256 characters", { secret: "x".repeat(256) }, 400],
  ["a secret with a line break", { secret: `${"x".repeat(16)}\n` }, 400],
  ["a field that does not exist", { teamId: 1 }, 400],
])("%j is answered as documented", async (_, json, status) => {
  expect((await create(json)).status).toBe(status);
});

test("an unknown event is refused with the names that there are", async () => {
  const { body } = await create({ events: ["upload.exploded"] });
  for (const name of SUBSCRIBABLE) expect(JSON.stringify(body)).toContain(name);
});

test("an address and an event that are both wrong are refused together", async () => {
  const { status, body } = await create({ url: "nope", events: ["upload.exploded"] });
  expect(status).toBe(400);
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    "url: is not a URL",
    expect.stringMatching(/^events.* must be one of /),
  ]);
});

test("a name that is listed twice counts once, and its event is sent once", async () => {
  const { body } = await create({ events: ["suggestion.created", "suggestion.created"] });
  expect(body.data.events).toEqual(["suggestion.created"]);
  await hooks.suggest();
  await hooks.harness.drainEvents();
  expect(hooks.arrivals).toHaveLength(1);
});

test.each(["0", "201", "-1", "1.5", "many", ""])("the log takes no limit of %j", async (limit) => {
  const { id } = await hooks.subscribe();
  const answer = await hooks.call("GET", `/webhooks/${id}/deliveries?limit=${limit}`);
  expect(answer.status).toBe(400);
});

test("somebody else's webhook is not found, whatever is asked of it", async () => {
  const { id } = await hooks.subscribe();
  await hooks.suggest();
  await hooks.harness.drainEvents();
  const [{ id: deliveryId }] = await hooks.log(id);
  const stranger = await createMember();
  const own = (
    await hooks.harness.call("POST", "/webhooks", {
      token: stranger.token,
      json: { url: RECEIVER_URL, events: ["suggestion.created"] },
    })
  ).body.data;
  const calls: [string, string, object?][] = [
    ["GET", `/webhooks/${id}/deliveries`],
    ["POST", `/webhooks/${id}/test`],
    ["POST", `/webhooks/${id}/rotate-secret`],
    ["PATCH", `/webhooks/${id}`, { isActive: false }],
    ["PATCH", `/webhooks/${id}`, { isActive: true }],
    ["DELETE", `/webhooks/${id}`],
    ["POST", `/webhooks/${id}/deliveries/${deliveryId}/replay`],
    ["POST", `/webhooks/${own.id}/deliveries/${deliveryId}/replay`],
  ];
  const before = await hooks.webhook(id);
  for (const [method, path, json] of calls) {
    const answer = await hooks.harness.call(method, path, { token: stranger.token, json });
    expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { success: false } });
  }
  expect(await hooks.webhook(id)).toEqual(before);
  expect(hooks.arrivals).toHaveLength(1);
});

test("the log is kept for 30 days, and goes in slices; that of a deleted webhook at once", async () => {
  const ids = [(await hooks.subscribe()).id, (await hooks.subscribe()).id];
  const [kept = 0, deleted = 0] = ids;
  const store = (webhookId: number, count: number) =>
    env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO attempts (webhook_id, id, team_id, event_id, event, attempt, success, duration_ms,
          created_at)
        SELECT ?2, 'dlv_' || printf('%012x', ?3) || printf('%016x', i), ?4, 'evt_1', 'x', 1, 1, 0, ?3 FROM n`,
    )
      .bind(count, webhookId, Date.now(), hooks.member.teamId)
      .run();
  await store(kept, 1_200);
  hooks.harness.advance(30 * DAY_SECONDS - 1);
  await store(kept, 3);
  await store(deleted, 700);
  const { deps } = hooks.harness;
  const sweep = async () => {
    let pages = 0;
    for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
      cursor = await forgetOldAttempts(deps, cursor);
    }
    return pages;
  };
  await sweep();
  expect(await hooks.count("attempts")).toBe(1_903);
  hooks.harness.advance(2);
  const answer = await hooks.call("DELETE", `/webhooks/${deleted}`);
  expect(answer.status).toBe(200);
  expect(await sweep()).toBeGreaterThanOrEqual(4);
  expect(await hooks.count("attempts")).toBe(3);
  await sweep();
  const rows = await env.DB.prepare("SELECT id FROM webhooks WHERE team_id = ?")
    .bind(hooks.member.teamId)
    .all<{ id: number }>();
  expect(rows.results).toEqual([{ id: kept }]);
});
