import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { noQueue } from "../../src/core/missing-bindings.ts";
import { runTick } from "../../src/cron/tick.ts";
import type { Deps } from "../../src/deps.ts";
import { answerVisit } from "../../src/doors/short.ts";
import { connectSandbox, createMember, form, Harness, type Member } from "../support/harness.ts";

/** An instance that could not be bound to queues. */
const WITHOUT_QUEUES: Partial<Deps> = {
  hasQueues: false,
  publishQueue: noQueue(),
  collectQueue: noQueue(),
  webhookQueue: noQueue(),
};

let harness: Harness;
let member: Member;
let accountId: string;
let posts = 0;

beforeEach(async () => {
  harness = new Harness(WITHOUT_QUEUES);
  member = await createMember();
  accountId = await connectSandbox(harness, member);
});

async function createPost(fields: Record<string, string> = {}): Promise<number> {
  const { token } = member;
  const description = `Hello ${++posts}`;
  const body = form({ accountId, description, ...fields });
  const { body: created } = await harness.call("POST", "/upload", { token, body });
  return created.data.uploadId;
}

const statusOf = async (id: number): Promise<string> =>
  (await harness.call("GET", `/upload/${id}`, { token: member.token })).body.data.status;

test("without queues, the next tick publishes a post that is due", async () => {
  const id = await createPost();
  expect(await statusOf(id)).toBe("pending");
  await runTick(harness.deps);
  expect(await statusOf(id)).toBe("completed");
});

test("without queues, a tick publishes each post once", async () => {
  const ids = [await createPost(), await createPost(), await createPost()];
  await Promise.all([runTick(harness.deps), runTick(harness.deps)]);
  await runTick(harness.deps);
  for (const id of ids) expect(await statusOf(id)).toBe("completed");
  const { results } = await env.DB.prepare(
    `SELECT submits FROM uploads WHERE id IN (${ids.join()})`,
  ).all<{ submits: number }>();
  expect(results.map(({ submits }) => submits)).toEqual([1, 1, 1]);
});

test("without queues, a planned post waits for its time", async () => {
  const id = await createPost({ schedule_date: "2026-12-01T09:10:00Z" });
  await runTick(harness.deps);
  expect(await statusOf(id)).toBe("scheduled");
  harness.advance(600);
  await runTick(harness.deps);
  expect(await statusOf(id)).toBe("completed");
});

test("without queues, a tick stays within the subrequests of the free plan", async () => {
  for (let i = 0; i < 15; i++) await createPost();
  const statuses = async () =>
    (
      await env.DB.prepare("SELECT status FROM uploads WHERE team_id = ?")
        .bind(member.teamId)
        .all<{ status: string }>()
    ).results.map(({ status }) => status);
  await runTick(harness.deps);
  expect(await statuses()).toContain("pending");
  for (let minute = 0; minute < 20; minute++) {
    harness.advance(60);
    await runTick(harness.deps);
  }
  expect(new Set(await statuses())).toEqual(new Set(["completed"]));
});

test("without queues, webhooks of a post are delivered by a later tick", async () => {
  const requests: string[] = [];
  const { network } = harness;
  harness.network = async (input, init) => {
    const { url } = new Request(input, init);
    if (!url.startsWith("https://hooks.example")) return network(input, init);
    requests.push(url);
    return new Response(null, { status: 204 });
  };
  await harness.call("POST", "/webhooks", {
    token: member.token,
    json: { url: "https://hooks.example/a", events: ["upload.completed"] },
  });
  await createPost();
  for (let minute = 0; minute < 4; minute++) {
    await runTick(harness.deps);
    await harness.settle();
    harness.advance(60);
  }
  expect(requests).toEqual(["https://hooks.example/a"]);
});

test("without queues, a click of a short link is stored at once", async () => {
  const { body } = await harness.call("POST", "/short-links", {
    token: member.token,
    json: { url: "https://example.com/" },
  });
  const { id, slug } = body.data ?? body;
  const work: Promise<unknown>[] = [];
  const bindings = { ...env, WEBHOOKS: undefined };
  const address = { host: null, slug };
  const response = await answerVisit(
    new Request(`https://akimbo.test/s/${slug}`, { headers: { "user-agent": "Mozilla/5.0" } }),
    address,
    bindings,
    { waitUntil: (one) => work.push(one) },
  );
  expect(response.status).toBe(302);
  await Promise.all(work);
  const clicks = await env.DB.prepare("SELECT count(*) AS count FROM link_clicks WHERE link_id = ?")
    .bind(id)
    .first<number>("count");
  expect(clicks).toBe(1);
});
