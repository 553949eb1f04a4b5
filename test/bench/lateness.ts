import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MAX_LATE_SECONDS = 1;
const POSTS_PER_ACCOUNT = 100;
/** Far enough ahead that everything is planned before, and within the look-ahead of a tick. */
const DUE_AFTER_SECONDS = 15;
const PATIENCE_MS = 60_000;

/** Lets a call stand for the cron trigger. */
const TICKER = `
import worker from "./worker.js";
export * from "./worker.js";
export default { ...worker, fetch: async (request, env, context) => {
  if (new URL(request.url).pathname !== "/bench/tick") return worker.fetch(request, env, context);
  await worker.scheduled({ cron: "* * * * *" }, env, context);
  return new Response(null, { status: 204 });
} };`;

/** An account's server that tells when each post arrived, epoch milliseconds. */
async function startClockedPlatform(workspace: Workspace) {
  const arrivals: number[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith("putRecord")) arrivals.push(Date.now());
    request.resume();
    request.on("end", () => {
      const name = request.headers.authorization?.replace("Bearer ", "") ?? "nobody";
      const did = `did:plc:${name}`;
      const uri = `at://${did}/app.bsky.feed.post/3l`;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ did, handle: `${name}.example.com`, uri, cid: "bafy" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  workspace.onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { arrivals, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function call(instance: Instance, token: string, path: string, body: FormData | object) {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${instance.url}/api/v1${path}`, {
    method: "POST",
    headers: { "x-api-key": token, ...(isForm ? {} : { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { data: { id: string; uploadId: number } };
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Measures how late posts reach the platform that are all due in the same second. */
export async function measureLateness(
  workspace: Workspace,
  bundle: Bundle,
  posts: number,
): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, entry: TICKER });
  const { token } = await createTeam(instance, 1);
  const platform = await startClockedPlatform(workspace);
  const dueAt = Math.ceil(Date.now() / 1_000 + DUE_AFTER_SECONDS) * 1_000;
  for (let i = 0; i < Math.ceil(posts / POSTS_PER_ACCOUNT); i++) {
    const account = await call(instance, token, "/accounts", {
      platform: "bluesky",
      service: platform.origin,
      credentials: { accessToken: `account${i}` },
    });
    const fields = new FormData();
    fields.set("accountId", account.data.id);
    fields.set("description", "Post");
    fields.set("schedule_date", new Date(dueAt).toISOString());
    const first = await call(instance, token, "/upload", fields);
    const columns = `team_id, account_id, platform, status, status_group, description, settings,
      media, sort_at, created_at, scheduled_for, due_at`;
    await instance.store([
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${POSTS_PER_ACCOUNT})
        INSERT INTO uploads (${columns}) SELECT ${columns} FROM uploads, n
        WHERE id = ${first.data.uploadId}`,
    ]);
  }
  await fetch(`${instance.url}/bench/tick`);
  const patience = Date.now() + PATIENCE_MS;
  while (platform.arrivals.length < posts && Date.now() < patience) await sleep(100);
  await instance.stop();

  const late = platform.arrivals.map((at) => (at - dueAt) / 1_000).sort((a, b) => a - b);
  const early = late.filter((seconds) => seconds < 0).length;
  const what = `${posts.toLocaleString("en")} posts due in one second`;
  const seconds = (value: number) => `${value.toFixed(2)} s`;
  return [
    atMost(`${what}: early`, early, 0),
    atMost(`${what}: not out`, posts - late.length, 0),
    atMost(
      `${what}: p99 until the platform is called`,
      percentile(late, 0.99),
      MAX_LATE_SECONDS,
      " s",
    ),
    note(
      "the first, the tenth and the hundredth of them",
      [0, 9, 99].map((i) => seconds(late[i] ?? 0)).join(", "),
    ),
    note(
      "posts a second, with a queue that delivers one batch of 5 after another",
      String(Math.round(late.length / Math.max(0.001, percentile(late, 0.99)))),
    ),
  ];
}
