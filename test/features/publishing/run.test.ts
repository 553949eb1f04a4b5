import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SharedBudget } from "../../../src/core/budget.ts";
import { FAILURES, type FailureCode } from "../../../src/core/failures.ts";

import { publishUpload } from "../../../src/features/publishing/run.ts";
import { type Around, aroundBatches } from "../../support/database.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { isFull } from "../../support/load.ts";
import { connectFakePds, FakePds } from "../../support/pds.ts";
import { type AccountStage, dieAt, openAccount, stageOf } from "../../support/stage.ts";
import { pixelPng } from "../../support/videos.ts";

type Stage = AccountStage & { pds: FakePds };

async function atPds(): Promise<Stage> {
  const harness = new Harness();
  const member = await createMember();
  const pds = new FakePds();
  return { ...stageOf(harness, member, await connectFakePds(harness, member, pds)), pds };
}

/** Names of the events about posts. */
const told = async (stage: AccountStage): Promise<string[]> =>
  (await stage.events()).filter((name) => name.startsWith("upload."));

const connectionLost = () => Promise.reject(new TypeError("Network connection lost."));

test("a lost reply is looked up, never repeated: one post, one event", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Lost [sandbox:lost_reply]" });
  await stage.harness.deliver();
  expect(await stage.read(id)).toMatchObject({ status: "processing" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
  expect(await told(stage)).toEqual(["upload.completed"]);
});

test("a post that the platform surely does not have is submitted again", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Trouble [sandbox:5xx=2]" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
});

/** Loses the answers of the next `times` writes that announce the call which creates the post. */
function loseIntents(harness: Harness, times: number): () => number {
  let lost = 0;
  aroundBatches(harness, async (run, text) => {
    const results = await run();
    if (lost === times || !/submitting/.test(text)) return results;
    lost++;
    throw new Error("D1_ERROR: Network connection lost.");
  });
  return () => lost;
}

test("an announced call whose announcement's answer is lost is made at once", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Hello" });
  const lost = loseIntents(stage.harness, 1);
  await stage.harness.deliver();
  expect(lost()).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
});

test("a post that our own trouble kept back for an hour is sent, when the platform does not have it", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Hello" });
  const lost = loseIntents(stage.harness, 2);
  await stage.harness.deliver();
  expect(lost()).toBe(2);
  expect(await stage.read(id)).toMatchObject({ status: "processing" });
  stage.harness.advance(3_600);
  for (let minute = 0; minute < 3; minute++) {
    await stage.harness.tick();
    await stage.harness.drain();
    stage.harness.advance(60);
  }
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
});

test("a platform that never answers ends the post as unavailable after three more tries", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Trouble [sandbox:5xx=99]" });
  for (let minute = 0; minute < 20; minute++) {
    await stage.harness.drain();
    stage.harness.advance(60);
    await stage.harness.tick();
  }
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_unavailable", retryable: true, nextAction: "retry" },
  });
  expect(await stage.feed()).toEqual([]);
  expect(await told(stage)).toEqual(["upload.failed"]);
});

test.each(Object.keys(FAILURES) as FailureCode[])(
  "the sandbox can ask for %s, which is final at once and told in one event",
  async (code) => {
    const stage = await openAccount();
    const id = await stage.post({ description: `Please fail [sandbox:${code}]` });
    await stage.harness.deliver();
    const upload = await stage.read(id);
    expect(upload).toMatchObject({ status: "failed", failure: { code, ...FAILURES[code] } });
    expect(upload.errorMessage).toBeTruthy();
    expect(stage.harness.sent).toEqual([]);
    expect(await told(stage)).toEqual(["upload.failed"]);
    const account = await stage.harness.call("GET", `/accounts/${stage.accountId}`, {
      token: stage.member.token,
    });
    const status = code === "account_disconnected" ? "expired" : "active";
    expect(account.body.data).toMatchObject({ status, failureCount: 1 });
  },
);

