import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../src/cli/random.ts";
import { capabilities } from "../../src/platforms/bluesky/capabilities.ts";
import { arrivalsIn, type Shown } from "./feed.ts";
import { type Arrival, type Evidence, isUndecided, judge, type UploadState } from "./findings.ts";
import { type Instance, post, startInstance } from "./instance.ts";
import { LivePlatform } from "./live-platform.ts";
import { countParts, isRefused, partsOf } from "./part-findings.ts";
import { addParts, followingOf } from "./parts.ts";
import type { Protocol } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";
import { TOKEN } from "./token.ts";
import { printCounts } from "./verdicts.ts";
import { type Proof, showEvidence } from "./worlds.ts";

/** Below every platform's daily cap. */
const POSTS_PER_ACCOUNT = 10;
/** Words for the simulated platforms: a lost reply, a fall. */
const STEERING = ["", "", "", " [sandbox:lost_reply]", " [sandbox:5xx=1]"];
/** How long a server lives before it is killed. */
const LIFE_MS = [150, 1_500] as const;
/** A start takes this long on a machine with nothing else to do; a busier one lives longer for it. */
const START_MS = 1_600;
/** Calls that are sent in the last moment of a life, and how long that moment is at most. */
const LAST_CALLS = 5;
const LAST_MS = 200;
/** How far the clock is on at the next start: past every lease and most waits, or not quite. */
const DEAD_SECONDS = [20, 200] as const;
const TICK_MS = 300;
/** At the end the clock is moved by so much, again and again, until nothing waits. */
const REST_STEP_SECONDS = 45;
const REST_STEPS = 120;
/** The platform may fail a post as often as we repeat it. */
const MAX_UNPUBLISHED = 0.02;
/** Maximum share of undecided posts: a few cannot be asked about, and are not sent twice either. */
const MAX_UNDECIDED = 0.1;
const MINUTE_SECONDS = 60;
const CALL_MS = 10_000;

type Database = Pick<Evidence, "uploads" | "events">;

/** Part C: a running server, killed as a whole again and again while posts come in. */
export async function playKills({ script, folder, seed, form, verdicts }: Proof): Promise<void> {
  const startedAt = performance.now();
  const random = createRandom(seed);
  const platform = new LivePlatform(random);
  const service = await platform.listen();
  const stateDir = await mkdtemp(join(folder, "killed-"));
  let clockOffset = 0;
  let pace = 1;
  const start = async (isNew: boolean) => {
    const calledAt = performance.now();
    const started = await startInstance({ script, stateDir, clockOffset, isNew });
    pace = Math.max(1, (performance.now() - calledAt) / START_MS);
    return started;
  };
  let instance = await start(true);
  try {
    await send(instance, "/prove/team", {});
    const accounts = await connect(instance, service, form.killUploads);
    const load = new Load(random, accounts, form);
    for (let kill = 0; kill < form.kills; kill++) {
      const life = Math.round(random.between(...LIFE_MS) * pace);
      await Promise.all([live(instance, life), load.run(instance, life, kill)]);
      load.sendLast(instance, kill);
      await sleep(random.between(0, LAST_MS));
      await instance.kill();
      await platform.rest();
      clockOffset += random.between(...DEAD_SECONDS);
      instance = await start(false);
      await load.repeatUnanswered(instance);
    }
    platform.isFaulty = false;
    const moveOn = async (seconds: number) => {
      clockOffset += seconds;
      await send(instance, "/sandbox/api/clock", { offsetSeconds: clockOffset });
      await sleep(TICK_MS);
    };
    const left = await restored(instance, clockOffset, () => moveOn(MINUTE_SECONDS));
    let database = await read(instance);
    for (let i = 0; i < REST_STEPS && isBusy(database); i++) {
      await moveOn(REST_STEP_SECONDS);
      database = await read(instance);
    }
    const evidence: Evidence = {
      ...database,
      arrivals: [...platform.arrivals, ...(await simulated(instance))],
      left,
      cap: capabilities.dailyPostCap,
      acknowledged: load.acknowledged,
    };
    console.log(`\nA running server: kill -9 of its process group ${form.kills} times under load`);
    showEvidence([evidence]);
    printCounts("faults", {
      ...platform.faults,
      kills: form.kills,
      "calls cut off": load.cutOff,
      "calls cut off after they were stored": load.foundAgain,
      "moved on by s": clockOffset,
    });
    verdicts.judge(judge(evidence));
    const posted = Map.groupBy(database.uploads, ({ text }) => text);
    const wrong = load.texts.filter((text) => posted.get(text)?.length !== 1);
    verdicts.check(
      `F9   ${load.texts.length} calls with a key, those without an answer repeated: ${database.uploads.length} uploads`,
      wrong.length === 0 && database.uploads.length === load.texts.length,
      wrong.map((text) => `${text}: ${posted.get(text)?.length ?? 0} uploads`),
    );
    const open = database.uploads.filter(({ status }) => status !== "completed");
    const undecided = open.filter(isUndecided);
    const lost = open.filter((upload) => !isUndecided(upload));
    const total = database.uploads.length;
    const parts = partsOf(database.uploads);
    const { all, out, unknown, refused, unsent } = countParts(parts);
    verdicts.check(
      `${out} of ${all} parts went out; ${unknown} were left to a person, ${unsent} after them were not sent, ${refused} were refused`,
      out > 0 && refused <= all * MAX_UNPUBLISHED,
      parts
        .filter(isRefused)
        .map(({ upload, part }) => `#${upload.id} ${part.text}: ${part.message}`),
    );
    verdicts.check(
      `${total - open.length} of ${total} posts went out; ${undecided.length} cannot be asked for and were left to a person`,
      lost.length <= total * MAX_UNPUBLISHED && undecided.length <= total * MAX_UNDECIDED,
      lost.map(
        ({ id, text, status, failureCode, message }) =>
          `#${id} ${text}: ${status} ${failureCode} (${message})`,
      ),
    );
    console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  } finally {
    await instance.kill();
    await platform.close();
  }
}

