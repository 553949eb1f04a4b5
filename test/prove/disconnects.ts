import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Evidence, plainText } from "./findings.ts";
import { post, startInstance } from "./instance.ts";
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
const ALL_GONE_MS = 15_000;
/** The clock is moved by so much when nothing gets done, well within the time a platform is given. */
const REST_STEP_SECONDS = 120;
const REST_STEPS = 14;
const REST_MS = 250;
const STILL_LOOKS = 4;

/** Part D: clients that wait for the outcome, and hang up as soon as their post is stored. */
export async function playDisconnects({ script, folder, form, verdicts }: Proof): Promise<void> {
  const startedAt = performance.now();
  const stateDir = await mkdtemp(join(folder, "hung-up-"));
  const instance = await startInstance({ script, stateDir, clockOffset: 0, isNew: true });
  const send = (path: string, body?: object): Promise<unknown> =>
    post(instance, path, { body, headers: { "x-api-key": TOKEN }, timeoutMs: CALL_MS });
  const read = async () => (await send("/prove/database")) as Pick<Evidence, "uploads" | "events">;
  try {
    await send("/prove/team");
    const accounts: string[] = [];
    for (let i = 0; i < ACCOUNTS; i++) {
      const account = { platform: "bluesky", sandbox: true, name: `account${i}` };
      const { data } = (await send("/api/v1/accounts", account)) as { data: { id: string } };
      accounts.push(data.id);
    }

    let answered = 0;
    let lookedAt = 0;
    const clients = new Map<string, AbortController>();
    for (let i = 0; i < form.clients; i++) {
      const fields = new FormData();
      fields.set("accountId", accounts[i % ACCOUNTS] ?? "");
      const text = `Post ${i} plain`;
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
      for (const { text } of (await read()).uploads) {
        clients.get(text)?.abort();
        clients.delete(text);
      }
      lookedAt++;
      await sleep(LOOK_MS);
    }

    let database = await read();
    const waiting = () => database.uploads.filter(({ dueAt }) => dueAt !== null).length;
    const unfinished = waiting();
    let still = STILL_LOOKS;
    for (let step = 0; step < REST_STEPS && waiting() > 0; ) {
      if (still === STILL_LOOKS) {
        await send("/sandbox/api/clock", { offsetSeconds: ++step * REST_STEP_SECONDS });
        still = 0;
      }
      await sleep(REST_MS);
      const before = waiting();
      database = await read();
      still = waiting() < before ? 0 : still + 1;
    }
    const response = await fetch(`${instance.origin}/sandbox/api/posts?limit=10000`);
    const { posts } = (await response.json()) as { posts: { text: string; received: number }[] };
    const seen = Map.groupBy(posts, ({ text }) => plainText(text));
    const told = Map.groupBy(database.events, ({ uploadId }) => uploadId);
    const wrong = database.uploads.filter(
      ({ id, text, status }) =>
        status !== "completed" ||
        seen
          .get(text)
          ?.map(({ received }) => received)
          .join() !== "1" ||
        told
          .get(id)
          ?.map(({ name }) => name)
          .join() !== "upload.completed",
    );
    console.log(`\nClients that wait for the outcome and hang up: ${form.clients}`);
    printCounts("when the last had gone", {
      "answered before": answered,
      "still to be published": unfinished,
      "looks at the database": lookedAt,
    });
    const out = database.uploads.length - wrong.length;
    verdicts.check(
      `F23  ${out} of ${form.clients} posts went out once and were told once; ${answered} had been answered`,
      clients.size === 0 && out === form.clients && answered === 0,
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
