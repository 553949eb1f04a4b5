import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Query } from "../../../src/db/client.ts";
import { holdItems, holdPosts, setAside } from "../../../src/features/restore/repo/hold.ts";
import { type AccountStage, openAccount, openStage } from "../../support/stage.ts";

const SENTENCE = "Restored: check whether it went out.";

const TABLES = new Set(["uploads", "deliveries", "notices"]);

/** What a restore does to what was due when the backup was made an hour ago. */
async function restore({ deps }: AccountStage["harness"], made = new Date(Date.now() - 3_600_000)) {
  const run = (queries: readonly Query<number>[]) => deps.db.runAll(queries);
  await run(setAside(TABLES, deps.now()));
  await run([...holdPosts(made, deps.now()), ...holdItems(new Map())]);
  await env.DB.exec("DROP TABLE restoring_held");
}

async function untilSettled(stage: AccountStage): Promise<void> {
  for (let minute = 0; minute < 3; minute++) {
    await stage.harness.tick();
    await stage.harness.drain();
    stage.harness.advance(60);
  }
}

/** Gives a post back the row that it had before it was published. */
const rollBack = (id: number, status: "scheduled" | "pending") =>
  env.DB.prepare(
    `UPDATE uploads SET status = ?2, status_group = ?2, stage = 'preparing', bookmark = NULL, submitted_at = NULL,
      uploaded_at = NULL, metadata = NULL, submits = 0, due_at = ?3, fence = fence + 1 WHERE id = ?1`,
  )
    .bind(id, status, Date.now() - 1_800_000)
    .run();

test.each([
  ["scheduled", "x"],
  ["pending", "x"],
  ["scheduled", "bluesky"],
  ["pending", "bluesky"],
] as const)("a %s post that went out after the backup is found on %s", async (status, platform) => {
  const stage = await openAccount(platform);
  const id = await stage.post({ description: `Out already, ${status}` });
  await stage.harness.drain();
  const before = await stage.read(id);
  expect(before).toMatchObject({ status: "completed" });
  await rollBack(id, status);
  await restore(stage.harness);
  await untilSettled(stage);
  expect(await stage.read(id)).toMatchObject({ status: "completed", metadata: before.metadata });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
});

test.each(["x", "bluesky"] as const)(
  "a post that %s does not list is not sent, and a person retries it",
  async (platform) => {
    const stage = await openAccount(platform);
    const id = await stage.post({ description: "Never out" });
    stage.harness.sent.length = 0;
    await rollBack(id, "pending");
    await restore(stage.harness);
    await untilSettled(stage);
    const { status, errorMessage, failure } = await stage.read(id);
    expect({ status, failure }).toMatchObject({
      status: "failed",
      failure: { code: "queue_expired", retryable: true, nextAction: "retry" },
    });
    expect(errorMessage).toContain(SENTENCE);
    expect(await stage.feed()).toEqual([]);
    const { harness, member } = stage;
    const retried = await harness.call("POST", `/upload/${id}/retry`, { token: member.token });
    expect(retried.status).toBe(200);
    await harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
    expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
  },
);

test("where the platform cannot be asked, the post is not sent: a person looks first", async () => {
  const stage = await openAccount("linkedin");
  const id = await stage.post({ description: "Out or not" });
  stage.harness.sent.length = 0;
  await rollBack(id, "scheduled");
  await restore(stage.harness);
  await untilSettled(stage);
  const { status, errorMessage, failure } = await stage.read(id);
  expect({ status, failure }).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout", nextAction: "check_platform" },
  });
  expect(errorMessage).toContain(SENTENCE);
  expect(await stage.feed()).toEqual([]);
  const { harness, member } = stage;
  const plain = await harness.call("POST", `/upload/${id}/retry`, { token: member.token });
  expect(plain.status).toBe(409);
  const retry = { token: member.token, json: { force: true } };
  expect((await harness.call("POST", `/upload/${id}/retry`, retry)).status).toBe(200);
  await harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("a platform that does not answer: the post says that it was restored", async () => {
  const stage = await openStage("x");
  const id = await stage.post({ description: "Nobody answers" });
  stage.harness.sent.length = 0;
  await rollBack(id, "pending");
  await restore(stage.harness);
  const silent = async () => new Response(null, { status: 503 });
  const { result } = await stage.watch(() => stage.end(id), silent);
  expect(result).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout", nextAction: "check_platform" },
  });
  expect(result.errorMessage).toContain(SENTENCE);
});

test("a post that is found as another one's: it says that it was restored", async () => {
  const stage = await openAccount("x");
  const id = await stage.post({ description: "Claimed by another" });
  await stage.harness.drain();
  const other = await stage.post({ description: "The other" });
  await stage.harness.drain();
  await env.DB.prepare(
    "UPDATE uploads SET metadata = (SELECT metadata FROM uploads WHERE id = ?1) WHERE id = ?2",
  )
    .bind(id, other)
    .run();
  await rollBack(id, "pending");
  await restore(stage.harness);
  await untilSettled(stage);
  const { status, errorMessage } = await stage.read(id);
  expect(status).toBe("failed");
  expect(errorMessage).toContain(SENTENCE);
});

test("a post whose call was made before the backup is asked for, and not sent again", async () => {
  const stage = await openAccount();
  const id = await stage.post({ description: "Lost [sandbox:lost_reply]" });
  await stage.harness.deliver();
  expect(await stage.read(id)).toMatchObject({ status: "processing" });
  await restore(stage.harness);
  await untilSettled(stage);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ uploadId: id, received: 1 }]);
});

test("of a thread whose first post is found, nothing more is sent", async () => {
  const stage = await openAccount("x");
  const thread = JSON.stringify(["The second", "The third"]);
  const id = await stage.post({ description: "The first", thread });
  await stage.harness.drain();
  expect(await stage.feed()).toHaveLength(3);
  await rollBack(id, "pending");
  await env.DB.prepare(
    "UPDATE uploads SET part = 0, parts = (SELECT json_group_array(json_set(value, '$.status', 'pending', '$.platformPostId', NULL, '$.shareUrl', NULL)) FROM json_each(parts)) WHERE id = ?",
  )
    .bind(id)
    .run();
  await restore(stage.harness);
  await untilSettled(stage);
  expect(await stage.feed()).toHaveLength(3);
  const read = await stage.read(id);
  expect(read.status).toBe("completed");
  expect(JSON.stringify(read)).toContain(SENTENCE);
});

test("an account that is gone says nothing about the post: it is not offered for a retry", async () => {
  const stage = await openAccount("x");
  const id = await stage.post({ description: "Whose account ended" });
  stage.harness.sent.length = 0;
  await rollBack(id, "scheduled");
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?")
    .bind(stage.accountId)
    .run();
  await restore(stage.harness);
  await untilSettled(stage);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
});

test("a post that is due later goes out, and messages about rows that are gone do nothing", async () => {
  const stage = await openAccount("x");
  const at = new Date(Date.now() + 7_200_000).toISOString();
  const { harness } = stage;
  const id = await stage.post({ description: "Later", schedule_date: at });
  await restore(harness);
  await harness.consume([{ kind: "publish", uploadId: 987_654 }]);
  await harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({ status: "scheduled" });
  harness.advance(7_200);
  await untilSettled(stage);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});
