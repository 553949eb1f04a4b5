import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Evidence, plainText, type UploadState } from "./findings.ts";
import { type Instance, post, startInstance } from "./instance.ts";
import { TOKEN } from "./token.ts";
import { printCounts } from "./verdicts.ts";
import type { Proof } from "./worlds.ts";

/** An account takes so many posts that are on their way. */
const ACCOUNTS = 2;
/** Nobody has an answer before the first back-off is over. */
const STEERING = " [sandbox:5xx=1]";
const CALL_MS = 10_000;
const LOOK_MS = 5;
/** All clients have been taken in and are gone, or something is wrong. */
const ALL_GONE_MS = 30_000;
/** The clock is moved by so much when nothing gets done, well within the time a platform is given. */
const REST_STEP_SECONDS = 120;
const REST_STEPS = 14;
const REST_MS = 250;
const STILL_LOOKS = 8;

type Database = Pick<Evidence, "uploads" | "events">;

const send = (instance: Instance, path: string, body?: object): Promise<unknown> =>
  post(instance, path, { body, headers: { "x-api-key": TOKEN }, timeoutMs: CALL_MS });

const read = async (instance: Instance) => (await send(instance, "/prove/database")) as Database;

const countWaiting = ({ uploads }: Database): number =>
  uploads.filter(({ dueAt }) => dueAt !== null).length;

/** Part E: clients that wait for the outcome, and hang up as soon as their post is stored. */
export async function playDisconnects({ script, folder, form, verdicts }: Proof): Promise<void> {
  const startedAt = performance.now();
  const stateDir = await mkdtemp(join(folder, "hung-up-"));
  const instance = await startInstance({ script, stateDir, clockOffset: 0, isNew: true });
  try {
    const { answered, left } = await hangUp(instance, await connect(instance), form.clients);
    const unfinished = countWaiting(await read(instance));
    const database = await rest(instance);
    const wrong = await findWrong(instance, database);
    console.log(`\nClients that wait for the outcome and hang up: ${form.clients}`);
    printCounts("when the last had gone", {
      "answered before": answered,
      "still to be published": unfinished,
    });
    const out = database.uploads.length - wrong.length;
    verdicts.check(
      `F23  ${out} of ${form.clients} posts went out once and were told once; ${answered} had been answered`,
      left === 0 && out === form.clients && answered === 0,
      wrong.map(
        ({ id, text, status, failureCode, message }) =>
          `#${id} ${text}: ${status} ${failureCode} (${message})`,
      ),
    );
    console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  } finally {
    await instance.kill();
  }
}

async function connect(instance: Instance): Promise<string[]> {
  await send(instance, "/prove/team");
  const accounts: string[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = { platform: "bluesky", sandbox: true, name: `account${i}` };
    const answer = await send(instance, "/api/v1/accounts", account);
    accounts.push((answer as { data: { id: string } }).data.id);
  }
  return accounts;
}

/** So many clients at once, each of which goes when its post is stored; how many did not. */
async function hangUp(
  instance: Instance,
  accounts: readonly string[],
  count: number,
): Promise<{ answered: number; left: number }> {
  let answered = 0;
  const clients = new Map<string, AbortController>();
  for (let i = 0; i < count; i++) {
    const text = `Post ${i} plain`;
    const fields = new FormData();
    fields.set("accountId", accounts[i % accounts.length] ?? "");
    fields.set("description", `${text}${STEERING}`);
    const client = new AbortController();
    clients.set(text, client);
    void fetch(`${instance.origin}/api/v1/upload?async=false`, {
      method: "POST",
      headers: { "x-api-key": TOKEN },
      body: fields,
      signal: client.signal,
    }).then(
      () => answered++,
      () => {},
    );
  }
  const deadline = performance.now() + ALL_GONE_MS;
  while (clients.size > 0 && performance.now() < deadline) {
    for (const { text } of (await read(instance)).uploads) {
      clients.get(text)?.abort();
      clients.delete(text);
    }
    await sleep(LOOK_MS);
  }
  return { answered, left: clients.size };
}

/** Moves the clock on until nothing waits any more. */
async function rest(instance: Instance): Promise<Database> {
  let database = await read(instance);
  let still = STILL_LOOKS;
  for (let step = 0; step < REST_STEPS && countWaiting(database) > 0; ) {
    if (still === STILL_LOOKS) {
      await send(instance, "/sandbox/api/clock", { offsetSeconds: ++step * REST_STEP_SECONDS });
      still = 0;
    }
    await sleep(REST_MS);
    const before = countWaiting(database);
    database = await read(instance);
    still = countWaiting(database) < before ? 0 : still + 1;
  }
  return database;
}

/** The uploads that did not go out exactly once, or were not told of exactly once. */
async function findWrong(
  instance: Instance,
  { uploads, events }: Database,
): Promise<UploadState[]> {
  const response = await fetch(`${instance.origin}/sandbox/api/posts?limit=10000`);
  const { posts } = (await response.json()) as { posts: { text: string; received: number }[] };
  const received = Map.groupBy(posts, ({ text }) => plainText(text));
  const told = Map.groupBy(events, ({ uploadId }) => uploadId);
  const wentOutOnce = ({ text }: UploadState) => {
    const [only, another] = received.get(text) ?? [];
    return only?.received === 1 && !another;
  };
  const wasToldOnce = ({ id }: UploadState) => {
    const [only, another] = told.get(id) ?? [];
    return only?.name === "upload.completed" && !another;
  };
  return uploads.filter(
    (upload) => upload.status !== "completed" || !wentOutOnce(upload) || !wasToldOnce(upload),
  );
}
