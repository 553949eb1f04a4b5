import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { inProject } from "../../src/cli/paths.ts";
import { runProject } from "./programs.ts";
import { type Rehearsal, type Step, until } from "./rehearsal.ts";
import { refusedByWrangler } from "./wrangler-refusals.ts";

const EXPECTED_SECRETS = [
  "BLUESKY_KEY",
  "ENCRYPTION_KEYS",
  "SIGNING_KEY",
  "VAPID_PRIVATE_KEY",
  "VAPID_PUBLIC_KEY",
];

async function deployFirst(rehearsal: Rehearsal): Promise<string> {
  const { code, output } = await rehearsal.deploy();
  assert.equal(code, 0, output);
  rehearsal.token = /kmb_[0-9a-f]{64}/.exec(output)?.[0] ?? "";
  assert.ok(rehearsal.token, output);
  const calls = await rehearsal.edge.account.takeCalls();
  assert.deepEqual(
    calls.filter(({ code }) => code === 7_003),
    [],
    "the stand-in knows each call",
  );
  const secrets = await rehearsal.edge.account.secrets();
  assert.deepEqual([...secrets.keys()].sort(), EXPECTED_SECRETS);
  const { scripts } = await rehearsal.edge.account.state();
  const version = scripts[0]?.versions[0];
  assert.ok(version);
  const parts = version.modules.filter(({ name }) => name.endsWith(".js"));
  const maps = version.modules.filter(({ name }) => name.endsWith(".map"));
  return `${parts.length} modules and ${maps.length} source maps, ${Object.keys(version.assets?.manifest ?? {}).length} assets; ${calls.length} calls`;
}

async function answerHealth(rehearsal: Rehearsal): Promise<string> {
  await rehearsal.setSecret("SANDBOX", "on");
  const ran = await rehearsal.edge.account.runCron();
  assert.deepEqual(ran, [{ cron: "* * * * *", outcome: "ok" }]);
  const health = await rehearsal.call<{ status: string; lastCronTickAt: string }>("GET", "/health");
  assert.equal(health.status, "ok");
  return `last tick ${health.lastCronTickAt}`;
}

async function publishDemo(rehearsal: Rehearsal): Promise<string> {
  const { edge, token } = rehearsal;
  const env = { AKIMBO_URL: edge.url, AKIMBO_TOKEN: token };
  const { code, output } = await runProject(edge, "src/cli/demo.ts", [], env);
  assert.equal(code, 0, output);
  const [result = "", published] = /(\d+) of \1 published in [\d.]+ s/.exec(output) ?? [];
  assert.ok(Number(published) > 20, output);
  rehearsal.posts += Number(published);
  await rehearsal.checkPosts();
  return result;
}

async function followShortLink(rehearsal: Rehearsal): Promise<string> {
  const destination = "https://example.com/shop";
  const link = await rehearsal.call<{ id: number }>("POST", "/api/v1/short-links", {
    url: destination,
    slug: "rehearsal",
  });
  const visit = await rehearsal.fetch("/s/rehearsal");
  assert.equal(visit.headers.get("location"), destination);
  // The click comes by a queue.
  await until(async () => {
    const path = `/api/v1/short-links/${link.id}`;
    return (await rehearsal.call<{ clicks: number }>("GET", path)).clicks === 1;
  });
  return `${visit.status} to ${destination}, 1 click counted`;
}

interface Rpc {
  result: {
    protocolVersion?: string;
    tools?: { name: string }[];
    isError?: boolean;
    content?: { text?: string }[];
  };
}

async function answerAgents(rehearsal: Rehearsal): Promise<string> {
  const ask = async (method: string, params: object): Promise<Rpc["result"]> =>
    (await rehearsal.call<Rpc>("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params })).result;
  const { protocolVersion } = await ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "rehearsal", version: "1" },
  });
  const { tools = [] } = await ask("tools/list", {});
  const listed = await ask("tools/call", { name: "list_accounts", arguments: {} });
  assert.ok(!listed.isError && listed.content?.[0]?.text?.includes("bluesky"));
  return `protocol ${protocolVersion}, ${tools.length} tools, one used`;
}

