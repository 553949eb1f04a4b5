import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Instance, post, startInstance } from "./instance.ts";
import { playFullLoad, SCHEDULE } from "./loads.ts";
import { BEHAVIOURS, type BehaviourName, type Receiver, startReceiver } from "./receiver.ts";
import { TOKEN } from "./token.ts";
import { printCounts, type Verdicts } from "./verdicts.ts";
import type { Proof } from "./worlds.ts";

const CALL_MS = 10_000;
const PATIENCE_MS = 60_000;
const LOOK_MS = 50;
/** Source: spec, "Events", delivery rule 1; and what a timer may be late. */
const LONGEST_ATTEMPT_MS = 10_500;
const HEALTHY_P95_MS = 2_000;
const COMPLETED_P99_MS = 1_500;
/** Between two events, so that each meets a queue like that of every day. */
const EVENT_GAP_MS = 500;
const POST_GAP_MS = 300;
const POSTS_PER_ACCOUNT = 10;
/** Until an attempt that nobody answers has ended, and is stored. */
const ENDED_MS = 12_000;

const headers = { "x-api-key": TOKEN };

interface Attempt {
  eventId: string;
  attempt: number;
  success: boolean;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
}

/** One server with an empty database, and the receiver that its webhooks point at. */
class Site {
  readonly instance: Instance;
  readonly receiver: Receiver;

  private constructor(instance: Instance, receiver: Receiver) {
    this.instance = instance;
    this.receiver = receiver;
  }

  static async open({ script, folder }: Proof): Promise<Site> {
    const stateDir = await mkdtemp(join(folder, "hooks-"));
    const instance = await startInstance({ script, stateDir, clockOffset: 0, isNew: true });
    const site = new Site(instance, await startReceiver());
    await site.send("/prove/team");
    return site;
  }

  async send<T>(path: string, body?: object): Promise<T> {
    return (await post(this.instance, path, { body, headers, timeoutMs: CALL_MS })) as T;
  }

  async subscribe(endpoint: string, event: string): Promise<number> {
    const body = { url: this.receiver.url(endpoint), events: [event] };
    const { data } = await this.send<{ data: { id: number } }>("/api/v1/webhooks", body);
    return data.id;
  }

  async suggest(events: number): Promise<void> {
    for (let i = 0; i < events; i++) {
      await this.send("/api/v1/suggestions", { title: `Idea ${i}` });
      await sleep(EVENT_GAP_MS);
    }
  }

  async log(webhookId: number): Promise<Attempt[]> {
    const url = `${this.instance.origin}/api/v1/webhooks/${webhookId}/deliveries?limit=200`;
    const answer = await fetch(url, { headers });
    return ((await answer.json()) as { data: Attempt[] }).data;
  }

  /** Waits until `isThere`, or for a minute. */
  async until(isThere: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isThere() && performance.now() < deadline) await sleep(LOOK_MS);
  }

  async close(): Promise<void> {
    await this.instance.kill();
    await this.receiver.stop();
  }
}