test("an access token that is refused is refreshed once, and the post goes out", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Stale [sandbox:token_expired]" });
  await stage.harness.deliver();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("twenty posts on an expired login make one refresh, and all go out", async () => {
  const stage = await atPds();
  const ids: number[] = [];
  for (let i = 0; i < 20; i++) ids.push(await stage.post({ description: `Post ${i}` }));
  stage.pds.expireSession();
  const messages = stage.harness.sent.splice(0).map(({ message }) => message);
  await Promise.all(messages.map((message) => stage.harness.consume([message])));
  await stage.harness.drain();
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(stage.pds.count("server.refreshSession")).toBe(1);
  expect(stage.pds.count("repo.getRecord")).toBe(0);
  expect(stage.pds.records.size).toBe(20);
});

test("posts on one expired login are out a minute after it can be renewed, however often that failed", async () => {
  const stage = await atPds();
  const ids: number[] = [];
  for (let i = 0; i < 5; i++) ids.push(await stage.post());
  stage.pds.expireSession();
  let isDown = true;
  stage.pds.intercept = ({ method }) =>
    isDown && method === "server.refreshSession" ? connectionLost() : undefined;
  const passSeconds = async (seconds: number) => {
    for (let passed = 0; passed <= seconds; passed += 2) {
      await stage.harness.deliver();
      stage.harness.advance(2);
    }
  };
  await passSeconds(200);
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "pending" });
  isDown = false;
  await passSeconds(60);
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("a login is renewed no sooner than the platform's Retry-After allows", async () => {
  const stage = await atPds();
  const id = await stage.post();
  stage.pds.expireSession();
  const calledAt: number[] = [];
  stage.pds.intercept = ({ method }) => {
    if (method !== "server.refreshSession") return undefined;
    calledAt.push(Date.now());
    const headers = { "retry-after": "200" };
    return calledAt.length > 2
      ? undefined
      : Promise.resolve(Response.json({ error: "RateLimitExceeded" }, { status: 429, headers }));
  };
  for (let minute = 0; minute < 10; minute++) {
    await stage.harness.drain();
    stage.harness.advance(60);
    await stage.harness.tick();
  }
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  const waits = calledAt.slice(1).map((at, i) => (at - (calledAt[i] ?? 0)) / 1_000);
  expect(waits).toHaveLength(2);
  for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(200);
});

test("a post whose login cannot be renewed for twelve and a half minutes ends as unavailable", async () => {
  const stage = await atPds();
  const id = await stage.post();
  stage.pds.expireSession();
  stage.pds.intercept = ({ method }) =>
    method === "server.refreshSession" ? connectionLost() : undefined;
  const startedAt = Date.now();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_unavailable", nextAction: "retry" },
  });
  const minutes = (Date.now() - startedAt) / 60_000;
  expect(minutes).toBeGreaterThanOrEqual(12.5);
  expect(minutes).toBeLessThan(14);
});

test("a login about to expire is refreshed before it is used", async () => {
  const stage = await atPds();
  stage.harness.advance(7_190);
  const id = await stage.post();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(stage.pds.calls.slice(-2)).toEqual(["server.refreshSession", "repo.putRecord"]);
});

test("a login that is gone for good makes the account expired and tells so", async () => {
  const stage = await atPds();
  stage.harness.advance(7_190);
  stage.pds.intercept = ({ method }) =>
    method === "server.refreshSession"
      ? Promise.resolve(Response.json({ error: "ExpiredToken", message: "Gone" }, { status: 400 }))
      : undefined;
  const id = await stage.post();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "account_disconnected", nextAction: "reconnect_account" },
  });
  const { body } = await stage.harness.call("GET", `/accounts/${stage.accountId}`, {
    token: stage.member.token,
  });
  expect(body.data.status).toBe("expired");
  const refused = await stage.harness.call("POST", "/upload", {
    token: stage.member.token,
    body: form({ accountId: stage.accountId, description: "Hello" }),
  });
  expect(refused).toMatchObject({ status: 409, body: { code: "ACCOUNT_INACTIVE" } });
  expect(await stage.events()).toEqual([
    "connected_account.connected",
    "connected_account.expired",
    "upload.failed",
  ]);
});

test("a refresh that had no answer is tried again, and the account stays active", async () => {
  const stage = await atPds();
  stage.harness.advance(7_190);
  let failures = 0;
  stage.pds.intercept = ({ method }) =>
    method === "server.refreshSession" && failures++ === 0 ? connectionLost() : undefined;
  const id = await stage.post();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.events()).toContain("connected_account.refresh_failed");
});

