import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { subscribeReceiver } from "../../src/cli/demo-webhook.ts";

const SECRET = `whsec_${"1".repeat(64)}`;

interface Arrival {
  event: string;
  eventId: string;
  isTrusted: boolean;
  problem: string | null;
  body: string;
}

let arrivals: Arrival[];
let hasReceiver: boolean;
let webhooks: { id: number; url: string; secret?: string; events?: string[] }[];
let origin: string;

/** An instance, as far as the demo's webhook sees it. */
const server = createServer((_, response) => {
  response.writeHead(hasReceiver ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify({ url: `${origin}/sandbox/webhook`, secret: SECRET, arrivals }));
});

before(async () => {
  server.listen(0, "localhost");
  await once(server, "listening");
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  arrivals = [];
  hasReceiver = true;
  webhooks = [];
});

const subscribe = () =>
  subscribeReceiver(
    {
      origin,
      listWebhooks: async () => [...webhooks],
      createWebhook: async (webhook) => {
        webhooks.push({ id: 7, ...webhook });
        return 7;
      },
      deleteWebhook: async (id) => {
        webhooks = webhooks.filter((one) => one.id !== id);
      },
    },
    300,
  );

function arrive(event: string, uploadId: number, problem: string | null = null) {
  const eventId = `evt_${event}_${uploadId}`;
  const body = JSON.stringify({ id: eventId, event, data: { uploadId } });
  arrivals.push({ event, eventId, isTrusted: problem === null, problem, body });
}

const OUTCOMES = [
  { uploadId: 1, status: "completed" },
  { uploadId: 2, status: "completed" },
  { uploadId: 3, status: "failed" },
] as const;

test("counts the events of the demo's posts, each once, and ends its webhook", async () => {
  const own = { id: 1, url: `${origin}/sandbox/webhook` };
  webhooks = [own, { id: 2, url: `${origin}/sandbox/webhook?from=demo` }];
  const webhook = await subscribe();
  assert.deepEqual(
    webhooks.map(({ id }) => id),
    [1, 7],
  );
  assert.equal(webhooks[1]?.secret, SECRET);
  assert(webhooks[1]?.events?.every((name) => name.startsWith("upload.")));
  for (const { uploadId, status } of OUTCOMES) arrive(`upload.${status}`, uploadId);
  arrive("upload.completed", 1);
  arrive("upload.completed", 99, "Somebody else's.");
  arrivals.push({ event: "", eventId: "", isTrusted: false, problem: "No event.", body: "?" });
  assert.equal(
    await webhook?.report(OUTCOMES),
    "Webhooks that arrived, all signatures valid: 2 × upload.completed, 1 × upload.failed.",
  );
  await webhook?.end();
  assert.deepEqual(webhooks, [own]);
});

test("waits for events, and names those that are missing", async () => {
  const webhook = await subscribe();
  arrive("upload.completed", 1);
  await assert.rejects(async () => webhook?.report(OUTCOMES), {
    message: "Webhooks that did not arrive in time: upload.completed 2, upload.failed 3.",
  });
});

test("an event of another outcome is none", async () => {
  const webhook = await subscribe();
  arrive("upload.failed", 1);
  await assert.rejects(async () => webhook?.report([{ uploadId: 1, status: "completed" }]), {
    message: "Webhooks that did not arrive in time: upload.completed 1.",
  });
});

test("a signature that is not valid is a problem", async () => {
  const webhook = await subscribe();
  arrive("upload.completed", 1, "It is not signed.");
  await assert.rejects(async () => webhook?.report([{ uploadId: 1, status: "completed" }]), {
    message: "The webhook upload.completed is not to be trusted. It is not signed.",
  });
});

test("an instance without a receiver is left alone", async () => {
  hasReceiver = false;
  assert.equal(await subscribe(), null);
  assert.deepEqual(webhooks, []);
});
