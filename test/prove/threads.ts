import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../src/core/platforms.ts";
import { arrivalsIn, type Shown } from "./feed.ts";
import { type Evidence, judge } from "./findings.ts";
import { type Instance, post, startInstance } from "./instance.ts";
import { countParts, isRefused, partsOf } from "./part-findings.ts";
import { TOKEN } from "./token.ts";
import type { Proof } from "./worlds.ts";

const PLATFORMS: readonly Platform[] = ["x", "bluesky", "threads"];
/** Posts of each thread, the first included. */
const POSTS = 10;
/** Keeps each account below its daily cap, of which X has the smallest. */
const THREADS_PER_ACCOUNT = 4;
const MAX_CAP = 50;
/** Of the calls that change something, so many are never heard of again, before or after they have their effect. */
const LOSSES = { before: 0.03, after: 0.06 };
/** Threads created at once. */
const AT_ONCE = 8;
const LIFE_MS = 1_500;
const TICK_MS = 300;
const STEP_SECONDS = 45;
const MAX_STEPS = 400;
const CALL_MS = 30_000;

/** What this play has no posts for. */
const NOT_ASKED = new Set(["I6", "I9", "kept"]);

interface Part {
  text: string;
  status: string;
}

/** Part T: long threads on the simulated platforms, answers lost at random, the server killed while they go out. */
export async function playThreads({ script, folder, form, verdicts }: Proof): Promise<void> {
  const startedAt = performance.now();
  const { count, kills } = form.threads;
  const stateDir = await mkdtemp(join(folder, "threads-"));
  let clockOffset = 0;
  const start = (isNew: boolean) =>
    startInstance({ script, stateDir, clockOffset, isNew, losses: LOSSES });
  let instance = await start(true);
  const send = (path: string, body: object = {}) =>
    post(instance, path, { body, headers: { "x-api-key": TOKEN }, timeoutMs: CALL_MS });
  const read = async () => (await send("/prove/database")) as Pick<Evidence, "uploads" | "events">;
  const moveOn = async (seconds: number) => {
    clockOffset += seconds;
    await send("/sandbox/api/clock", { offsetSeconds: clockOffset });
    await send("/prove/tick");
    await sleep(TICK_MS);
  };
  try {
    await send("/prove/team");
    const accounts = await connectAll(send, Math.ceil(count / THREADS_PER_ACCOUNT));
    await createThreads(instance, accounts, count);
    let killed = 0;
    let step = 0;
    for (; step < MAX_STEPS; step++) {
      const { uploads } = await read();
      if (!uploads.some(({ dueAt }) => dueAt !== null)) break;
      await moveOn(STEP_SECONDS);
      if (killed < kills) {
        await sleep(Math.random() * LIFE_MS);
        await instance.kill();
        killed++;
        instance = await start(false);
      }
    }
    const database = await read();
    const evidence: Evidence = {
      ...database,
      arrivals: arrivalsIn(await readFeed(instance)),
      left: 0,
      cap: MAX_CAP,
      acknowledged: database.uploads.map(({ id }) => id),
    };
    console.log(
      `\n${count} threads of ${POSTS} on ${PLATFORMS.join(", ")}: answers lost at random, the server killed ${killed} times while they went out`,
    );
    show(evidence);
    verdicts.check(`killed ${kills} times before the last was out`, killed === kills);
    const { lost } = (await send("/prove/losses")) as { lost: number };
    console.log(`  ${lost} calls lost since the last start, moved on by ${clockOffset} s`);
    verdicts.judge(judge(evidence).filter(({ invariant }) => !NOT_ASKED.has(invariant)));
    const parts = partsOf(database.uploads);
    const { refused, out } = countParts(parts);
    verdicts.check(
      `no part is lost without a word, ${refused} were refused`,
      out > 0 && refused === 0 && database.uploads.length === count,
      parts
        .filter(isRefused)
        .map(({ part }) => `${part.text}: ${part.failureCode} ${part.message}`),
    );
    console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  } finally {
    await instance.kill();
  }
}

/** Prints how often the posts of all threads are out. */
function show({ uploads, arrivals }: Evidence): void {
  const received = Map.groupBy(arrivals, ({ text }) => text);
  const posts = uploads.flatMap(
    ({
      text,
      status,
      failureCode,
      parts,
    }): (Part & {
      isLeft: boolean;
    })[] => {
      const failed = parts.findIndex((part) => part.status === "failed");
      return [
        { text, status, isLeft: failureCode !== null },
        ...parts.map((part, i) => ({
          ...part,
          isLeft: failureCode !== null || (failed >= 0 && i >= failed),
        })),
      ];
    },
  );
  const times = (text: string) => received.get(text)?.length ?? 0;
  const once = posts.filter(({ text }) => times(text) === 1).length;
  const twice = posts.filter(({ text }) => times(text) > 1).length;
  const absent = posts.filter(({ text }) => times(text) === 0);
  const left = posts.filter(({ isLeft }) => isLeft).length;
  const missing = absent.filter(({ isLeft }) => !isLeft).length;
  console.log(
    `  ${posts.length} posts of ${uploads.length} threads: ${once} out once, ${twice} twice, ${missing} missing, ${left} left to a person (${absent.length} of them not out)`,
  );
}

async function connectAll(
  send: (path: string, body: object) => Promise<unknown>,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const platform = PLATFORMS[i % PLATFORMS.length];
    const body = { platform, sandbox: true, name: `writer${i}` };
    const connect = () => send("/api/v1/accounts", body) as Promise<{ data: { id: string } }>;
    // The simulated platforms lose calls of a login too.
    const answer = await connect().catch(connect).catch(connect);
    ids.push(answer.data.id);
  }
  return ids;
}

async function createThreads(
  instance: Instance,
  accounts: readonly string[],
  count: number,
): Promise<void> {
  const waiting = Array.from({ length: count }, (_, i) => i);
  const lane = async () => {
    for (let i = waiting.shift(); i !== undefined; i = waiting.shift()) {
      const text = `Post ${i} plain`;
      const thread = Array.from({ length: POSTS - 1 }, (_, part) => `${text} part ${part + 1}`);
      const body = new FormData();
      body.set("accountId", accounts[i % accounts.length] ?? "");
      body.set(TEXT_FIELD, text);
      body.set("thread", JSON.stringify(thread));
      const response = await fetch(`${instance.origin}/api/v1/upload`, {
        method: "POST",
        headers: { "x-api-key": TOKEN, "idempotency-key": `thread-${i}` },
        body,
      });
      if (!response.ok) throw new Error(`Thread ${i}: ${await response.text()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** All three take their text from here. */
const TEXT_FIELD = "description";

async function readFeed({ origin }: Instance): Promise<Shown[]> {
  const response = await fetch(`${origin}/sandbox/api/posts?limit=10000`);
  return ((await response.json()) as { posts: Shown[] }).posts;
}
