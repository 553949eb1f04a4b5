import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SUBSCRIBABLE } from "../../src/features/events/catalogue.ts";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo, startBare } from "./instance.ts";
import { cpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MAX_CPU_MICROS = 450;
const BATCH_SIZE = 10;
const BATCHES = 100;
const ROUNDS = 8;
/** Deliveries that wait for one receiver, which is dead, over the next hour. */
const LINE = 100_000;
const HEALTHY_EVENTS = 60;
const EVENT_GAP_MS = 150;
const PATIENCE_MS = 20_000;
const NAMES = SUBSCRIBABLE.slice(0, BATCH_SIZE);

/** Lets a call stand for a batch of messages or for the cron trigger. */
const ENTRY = `
import worker from "./worker.js";
export * from "./worker.js";
export default { ...worker, fetch: async (request, env, context) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/bench/batch") {
    const messages = (await request.json()).map((key) => ({ body: { kind: "deliver", due: [key] } }));
    const retryAll = () => { throw new Error("The batch was refused."); };
    await worker.queue({ queue: "akimbo-webhooks", messages, ackAll() {}, retryAll }, env, context);
  } else if (pathname === "/bench/tick") await worker.scheduled({}, env, context);
  else return worker.fetch(request, env, context);
  return new Response(null, { status: 204 });
} };`;

/** A Worker that does nothing but send: what no attempt can do without. */
const bareScript = (url: string) => `export default { fetch: async () => {
  await Promise.all(Array.from({ length: ${BATCH_SIZE} }, async () => {
    const body = '{"createdAt":0}';
    const signal = AbortSignal.timeout(10_000);
    const reply = await fetch("${url}", { method: "POST", body, redirect: "manual", signal });
    await reply.body?.cancel();
  }));
  return new Response(null, { status: 204 });
} };`;

async function startReceiver(workspace: Workspace) {
  const delays: number[] = [];
  const server = createServer((request, response) => {
    const at = Date.now();
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (request.url === "/dead") return;
      delays.push(at - Date.parse(JSON.parse(text).createdAt));
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  workspace.onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { delays, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function call(instance: Instance, path: string, body: object, token = ""): Promise<void> {
  const headers = { "x-api-key": token, "content-type": "application/json" };
  const answer = await fetch(instance.url + path, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
}

/** Measures what an attempt takes of the server's CPU, and what a long line does to other receivers. */
export async function measureDeliveries(workspace: Workspace, bundle: Bundle): Promise<Row[]> {
  const receiver = await startReceiver(workspace);
  const instance = await startAkimbo(workspace, { bundle, entry: ENTRY });
  const team = await createTeam(instance, 1);
  for (const [i, name] of NAMES.entries()) {
    const webhook = { url: `${receiver.origin}/${i}`, events: [name] };
    await call(instance, "/api/v1/webhooks", webhook, team.token);
  }
  const bare = await startBare(workspace, bareScript(receiver.origin));
  let lowest = Number.POSITIVE_INFINITY;
  let lowestBare = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const bareMicros = await measureBare(bare);
    const micros = await measureBatches(instance, team, round);
    if (round === 0) continue;
    lowest = Math.min(lowest, micros);
    lowestBare = Math.min(lowestBare, bareMicros);
  }
  await bare.stop();
  const micros = (value: number) => `${Math.round(value)} µs`;
  const rows = [
    note(`CPU of one attempt, in batches of ${BATCH_SIZE}`, micros(lowest)),
    note("CPU of the bare request in it, by a Worker that does nothing else", micros(lowestBare)),
    atMost("CPU of one attempt beside its request", lowest - lowestBare, MAX_CPU_MICROS, " µs"),
  ];
  rows.push(...(await measureLine(instance, team, receiver)));
  await instance.stop();
  return rows;
}

async function measureBare(instance: Instance): Promise<number> {
  const before = cpuMs(instance.pid);
  for (let batch = 0; batch < BATCHES; batch++) await call(instance, "/", {});
  return ((cpuMs(instance.pid) - before) * 1_000) / (BATCHES * BATCH_SIZE);
}

/** Number of a round's first event: ids sort by it, before all events of today. */
const firstOf = (round: number) => round * BATCHES * BATCH_SIZE;

const hex16 = (number: number) => number.toString(16).padStart(16, "0");

async function measureBatches(instance: Instance, team: Team, round: number): Promise<number> {
  const at = Date.now() + 1_000;
  const id = (i: number) => `evt_${hex16(firstOf(round) + i)}`;
  const attempts = BATCHES * BATCH_SIZE;
  await instance.store([
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${attempts - 1})
      INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${team.id}, 'evt_' || printf('%016x', ${firstOf(round)} + i), '${JSON.stringify(NAMES)}' ->> (i % ${BATCH_SIZE}),
        '{"uploadId":1,"platform":"bluesky","accountId":"acc_1","status":"completed"}', ${at} FROM n`,
  ]);
  const before = cpuMs(instance.pid);
  for (let batch = 0; batch < BATCHES; batch++) {
    const keys = NAMES.map((_, i) => [at, id(batch * BATCH_SIZE + i)]);
    await call(instance, "/bench/batch", keys);
  }
  return ((cpuMs(instance.pid) - before) * 1_000) / attempts;
}

async function measureLine(
  instance: Instance,
  team: Team,
  { delays, origin }: Awaited<ReturnType<typeof startReceiver>>,
): Promise<Row[]> {
  await call(
    instance,
    "/api/v1/webhooks",
    { url: `${origin}/healthy`, events: ["suggestion.created"] },
    team.token,
  );
  const medianOf = async () => {
    delays.length = 0;
    for (let i = 0; i < HEALTHY_EVENTS; i++) {
      if (i % 30 === 0) await call(instance, "/bench/tick", {});
      await call(instance, "/api/v1/suggestions", { title: "Idea" }, team.token);
      await sleep(EVENT_GAP_MS);
    }
    const patience = Date.now() + PATIENCE_MS;
    while (delays.length < HEALTHY_EVENTS && Date.now() < patience) await sleep(20);
    const sorted = delays.toSorted((a, b) => a - b);
    return { median: sorted[sorted.length >> 1] ?? 0, p95: sorted[57] ?? 0, count: sorted.length };
  };
  await medianOf();
  const without = await medianOf();
  const now = Date.now();
  await call(
    instance,
    "/api/v1/webhooks",
    { url: `${origin}/dead`, events: ["team.invite"] },
    team.token,
  );
  await instance.store([
    `UPDATE webhooks SET timeouts = 6 WHERE url LIKE '%/dead'`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${LINE - 1})
      INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
      SELECT ${now} - 62000 + i * 36, 'evt_' || printf('%016x', ${firstOf(1)} + i % 1000), w.id, ${team.id}, 'event', ${now} + i
      FROM n, webhooks w WHERE w.url LIKE '%/dead'`,
  ]);
  const line = await medianOf();
  const toText = ({ median, p95, count }: typeof line) => `${median} ms, p95 ${p95} ms (${count})`;
  return [
    note("event to arrival, median", toText(without)),
    note(`the same beside a dead receiver with ${LINE.toLocaleString("en")} waiting`, toText(line)),
  ];
}