test("trouble before the irreversible call is retried after 30 s, 2 min and 10 min", async () => {
  const stage = await atPds();
  stage.pds.intercept = ({ method }) =>
    method === "repo.uploadBlob" ? connectionLost() : undefined;
  const id = await stage.post({ photo: new Blob([pixelPng], { type: "image/png" }) });
  const waits: number[] = [];
  while (stage.harness.sent.length > 0) {
    const [next] = stage.harness.sent;
    waits.push(Math.round(((next?.at ?? 0) - Date.now()) / 1_000));
    await stage.harness.drain(1);
    if (stage.harness.sent.length > 0) {
      expect(await stage.read(id)).toMatchObject({ status: "pending", failure: null });
    } else if ((await stage.read(id)).status === "pending") {
      stage.harness.advance(600);
      await stage.harness.tick();
    }
  }
  expect(waits.slice(0, 2)).toEqual([0, 30]);
  expect(stage.pds.count("repo.uploadBlob")).toBe(4);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_unavailable" },
  });
  expect(stage.pds.records.size).toBe(0);
});

test("two messages for one post at once publish it once", async () => {
  const stage = await atPds();
  const id = await stage.post();
  const message = { kind: "publish" as const, uploadId: id };
  await Promise.all(Array.from({ length: 10 }, () => stage.harness.consume([message])));
  expect(stage.pds.count("repo.putRecord")).toBe(1);
  expect(await told(stage)).toEqual(["upload.completed"]);
});

test("a worker that comes back after its lease has ended changes nothing", async () => {
  const stage = await atPds();
  const id = await stage.post();
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let isFirst = true;
  stage.pds.intercept = ({ method, answer }) => {
    if (method !== "repo.putRecord" || !isFirst) return undefined;
    isFirst = false;
    reached.resolve();
    return held.promise.then(answer);
  };
  const message = { kind: "publish" as const, uploadId: id };
  const zombie = stage.harness.consume([message]);
  await reached.promise;
  stage.harness.advance(91);
  await stage.harness.consume([message]);
  const before = await stage.read(id);
  expect(before).toMatchObject({ status: "completed" });
  held.resolve();
  await zombie;
  expect(await stage.read(id)).toEqual(before);
  expect(stage.pds.records.size).toBe(1);
  expect(await told(stage)).toEqual(["upload.completed"]);
  expect(stage.harness.logs).toContainEqual({ event: "publish.lost_lease", uploadId: id });
});

test.each([
  ["after the intent was written", '"submitting"'],
  ["when the outcome was to be written", "status = 'completed'"],
])("a worker that dies %s leaves one post and one event", async (_, write) => {
  const stage = await atPds();
  const id = await stage.post();
  const deaths = dieAt(stage, "after", [write]);
  const retried = await stage.harness.consume([{ kind: "publish", uploadId: id }]);
  expect(retried).toHaveLength(1);
  expect(deaths()).toBe(1);
  stage.harness.sent.splice(0);
  for (let i = 0; i < 5; i++) {
    stage.harness.advance(60);
    await stage.harness.tick();
    await stage.harness.drain();
  }
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(stage.pds.records.size).toBe(1);
  expect(await told(stage)).toEqual(["upload.completed"]);
});

test("a post whose runs break off every time ends as failed, and others flow", async () => {
  const stage = await atPds();
  const id = await stage.post();
  await env.DB.prepare("UPDATE uploads SET bookmark = '{}' , stage = 'settling' WHERE id = ?")
    .bind(id)
    .run();
  const healthy = await stage.post({ description: "Fine" });
  for (let i = 0; i < 14; i++) {
    await stage.harness.drain();
    stage.harness.advance(120);
    await stage.harness.tick();
  }
  expect(await stage.read(healthy)).toMatchObject({ status: "completed" });
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
});

