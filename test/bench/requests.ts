import { setTimeout as sleep } from "node:timers/promises";
import { capabilities } from "../../src/platforms/bluesky/capabilities.ts";
import { loadPosts } from "../costs/workload.ts";
import { agentCall } from "./agent-call.ts";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo, startBare } from "./instance.ts";
import { type Call, forSeconds, load } from "./load.ts";
import { type Platform, startPlatform } from "./platform.ts";
import { cpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

export interface Effort {
  rounds: number;
  seconds: number;
  posts: number;
}

const LIMIT = 100;
const MAX_LIST_RATIO = 40;
const MAX_POST_RATIO = 90;
const MAX_PAGE_RATIO = 1.5;
/** Addresses that calls come from in turn: each stays within the everyday quota of 100 per window. */
const ADDRESSES = 64;
const QUOTA = JSON.stringify({ read: { limit: 100, windowSeconds: 1 } });

/** One thing measured: µs of the server's CPU for each call of a round. */
type Round = () => Promise<number>;

async function cpuPerCall(instance: Instance, work: () => Promise<number>): Promise<number> {
  const before = cpuMs(instance.pid);
  const calls = await work();
  return ((cpuMs(instance.pid) - before) * 1_000) / calls;
}

function rounds(instance: Instance, effort: Effort, callNumber: (i: number) => Call): Round {
  return () =>
    cpuPerCall(instance, () => load(instance.url, callNumber, forSeconds(effort.seconds)));
}

const bareCall = (): Call => ({ method: "GET", path: "/", status: 302 });

const listCall =
  ({ token }: Team) =>
  (i: number): Call => ({
    method: "GET",
    path: `/api/v1/upload?limit=${LIMIT}`,
    headers: { "x-api-key": token, "cf-connecting-ip": `192.0.2.${i % ADDRESSES}` },
    status: 200,
  });

/** The same posts as a page that a person looks at. */
const pageCall =
  ({ cookie }: Team) =>
  (i: number): Call => ({
    method: "GET",
    path: `/app/uploads?limit=${LIMIT}`,
    headers: { cookie, "cf-connecting-ip": `192.0.2.${i % ADDRESSES}` },
    status: 200,
  });

const accountsCall =
  ({ token }: Team) =>
  (): Call => ({
    ...{ method: "GET", path: "/api/v1/accounts", status: 200 },
    headers: { "x-api-key": token },
  });

async function startWithPosts(workspace: Workspace, bundle: Bundle, rateLimits: string) {
  const variables = { RATE_LIMITS: rateLimits };
  const stateDir = await workspace.memoryFolder();
  const instance = await startAkimbo(workspace, { bundle, variables, stateDir });
  const team = await createTeam(instance, 1);
  await instance.store(
    loadPosts({ firstTeam: team.id, teams: 1, rows: LIMIT, firstId: 1, from: Date.now() }),
  );
  return { instance, team };
}

/** Accounts enough that no daily cap is reached; their ids. */
async function connectAccounts(
  instance: Instance,
  team: Team,
  platform: Platform,
  posts: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < Math.ceil(posts / capabilities.dailyPostCap) * 2; i++) {
    const response = await fetch(`${instance.url}/api/v1/accounts`, {
      method: "POST",
      headers: { "x-api-key": team.token, "content-type": "application/json" },
      body: JSON.stringify({
        platform: "bluesky",
        service: platform.origin,
        credentials: { accessToken: `account${i}` },
      }),
    });
    const answer = (await response.json()) as { data?: { id: string }; error?: string };
    if (!answer.data) throw new Error(`Connecting an account: ${answer.error}`);
    ids.push(answer.data.id);
  }
  return ids;
}

const BOUNDARY = "akimbo-bench";

function createCall(team: Team, accountId: string, text: string): Call {
  const fields = Object.entries({ accountId, description: text }).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    method: "POST",
    path: "/api/v1/upload",
    headers: {
      "x-api-key": team.token,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: `${fields.join("")}--${BOUNDARY}--\r\n`,
    status: 200,
  };
}

const PUBLISH_DEADLINE_MS = 60_000;
/** The outcome of the last post is written after the platform has answered. */
const LAST_WRITE_MS = 300;