/** Part W: webhooks against a real server, whose queue delivers one batch after another, and a real receiver. */
export async function playWebhooks(proof: Proof): Promise<void> {
  const startedAt = performance.now();
  for (const play of [playOneDead, playBadReceivers, playCompleted]) {
    const site = await Site.open(proof);
    try {
      await play(site, proof);
    } finally {
      await site.close();
    }
  }
  await playFullLoad(proof, SCHEDULE);
  console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function playOneDead(site: Site, { form, verdicts }: Proof): Promise<void> {
  const { endpoints, events } = form.webhooks;
  const names = Array.from({ length: endpoints - 1 }, (_, i) => `good-${i}`);
  for (const name of ["dead-0", ...names]) await site.subscribe(name, "suggestion.created");
  await site.suggest(events);
  const { taken } = site.receiver;
  const healthy = () => taken.filter(({ endpoint }) => endpoint !== "dead-0");
  await site.until(() => healthy().length >= events * names.length);
  const delays = healthy().map(({ delayMs }) => delayMs);
  const p95 = percentile(delays, 0.95);
  const distinct = new Set(healthy().map(({ endpoint, eventId }) => endpoint + eventId)).size;
  console.log(`\nOne dead endpoint among ${endpoints}, ${events} events`);
  verdicts.check(
    `F20  healthy: median ${seconds(percentile(delays, 0.5))}, p95 ${seconds(p95)}, longest ${seconds(Math.max(...delays))}; the dead one was tried ${taken.length - delays.length} times`,
    p95 <= HEALTHY_P95_MS,
  );
  verdicts.check(
    `F20  ${distinct} of ${events * names.length} arrived, ${delays.length - distinct} of them twice`,
    distinct === events * names.length,
  );
}

async function playBadReceivers(site: Site, { form, verdicts }: Proof): Promise<void> {
  const events = form.webhooks.badEvents;
  const ids = new Map<string, number>();
  for (const name of Object.keys(BEHAVIOURS)) {
    ids.set(name, await site.subscribe(`${name}-0`, "suggestion.created"));
  }
  await site.suggest(events);
  await sleep(ENDED_MS);
  console.log(`\nReceivers of every kind, ${events} events each`);
  const attempts: Attempt[] = [];
  for (const [name, id] of ids) {
    const readAt = Date.now();
    const log = await site.log(id);
    attempts.push(...log);
    judgeLog(verdicts, site.receiver, { name: name as BehaviourName, log, events, readAt });
  }
  const longest = Math.max(...attempts.map(({ durationMs }) => durationMs));
  verdicts.check(
    `F19  the longest of ${attempts.length} attempts took ${seconds(longest)}`,
    longest <= LONGEST_ATTEMPT_MS && attempts.length > 0,
  );
  verdicts.check(
    `F19  ${site.receiver.followed.length} redirects were followed`,
    site.receiver.followed.length === 0,
  );
}

/** The only outcomes that attempts at such a receiver can have. */
const OUTCOMES: Record<BehaviourName, string[]> = {
  good: ["200"],
  flaky: ["200", "500"],
  dead: ["No answer within 10 seconds."],
  hanging: ["No answer within 10 seconds."],
  dripping: ["No answer within 10 seconds."],
  trickling: ["200"],
  redirecting: ["302"],
  large: ["200"],
  resetting: ["The connection was closed before an answer."],
};

interface Logged {
  name: BehaviourName;
  log: readonly Attempt[];
  events: number;
  readAt: number;
}

function judgeLog(
  verdicts: Verdicts,
  { taken }: Receiver,
  { name, log, events, readAt }: Logged,
): void {
  const arrivals = taken.filter(({ endpoint }) => endpoint === `${name}-0`);
  const arrived = arrivals.length;
  const unfinished = arrivals.filter(({ at }) => at > readAt - ENDED_MS).length;
  const outcomes: Record<string, number> = {};
  for (const { statusCode, error } of log) {
    const outcome = String(statusCode ?? error);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const first = new Set(log.filter(({ attempt }) => attempt === 1).map(({ eventId }) => eventId));
  const isExpected = Object.keys(outcomes).every((outcome) => OUTCOMES[name].includes(outcome));
  printCounts(name, outcomes);
  // An endpoint that times out gets its turn later: not every event has been sent yet.
  const isSlow = ["dead", "hanging", "dripping"].includes(name);
  verdicts.check(
    `F19  ${name}: ${arrived} requests, ${log.length} in the log, of ${first.size} events`,
    log.length <= arrived &&
      log.length >= arrived - (isSlow ? unfinished : 0) &&
      isExpected &&
      (isSlow ? first.size > 0 : first.size === events),
  );
}

async function playCompleted(site: Site, { form, verdicts }: Proof): Promise<void> {
  const { posts } = form.webhooks;
  await site.subscribe("good-0", "upload.completed");
  const accounts: string[] = [];
  for (let i = 0; i < Math.ceil(posts / POSTS_PER_ACCOUNT); i++) {
    const account = { platform: "bluesky", sandbox: true, name: `account${i}` };
    const { data } = await site.send<{ data: { id: string } }>("/api/v1/accounts", account);
    accounts.push(data.id);
  }
  for (let i = 0; i < posts; i++) {
    const fields = new FormData();
    fields.set("accountId", accounts[i % accounts.length] ?? "");
    fields.set("description", `Post ${i}`);
    const answer = await fetch(`${site.instance.origin}/api/v1/upload`, {
      ...{ method: "POST", headers, body: fields },
    });
    if (!answer.ok) throw new Error(`A post was answered ${await answer.text()}`);
    await sleep(POST_GAP_MS);
  }
  const { taken } = site.receiver;
  await site.until(() => taken.length >= posts);
  const delays = taken.map(({ delayMs }) => delayMs);
  const p99 = percentile(delays, 0.99);
  console.log(`\nFrom a completed post to the arrival of its event, ${posts} posts`);
  verdicts.check(
    `W1   ${taken.length} of ${posts} arrived: median ${seconds(percentile(delays, 0.5))}, p99 ${seconds(p99)}`,
    p99 < COMPLETED_P99_MS && taken.length === posts,
  );
}