test("a dead letter ends a job whose every run broke off, and leaves any other to the sweep", async () => {
  const stage = await atPds();
  const waiting = await stage.post();
  const broken = await stage.post();
  await env.DB.prepare(
    "UPDATE uploads SET status = 'processing', fence = 1, crashes = 10, lease_until = ? WHERE id = ?",
  )
    .bind(Date.now() - 1, broken)
    .run();
  for (const uploadId of [waiting, broken]) {
    await stage.harness.consume([{ kind: "publish", uploadId }], "akimbo-dead-letters");
  }
  expect(await stage.read(waiting)).toMatchObject({ status: "pending" });
  expect(await stage.read(broken)).toMatchObject({
    status: "failed",
    failure: { code: "unknown" },
  });
  await stage.harness.drain();
  expect(await stage.read(waiting)).toMatchObject({ status: "completed" });
});

/** As wrangler.toml says, and the delay of a message whose handler threw. */
const DELIVERIES = 1 + 5;
const REDELIVERY_SECONDS = 100;

test("a database that is away for longer than the queue tries fails nothing", async () => {
  const stage = await atPds();
  const id = await stage.post();
  stage.harness.sent.splice(0);
  let reached = 0;
  // The job is taken, and the database is gone before the intent is written.
  const leaving: Around = async (run) => {
    if (reached++ === 0) return run();
    throw new Error("D1_ERROR: D1 DB is overloaded.");
  };
  const restore = aroundBatches(stage.harness, leaving);
  const message = { kind: "publish", uploadId: id } as const;
  for (let delivery = 0; delivery < DELIVERIES; delivery++) {
    expect(await stage.harness.consume([message])).toHaveLength(1);
    stage.harness.advance(REDELIVERY_SECONDS);
  }
  expect(await stage.harness.consume([message], "akimbo-dead-letters")).toHaveLength(1);
  restore();
  stage.harness.advance(REDELIVERY_SECONDS);
  expect(await stage.harness.consume([message], "akimbo-dead-letters")).toEqual([]);
  expect(await stage.read(id)).toMatchObject({ status: "processing" });
  await stage.harness.tick();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(stage.pds.count("repo.putRecord")).toBe(1);
  expect(await told(stage)).toEqual(["upload.completed"]);
});

test("a post that waited 24 hours in the queue is dropped as queue_expired", async () => {
  const stage = await atPds();
  const id = await stage.post();
  stage.harness.sent.splice(0);
  stage.harness.advance(86_400);
  await stage.harness.tick();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "queue_expired", retryable: true },
  });
  expect(stage.pds.count("repo.putRecord")).toBe(0);
  expect(await told(stage)).toEqual(["upload.failed"]);
});