const isBusy = ({ uploads }: Database): boolean => uploads.some(({ dueAt }) => dueAt !== null);

const send = (instance: Instance, path: string, body?: object): Promise<unknown> =>
  post(instance, path, { body, headers: { "x-api-key": TOKEN }, timeoutMs: CALL_MS });

const read = async (instance: Instance): Promise<Database> =>
  (await send(instance, "/prove/database")) as Database;

/** An account to post to; without a protocol it is Bluesky's, on the server of our own. */
interface Target {
  name: string;
  accountId: string;
  protocol: Protocol | null;
}

/** Every second account is on our own server, the others are on the simulated platforms in turn. */
async function connect(instance: Instance, service: string, uploads: number): Promise<Target[]> {
  const targets: Target[] = [];
  const count = Math.max(Math.ceil(uploads / POSTS_PER_ACCOUNT), 2 * PROTOCOLS.length);
  for (let i = 0; i < count; i++) {
    const name = `account${i}`;
    const protocol = i % 2 === 0 ? null : (PROTOCOLS[((i - 1) / 2) % PROTOCOLS.length] ?? null);
    const body = protocol
      ? { platform: protocol.platform, sandbox: true, name, ...(await protocol.connection?.(name)) }
      : { platform: "bluesky", service, credentials: { accessToken: name } };
    const answer = (await send(instance, "/api/v1/accounts", body)) as { data: { id: string } };
    targets.push({ name, accountId: answer.data.id, protocol });
  }
  return targets;
}

/** Reads the posts at the simulated platforms, each as often as it was received. */
async function simulated({ origin }: Instance): Promise<Arrival[]> {
  const response = await fetch(`${origin}/sandbox/api/posts?limit=10000`);
  const { posts } = (await response.json()) as { posts: Shown[] };
  return arrivalsIn(posts);
}

/** The minute ticks of a life, in quick succession. */
async function live(instance: Instance, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await send(instance, "/prove/tick");
    await sleep(Math.max(0, Math.min(TICK_MS, end - performance.now())));
  }
}

/** A post as its client sends it, and sends it again when it had no answer. */
interface Call {
  key: string;
  fields: FormData;
}

/** Posts coming in, evenly over all lives, each under a key of its own. */
class Load {
  readonly acknowledged: number[] = [];
  readonly texts: string[] = [];
  cutOff = 0;
  /** Repeated calls that were answered as one that had been taken before. */
  foundAgain = 0;
  private readonly unanswered: Call[] = [];
  private readonly onTheirWay = new Set<Promise<void>>();
  private readonly random: Random;
  private readonly targets: Target[];
  private readonly form: { kills: number; killUploads: number };

  constructor(random: Random, targets: Target[], form: { kills: number; killUploads: number }) {
    this.random = random;
    this.targets = targets;
    this.form = form;
  }