async function waitForPosts(platform: Platform, count: number): Promise<void> {
  const deadline = performance.now() + PUBLISH_DEADLINE_MS;
  while (platform.posts() < count) {
    if (performance.now() > deadline) throw new Error(`${platform.posts()} of ${count} posts came`);
    await sleep(20);
  }
  await sleep(LAST_WRITE_MS);
}

/** Posts by call, queue and platform; the platform runs in this process and is not counted. */
async function startPosting(workspace: Workspace, bundle: Bundle, effort: Effort) {
  const platform = await startPlatform(workspace);
  const stateDir = await workspace.memoryFolder();
  const instance = await startAkimbo(workspace, { bundle, stateDir });
  const team = await createTeam(instance, 1);
  const accounts = await connectAccounts(
    instance,
    team,
    platform,
    effort.posts * (effort.rounds + 1),
  );
  let number = 0;
  let seconds = 0;
  const round: Round = () =>
    cpuPerCall(instance, async () => {
      const until = platform.posts() + effort.posts;
      const startedAt = performance.now();
      const nextCall = () => {
        const accountId = accounts[number % accounts.length] ?? "";
        return createCall(team, accountId, `Post number ${number++}`);
      };
      // 16 connections may each have begun one call more than was asked for.
      const created = await load(instance.url, nextCall, (sent) => sent >= effort.posts);
      await waitForPosts(platform, until + created - effort.posts);
      seconds = (performance.now() - startedAt - LAST_WRITE_MS) / 1_000;
      return created;
    });
  return { round, perSecond: () => effort.posts / seconds };
}

/** CPU of the server by call, against a bare Worker in the same rounds; the lowest of each. */
export async function measureRequests(
  workspace: Workspace,
  bundle: Bundle,
  effort: Effort,
): Promise<Row[]> {
  const bare = await startBare(workspace);
  const open = await startWithPosts(workspace, bundle, "off");
  const limited = await startWithPosts(workspace, bundle, QUOTA);
  const posting = await startPosting(workspace, bundle, effort);
  const measured = {
    bare: rounds(bare, effort, bareCall),
    open: rounds(open.instance, effort, listCall(open.team)),
    page: rounds(open.instance, effort, pageCall(open.team)),
    accounts: rounds(open.instance, effort, accountsCall(open.team)),
    tool: rounds(open.instance, effort, () => agentCall("tools/call", open.team.token)),
    tools: rounds(open.instance, effort, () => agentCall("tools/list", open.team.token)),
    limited: rounds(limited.instance, effort, listCall(limited.team)),
    posting: posting.round,
  };
  const names = Object.keys(measured) as (keyof typeof measured)[];
  const lowest = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  for (const name of names) await measured[name]();
  for (let i = 0; i < effort.rounds; i++) {
    for (const name of names) {
      lowest[name] = Math.min(lowest[name] ?? 0, await measured[name]());
    }
  }
  const {
    bare: base = 0,
    open: list = 0,
    page = 0,
    accounts = 0,
    tool = 0,
    tools = 0,
    limited: counted = 0,
    posting: post = 0,
  } = lowest;
  const micros = (value: number) => `${Math.round(value)} µs`;
  const compared = (what: string, value: number, limit: number): Row[] => [
    note(what, micros(value)),
    atMost(`${what}, ÷ bare`, value / base, limit),
  ];
  return [
    note("bare 302", micros(base)),
    ...compared(`GET /upload?limit=${LIMIT}`, list, MAX_LIST_RATIO),
    note(`GET /app/uploads?limit=${LIMIT}`, micros(page)),
    atMost("that page, ÷ the same as JSON", page / list, MAX_PAGE_RATIO),
    note("GET /accounts", micros(accounts)),
    note("POST /mcp, list_accounts", micros(tool)),
    note("POST /mcp, tools/list", micros(tools)),
    ...compared(`GET /upload?limit=${LIMIT}, calls counted`, counted, MAX_LIST_RATIO),
    ...compared("text post from call to completed", post, MAX_POST_RATIO),
    note("text posts a second, 16 in flight", posting.perSecond().toFixed(0)),
  ];
}