test("the daily cap holds under concurrency, and a failure gives its place back", async () => {
  const stage = await atPds();
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 147)
     INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media,
       sort_at, created_at, counted_at)
     SELECT ?, ?, 'bluesky', 'completed', 'completed', '{}', '[]', ?, ?, ? FROM n`,
  )
    .bind(stage.member.teamId, stage.accountId, Date.now(), Date.now(), Date.now() - 1_000)
    .run();
  const ids: number[] = [];
  for (let i = 0; i < 6; i++) ids.push(await stage.post());
  const messages = stage.harness.sent.splice(0).map(({ message }) => message);
  await Promise.all(messages.map((message) => stage.harness.consume([message])));
  const statuses = await Promise.all(ids.map(async (id) => (await stage.read(id)).status));
  expect(statuses.filter((status) => status === "completed")).toHaveLength(3);
  expect(stage.pds.records.size).toBe(3);
  const refused = ids[statuses.indexOf("failed")] ?? 0;
  expect(await stage.read(refused)).toMatchObject({ failure: { code: "rate_limited" } });
});

test.each(["draft", "pending_approval"])("a %s is not published by any message", async (status) => {
  const stage = await atPds();
  const id = await stage.post({ status });
  expect(stage.harness.sent).toEqual([]);
  await stage.harness.consume([{ kind: "publish", uploadId: id }]);
  stage.harness.advance(86_400);
  await stage.harness.tick();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status });
  expect(stage.pds.count("repo.putRecord")).toBe(0);
});

test("what is not what was approved goes back to approval at publishing", async () => {
  const stage = await atPds();
  const id = await stage.post();
  await env.DB.prepare("UPDATE uploads SET approved_hash = 'another' WHERE id = ?").bind(id).run();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "pending_approval" });
  expect(stage.pds.count("repo.putRecord")).toBe(0);
});

test("a planned post leaves at its second, woken by the tick before it", async () => {
  const stage = await atPds();
  const at = new Date(Date.now() + 600_000);
  const id = await stage.post({ schedule_date: at.toISOString() });
  expect(stage.harness.sent).toEqual([]);
  await stage.harness.tick();
  expect(stage.harness.sent).toEqual([]);
  stage.harness.advance(540);
  await stage.harness.tick();
  expect(stage.harness.sent).toMatchObject([{ message: { uploadId: id }, at: at.getTime() }]);
  await stage.harness.tick();
  expect(stage.harness.sent).toHaveLength(1);
  await stage.harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({ status: "scheduled" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "completed",
    scheduledFor: at.toISOString(),
    uploadedAt: at.toISOString(),
  });
  expect(await told(stage)).toEqual(["upload.scheduled", "upload.completed"]);
});

test("a post planned within 75 seconds is woken by its own message", async () => {
  const stage = await atPds();
  const at = new Date(Date.now() + 70_000);
  const id = await stage.post({ schedule_date: at.toISOString() });
  expect(stage.harness.sent).toMatchObject([{ message: { uploadId: id }, at: at.getTime() }]);
});

test("an emptied queue is filled again by the sweep, oldest first, each post once", async () => {
  const stage = await atPds();
  const ids: number[] = [];
  for (let i = 0; i < 30; i++) ids.push(await stage.post({ description: `Post ${i}` }));
  stage.harness.sent.splice(0);
  stage.harness.advance(60);
  await stage.harness.tick();
  expect(stage.harness.sent.map(({ message }) => message.uploadId)).toEqual(ids);
  await stage.harness.tick();
  expect(stage.harness.sent).toHaveLength(30);
  await stage.harness.drain();
  expect(stage.pds.records.size).toBe(30);
});

test("what a full queue refuses to take is sent by the next tick", async () => {
  const stage = await atPds();
  const id = await stage.post({ schedule_date: new Date(Date.now() + 300_000).toISOString() });
  const { publishQueue } = stage.harness.deps;
  stage.harness.advance(240);
  const full = { sendBatch: () => Promise.reject(new Error("The queue is full.")) };
  Object.assign(stage.harness.deps, { publishQueue: full });
  await expect(stage.harness.tick()).rejects.toThrow("The queue is full.");
  Object.assign(stage.harness.deps, { publishQueue });
  await stage.harness.tick();
  expect(stage.harness.sent.map(({ message }) => message.uploadId)).toContain(id);
});

test("a worker that was away too long after its intent does not make its call", async () => {
  const stage = await atPds();
  const { harness, pds } = stage;
  const uploadId = await stage.post();
  let isAway = false;
  aroundBatches(harness, async (run, text) => {
    const results = await run();
    if (!isAway && text.includes('"submitting"')) {
      isAway = true;
      harness.advance(100);
      await harness.consume([{ kind: "publish", uploadId }]);
    }
    return results;
  });
  await harness.deliver();
  await harness.drain();
  expect(pds.count("repo.putRecord")).toBe(1);
  expect(await stage.read(uploadId)).toMatchObject({ status: "completed" });
});

test("a job whose messages get lost again and again is asked for every minute", async () => {
  const stage = await atPds();
  const id = await stage.post();
  for (let minute = 0; minute < 5; minute++) {
    stage.harness.sent.splice(0);
    stage.harness.advance(60);
    await stage.harness.tick();
    expect(stage.harness.sent.map(({ message }) => message.uploadId)).toContain(id);
  }
});

test("what is not what was approved is not held once it may be out", async () => {
  const stage = await atPds();
  const id = await stage.post();
  stage.pds.intercept = ({ method, answer }) =>
    method === "repo.putRecord" ? answer().then(connectionLost) : undefined;
  await stage.harness.deliver();
  await env.DB.prepare("UPDATE uploads SET approved_hash = 'another' WHERE id = ?").bind(id).run();
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test.each([
  ["before it has the job leaves it", 0, "pending"],
  ["hands over, and the next goes on from the bookmark", 1, "processing"],
])("a run that has spent its budget %s", async (_, steps, status) => {
  const stage = await atPds();
  const id = await stage.post();
  stage.harness.sent.splice(0);
  let left = steps;
  const within: SharedBudget["within"] = async (_calls, step) =>
    left-- > 0 ? step(() => {}) : null;
  await publishUpload(stage.harness.deps, id, { within });
  expect(await stage.read(id)).toMatchObject({ status });
  expect(stage.pds.count("repo.putRecord")).toBe(0);
  expect(stage.harness.sent).toMatchObject([{ message: { uploadId: id } }]);
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("an image by URL is downloaded by the job, checked, and stored", async () => {
  const stage = await atPds();
  const { pds } = stage;
  stage.harness.network = async (input, init) => {
    const request = new Request(input, init);
    const { url } = request;
    if (url === "https://cdn.example.com/moved.png") {
      return new Response(null, { status: 302, headers: { location: "/a.png" } });
    }
    if (url === "https://cdn.example.com/a.png") return new Response(pixelPng);
    return pds.fetch(request);
  };
  const id = await stage.post({ photo: "https://cdn.example.com/moved.png" });
  await stage.harness.drain();
  const upload = await stage.read(id);
  expect(upload).toMatchObject({ status: "completed", fileSize: String(pixelPng.length) });
  expect(upload.thumbnailUrl).toMatch(/^https:\/\/akimbo\.test\/media\//);
  expect([...pds.records.values()]).toMatchObject([
    { embed: { images: [{ aspectRatio: { width: 1, height: 1 } }] } },
  ]);
});

/** So many bytes, none of which has to be kept. */
function zeros(bytes: number): ReadableStream {
  const piece = new Uint8Array(4_000_000);
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(piece.subarray(0, Math.min(left, piece.length)));
      left -= piece.length;
      if (left <= 0) controller.close();
    },
  });
}

async function failsBy(answer: () => Response, code: string): Promise<void> {
  const stage = await atPds();
  stage.harness.network = async () => answer();
  const id = await stage.post({ photo: "https://cdn.example.com/a" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
}

test.runIf(isFull)("a media URL that has more than 200 MB fails the post without a retry", () =>
  failsBy(() => new Response(zeros(200_000_001)), "media_invalid"),
);

test.each([
  ["answers 404", () => new Response("no", { status: 404 }), "media_unreachable"],
  ["is a web page", () => new Response("<html>"), "media_invalid"],
  ["is empty", () => new Response(""), "media_invalid"],
  [
    "announces more than 200 MB",
    () => new Response(pixelPng, { headers: { "content-length": "200000001" } }),
    "media_invalid",
  ],
  [
    "redirects to a private address",
    () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/a.png" } }),
    "media_unreachable",
  ],
  [
    "redirects in a circle",
    () => new Response(null, { status: 302, headers: { location: "https://cdn.example.com/a" } }),
    "media_unreachable",
  ],
])("a media URL that %s fails the post without a retry", (_, answer, code) =>
  failsBy(answer, code),
);

test("disconnecting an account fails its waiting posts, each with its event", async () => {
  const stage = await atPds();
  const pending = await stage.post();
  const planned = await stage.post({
    schedule_date: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const draft = await stage.post({ status: "draft" });
  const { token } = stage.member;
  const removed = await stage.harness.call("DELETE", `/accounts/${stage.accountId}`, { token });
  expect(removed).toMatchObject({ status: 200, body: { data: { id: stage.accountId } } });
  await stage.harness.settle();
  expect(stage.pds.count("server.deleteSession")).toBe(1);
  for (const id of [pending, planned]) {
    expect(await stage.read(id)).toMatchObject({
      status: "failed",
      failure: { code: "account_disconnected" },
      connectedAccount: { id: stage.accountId },
    });
  }
  expect(await stage.read(draft)).toMatchObject({ status: "draft" });
  expect((await told(stage)).sort()).toEqual([
    "upload.failed",
    "upload.failed",
    "upload.scheduled",
  ]);
  await stage.harness.drain();
  expect(stage.pds.count("repo.putRecord")).toBe(0);
  const { credentials } = (await env.DB.prepare("SELECT credentials FROM accounts WHERE id = ?")
    .bind(stage.accountId)
    .first()) as { credentials: string | null };
  expect(credentials).toBeNull();
});