  /** Ends with the life; calls that are then on their way meet the kill. */
  async run(instance: Instance, lifeMs: number, kill: number): Promise<void> {
    const count = Math.max(0, this.leftOf(kill) - LAST_CALLS);
    const waits = Array.from({ length: count }, () => this.random.between(0, lifeMs)).sort(
      (a, b) => a - b,
    );
    const startedAt = performance.now();
    for (const wait of waits) {
      await sleep(Math.max(0, startedAt + wait - performance.now()));
      this.sendNext(instance);
    }
    await sleep(Math.max(0, startedAt + lifeMs - performance.now()));
  }

  /** Sends what is left of the life's share at once; who waits for the outcome is cut off for sure. */
  sendLast(instance: Instance, kill: number): void {
    for (let left = this.leftOf(kill); left > 0; left--) {
      this.sendNext(instance, left % 2 === 0 ? "?async=false" : "");
    }
  }

  /** To a server that lives: whatever was cut off is sent once more, as a client would. */
  async repeatUnanswered(instance: Instance): Promise<void> {
    await Promise.all(this.onTheirWay);
    await Promise.all(this.unanswered.splice(0).map((call) => this.send(instance, call)));
  }

  private leftOf(kill: number): number {
    return Math.ceil(((kill + 1) / this.form.kills) * this.form.killUploads) - this.texts.length;
  }

  private sendNext(instance: Instance, query = ""): void {
    const sending = this.post(instance, this.texts.length, query);
    this.onTheirWay.add(sending);
    void sending.finally(() => this.onTheirWay.delete(sending));
  }

  private async post(instance: Instance, i: number, query: string): Promise<void> {
    const fields = new FormData();
    const target = this.targets[i % this.targets.length];
    if (!target) throw new Error("There is no account to post to.");
    const { name, accountId, protocol } = target;
    fields.set("accountId", accountId);
    const steering = protocol ? (STEERING[this.random.between(0, STEERING.length - 1)] ?? "") : "";
    const text = `Post ${i} plain`;
    this.texts.push(text);
    fields.set(protocol?.textField ?? "description", `${text}${steering}`);
    await protocol?.fill(fields, i, name);
    addParts(fields, text, followingOf(protocol?.platform ?? "bluesky", i), steering);
    await this.send(instance, { key: `call-${i}`, fields }, query);
  }

  private async send(instance: Instance, call: Call, query = ""): Promise<void> {
    try {
      const response = await fetch(`${instance.origin}/api/v1/upload${query}`, {
        method: "POST",
        headers: { "x-api-key": TOKEN, "idempotency-key": call.key },
        body: call.fields,
        signal: AbortSignal.timeout(CALL_MS),
      });
      const answer = (await response.json()) as { data?: { uploadId?: number; id?: number } };
      const id = answer.data?.uploadId ?? answer.data?.id;
      if (response.ok && id) this.acknowledged.push(id);
      else console.error(`An upload was answered ${response.status}.`, answer);
      if (response.headers.get("idempotent-replayed") === "true") this.foundAgain++;
    } catch {
      this.cutOff++;
      this.unanswered.push(call);
    }
  }
}

/** The queue is at its end when it has taken none of the jobs for this long. */
const RESTORE_MS = 5_000;

/**
 * A killed server's queue is empty: how many of the jobs that were due and free are still waiting after
 * two sweeps, a minute apart, and what those brought back. `tick` moves the clock on by that minute.
 */
async function restored(
  instance: Instance,
  offsetSeconds: number,
  tick: () => Promise<void>,
): Promise<number> {
  const now = Date.now() + offsetSeconds * 1_000;
  const isFree = ({ dueAt, leaseUntil }: UploadState) =>
    dueAt !== null && dueAt <= now && (leaseUntil === null || leaseUntil <= now);
  const free = new Set((await read(instance)).uploads.filter(isFree).map(({ id }) => id));
  await tick();
  await tick();
  let least = free.size;
  let deadline = performance.now() + RESTORE_MS;
  for (;;) {
    const { uploads } = await read(instance);
    const left = uploads.filter((upload) => free.has(upload.id) && isFree(upload)).length;
    if (left < least) deadline = performance.now() + RESTORE_MS;
    least = Math.min(least, left);
    if (left === 0 || performance.now() > deadline) return left;
    await sleep(TICK_MS);
  }
}