async function servePages(rehearsal: Rehearsal): Promise<string> {
  const page = await rehearsal.fetch("/");
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.match(html, /<html/);
  const { scripts } = await rehearsal.edge.account.state();
  const manifest = scripts[0]?.versions.at(-1)?.assets?.manifest ?? {};
  const path = Object.keys(manifest).find((name) => name.startsWith("/app/islands/"));
  assert.ok(path);
  const asset = await rehearsal.fetch(path);
  assert.equal(asset.status, 200, path);
  const sum = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");
  const served = new Uint8Array(await asset.arrayBuffer());
  assert.equal(sum(served), sum(await readFile(inProject(".assets", path))));
  return `the front page, and ${path}`;
}

const HALF_A_MINUTE_MS = 30_000;

/** A post waits for its time when the power goes; the next tick finds it. */
async function surviveKill(rehearsal: Rehearsal): Promise<string> {
  const [account] = await rehearsal.edge.account.query(
    "SELECT id FROM accounts WHERE platform = 'bluesky'",
  );
  const form = new FormData();
  form.set("accountId", String(account?.id));
  form.set("description", "Planned before a power cut");
  form.set("schedule_date", new Date(Date.now() + HALF_A_MINUTE_MS).toISOString());
  await rehearsal.call("POST", "/api/v1/upload", form);
  rehearsal.posts++;
  const before = await rehearsal.counts();
  await rehearsal.edge.kill();
  await rehearsal.edge.restart();
  assert.deepEqual(await rehearsal.counts(), before);
  const health = await rehearsal.call<{ lastCronTickAt: string | null }>("GET", "/health");
  assert.ok(health.lastCronTickAt, "a Durable Object kept its state");
  return `${before.uploads} posts and ${before.events} events are there`;
}

async function deployAgain(rehearsal: Rehearsal): Promise<string> {
  const { account } = rehearsal.edge;
  const before = await rehearsal.counts();
  const secrets = await account.secrets();
  await account.takeCalls();
  const { code, output } = await rehearsal.deploy();
  assert.equal(code, 0, output);
  assert.match(output, /no backup is needed/);
  const calls = await account.takeCalls();
  const made = calls
    .filter(
      ({ method, path }) =>
        method !== "GET" && /\/(versions|deployments|akimbo)\b(?!\/)/.test(path),
    )
    .map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`);
  assert.ok(made.includes("POST /workers/scripts/akimbo/versions"), made.join("\n"));
  assert.ok(made.includes("POST /workers/scripts/akimbo/deployments"), made.join("\n"));
  assert.ok(!made.includes("PUT /workers/scripts/akimbo"), made.join("\n"));
  assert.deepEqual(await rehearsal.counts(), before);
  assert.deepEqual(await account.secrets(), secrets);
  await rehearsal.settle();
  await rehearsal.checkPosts();
  return `${calls.length} calls; ${rehearsal.posts} posts, each out once`;
}

/** A table is out of reach for a moment, so that the deployed script meets an error that it does not expect. */
async function mapErrors(rehearsal: Rehearsal): Promise<string> {
  const { account } = rehearsal.edge;
  await account.query("ALTER TABLE short_links RENAME TO hidden_links");
  const response = await rehearsal.fetch("/api/v1/short-links", {
    headers: { "x-api-key": rehearsal.token },
  });
  await account.query("ALTER TABLE hidden_links RENAME TO short_links");
  // A missing table may be one that a migration is still to make.
  assert.equal(response.status, 503);
  const [error] = (await account.errors()).slice(-1);
  assert.ok(error, "the error is logged");
  const [place] = error.frames.filter((frame) => frame.startsWith("src/"));
  assert.ok(place, error.message);
  await readFile(inProject(place.replace(/:\d+$/, "")));
  return `an error leads to ${error.frames.join(", ")}`;
}

async function refuseWrongUploads(rehearsal: Rehearsal): Promise<string> {
  const refused = await refusedByWrangler(rehearsal, [
    "an unknown flag",
    "a class that is not exported",
  ]);
  return refused.join("; ");
}

export const STEPS: Step[] = [
  ["npm run deploy, from nothing", deployFirst],
  ["a schedule and /health", answerHealth],
  ["npm run demo", publishDemo],
  ["a short link", followShortLink],
  ["/mcp", answerAgents],
  ["pages and assets", servePages],
  ["kill -9 and a start", surviveKill],
  ["npm run deploy, again", deployAgain],
  ["source maps", mapErrors],
  ["refused by the account", refuseWrongUploads],
];
