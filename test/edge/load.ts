import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Rehearsal } from "./rehearsal.ts";

const POSTS_PER_SECOND = 20;
/** The daily cap of an account is 150 posts. */
const ACCOUNTS = 40;
const LIMITS = { "upload-create": { limit: 1_000_000, windowSeconds: 900 } };
const MAX_TRIES = 30;

interface Load {
  accepted: number;
  /** Answers by status. */
  answers: Map<number, number>;
  slowestMs: number;
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

/** Sends posts at a steady pace while the work lasts. */
async function during<T>(
  rehearsal: Rehearsal,
  accounts: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: T; load: Load }> {
  const load: Load = { accepted: 0, answers: new Map(), slowestMs: 0 };
  const sent: Promise<void>[] = [];
  let isOver = false;
  const sending = (async () => {
    const startedAt = performance.now();
    for (let i = 0; !isOver; i++) {
      const dueAt = startedAt + (i * 1_000) / POSTS_PER_SECOND;
      await sleep(Math.max(0, dueAt - performance.now()));
      sent.push(post(rehearsal, accounts[i % accounts.length] ?? "", load));
    }
  })();
  const ticking = (async () => {
    for (; !isOver; await sleep(5_000)) await rehearsal.edge.account.runCron();
  })();
  try {
    return { result: await work(), load };
  } finally {
    isOver = true;
    await Promise.all([sending, ticking]);
    await Promise.all(sent);
  }
}

/** Posts come in all the time while a new version takes over. */
export async function upgradeUnderLoad(rehearsal: Rehearsal): Promise<string> {
  await rehearsal.setSecret("RATE_LIMITS", JSON.stringify(LIMITS));
  const accounts = await connectAccounts(rehearsal);
  const { result, load } = await during(rehearsal, accounts, () => rehearsal.deploy());
  assert.equal(result.code, 0, result.output);
  assert.match(result.output, /answers 10 % of the calls well/);
  rehearsal.posts += load.accepted;
  await rehearsal.settle();
  await rehearsal.checkPosts();
  const answers = [...load.answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  return `${load.accepted} posts, each out once; ${answers}; the slowest took ${Math.round(load.slowestMs)} ms`;
}
