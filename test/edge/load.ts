import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Rehearsal } from "./rehearsal.ts";

const POSTS_PER_SECOND = 20;
/** The daily cap of an account is 150 posts. */
const ACCOUNTS = 40;
const LIMITS = { "upload-create": { limit: 1_000_000, windowSeconds: 900 } };
const MAX_TRIES = 30;
/** A team may have 1,000 posts in progress. A machine that publishes too slowly for the pace gets no more than this. */
const MAX_IN_PROGRESS = 800;
/** While the runtime starts anew, calls wait: at Cloudflare, old and new run side by side. More calls than this do not. */
const MAX_UNANSWERED = 100;
const LOOK_EVERY_MS = 2_000;
const TICK_EVERY_MS = 5_000;

interface Load {
  accepted: number;
  /** Answers by status. */
  answers: Map<number, number>;
  slowestMs: number;
  /** How long posts came in. */
  seconds: number;
}

async function connectAccounts(rehearsal: Rehearsal): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const body = { platform: "bluesky", sandbox: true, name: `Load ${i}` };
    const answer = await rehearsal.call<{ data: { id: string } }>("POST", "/api/v1/accounts", body);
    ids.push(answer.data.id);
  }
  return ids;
}

/** Sends one post until it is accepted; a 503 says when to come again. */
async function post(rehearsal: Rehearsal, accountId: string, load: Load): Promise<void> {
  const key = randomUUID();
  const startedAt = performance.now();
  for (let i = 0; i < MAX_TRIES; i++) {
    const body = new FormData();
    body.set("accountId", accountId);
    body.set("description", `Under load ${key}`);
    const response = await rehearsal.fetch("/api/v1/upload", {
      method: "POST",
      headers: { "x-api-key": rehearsal.token, "idempotency-key": key },
      body,
    });
    const text = await response.text();
    load.answers.set(response.status, (load.answers.get(response.status) ?? 0) + 1);
    if (response.ok) {
      load.accepted++;
      load.slowestMs = Math.max(load.slowestMs, performance.now() - startedAt);
      return;
    }
    const wait = Number(response.headers.get("retry-after"));
    assert.ok(response.status === 503 && wait > 0, `${response.status} ${text}`);
    await sleep(wait * 1_000);
  }
  throw new Error("A post was refused for too long.");
}

async function countInProgress({ edge }: Rehearsal): Promise<number> {
  const [row] = await edge.account.query(
    "SELECT count(*) AS count FROM uploads WHERE status NOT IN ('completed', 'failed')",
  );
  return Number(row?.count);
}

/** Sends posts at a steady pace while the work lasts. */
async function during<T>(
  rehearsal: Rehearsal,
  accounts: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: T; load: Load }> {
  const load: Load = { accepted: 0, answers: new Map(), slowestMs: 0, seconds: 0 };
  const sent: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const startedAt = performance.now();
  let isOver = false;
  let inProgress = 0;
  let unanswered = 0;
  const sending = (async () => {
    for (let i = 0, dueAt = startedAt; !isOver; dueAt += 1_000 / POSTS_PER_SECOND) {
      await sleep(Math.max(0, dueAt - performance.now()));
      if (inProgress > MAX_IN_PROGRESS || unanswered >= MAX_UNANSWERED) continue;
      const accountId = accounts[i++ % accounts.length] ?? "";
      unanswered++;
      const sending = post(rehearsal, accountId, load)
        .catch((error) => void failures.push(error))
        .finally(() => unanswered--);
      sent.push(sending);
    }
  })();
  const repeatedly = async (everyMs: number, act: () => Promise<void>) => {
    for (; !isOver; await sleep(everyMs)) {
      await act().catch((error) => failures.push(error));
    }
  };
  const looking = repeatedly(LOOK_EVERY_MS, async () => {
    inProgress = await countInProgress(rehearsal);
  });
  const ticking = repeatedly(TICK_EVERY_MS, async () => {
    await rehearsal.edge.account.runCron();
  });
  const result = await work();
  isOver = true;
  load.seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all([sending, looking, ticking]);
  await Promise.all(sent);
  if (failures.length > 0) throw failures[0];
  return { result, load };
}

/** Posts come in all the time while a new version takes over. */
export async function upgradeUnderLoad(rehearsal: Rehearsal): Promise<string> {
  await rehearsal.setSecret("RATE_LIMITS", JSON.stringify(LIMITS));
  const accounts = await connectAccounts(rehearsal);
  const { result, load } = await during(rehearsal, accounts, () => rehearsal.deploy("--backup"));
  assert.equal(result.code, 0, result.output);
  assert.match(result.output, /✓ Backup \S+ is stored.*answers 10 % of the calls well/s);
  rehearsal.posts += load.accepted;
  await rehearsal.settle();
  await rehearsal.checkPosts();
  const answers = [...load.answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  const pace = (load.accepted / load.seconds).toFixed(1);
  return `${load.accepted} posts, ${pace} a second, each out once; ${answers}; the slowest took ${Math.round(load.slowestMs)} ms`;
}
