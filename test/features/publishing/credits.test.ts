import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { grantPack } from "../../../src/features/credits/repo/packs.ts";
import { refundUploads } from "../../../src/features/ending/repo.ts";
import { claimUpload } from "../../../src/features/publishing/claim.ts";
import { xSimulator } from "../../../src/sandbox/x/index.ts";
import { aroundBatches } from "../../support/database.ts";
import { measure } from "../../support/meter.ts";
import { temporary, type Wrap } from "../../support/stage.ts";
import { testJpeg, testPng } from "../../support/videos.ts";
import { drifts, onStage, retry, type Stage, setPlan } from "../credits/support.ts";

/** How often X is called while the work is done. */
async function callsToX(work: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const see: Wrap = (_, answer) => {
    calls++;
    return answer();
  };
  await temporary(xSimulator, see, work);
  return calls;
}

/** Delivers what is due; each run dies before it can store that it is about to call X. */
async function killedAtIntent({ harness }: Stage): Promise<void> {
  const revive = aroundBatches(harness, async (run, text) => {
    if (text.includes("submitting")) throw new Error("The worker was killed.");
    return run();
  });
  await harness.deliver();
  revive();
}

const buy = ({ harness, member }: Stage, credits: number) =>
  harness.deps.db.runAll(
    grantPack(harness.deps.now(), {
      id: `pack_${member.teamId}_${credits}`,
      teamId: member.teamId,
      name: "Starter",
      credits,
    }),
  );

const LINK = "Read example.com";
const REFUSED = "Please fail [sandbox:unknown]";

test("a post costs 1 credit, with a link 15, and the record tells", async () => {
  const stage = await onStage();
  const id = await stage.post();
  expect(await stage.read(id)).toMatchObject({ status: "pending", xCredits: null });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "completed",
    xCredits: { spent: 1, refunded: 0, net: 1 },
  });
  expect(await stage.publish({ title: LINK })).toMatchObject({
    xCredits: { spent: 15, refunded: 0, net: 15 },
  });
  expect(await stage.credits()).toEqual({
    monthlyAllowance: 50,
    includedRemaining: 34,
    purchased: 0,
    total: 34,
  });
  expect(await drifts(stage)).toEqual([]);
});

test("posts on other platforms cost nothing, and ask for nothing", async () => {
  const stage = await onStage("basic", {}, "bluesky");
  const id = await stage.post({ description: LINK });
  const { costs } = await measure(stage.harness, () => stage.harness.drain());
  expect(JSON.stringify(costs.roundTrips)).not.toContain("credit_");
  expect(await stage.read(id)).toMatchObject({ status: "completed", xCredits: null });
  expect(await stage.ledger()).toEqual([]);
});

test("paying takes one round trip more than a post without a price, and 3 rows", async () => {
  const stage = await onStage();
  await stage.publish({ title: "The first of the month" });
  await stage.post({ title: "The second" });
  const { costs } = await measure(stage.harness, () => stage.harness.drain());
  expect(costs.roundTrips).toHaveLength(4);
  const written = costs.roundTrips.map((trip) =>
    trip.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
  );
  expect(written).toEqual([2, 3, 1, 3]);
});

test("a failed attempt gets its credits back, and a retry pays again", async () => {
  const stage = await onStage();
  const upload = await stage.publish({ title: `${REFUSED} example.com` });
  expect(upload).toMatchObject({
    status: "failed",
    xCredits: { spent: 15, refunded: 15, net: 0 },
  });
  expect(await stage.credits()).toMatchObject({ total: 50 });
  await env.DB.prepare("UPDATE uploads SET title = ? WHERE id = ?").bind(LINK, upload.id).run();
  await retry(stage, upload.id);
  expect(await stage.read(upload.id)).toMatchObject({
    status: "completed",
    xCredits: { spent: 30, refunded: 15, net: 15 },
  });
  expect(await stage.ledger()).toEqual(
    expect.arrayContaining([
      { reference: `upload:${upload.id}:1`, kind: "debit", included: -15, purchased: 0 },
      { reference: `upload:${upload.id}:1`, kind: "refund", included: 15, purchased: 0 },
      { reference: `upload:${upload.id}:2`, kind: "debit", included: -15, purchased: 0 },
    ]),
  );
  expect(await stage.credits()).toMatchObject({ total: 35 });
  expect(await drifts(stage)).toEqual([]);
});

test("a post that waits for X to come back pays once", async () => {
  const stage = await onStage();
  expect(await stage.publish({ title: "Trouble [sandbox:5xx=2]" })).toMatchObject({
    status: "completed",
    xCredits: { spent: 1, refunded: 0, net: 1 },
  });
});

test("a post that may be out keeps its debit", async () => {
  const stage = await onStage();
  expect(
    await stage.publish({ title: "Please fail [sandbox:platform_processing_timeout]" }),
  ).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
    xCredits: { spent: 1, refunded: 0, net: 1 },
  });
});

test("short of credits, the job fails before X hears of it, and says what is missing", async () => {
  const stage = await onStage();
  for (let i = 0; i < 3; i++) await stage.publish({ title: `${LINK} ${i}` });
  const id = await stage.post();
  await env.DB.prepare("UPDATE uploads SET title = ? WHERE id = ?").bind(LINK, id).run();
  expect(await callsToX(() => stage.harness.drain())).toBe(0);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "rate_limited", retryable: true, nextAction: "retry_later" },
    errorMessage: expect.stringMatching(/^Not enough X credits: .* costs 15, and 5 are left/),
    xCredits: { spent: 0, refunded: 0, net: 0 },
  });
  expect(await stage.credits()).toMatchObject({ total: 5 });
  await buy(stage, 10);
  await retry(stage, id);
  expect(await stage.read(id)).toMatchObject({ status: "completed", xCredits: { net: 15 } });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 0, purchased: 0, total: 0 });
  expect(await drifts(stage)).toEqual([]);
});

test("included credits are spent first, and given back as they were taken", async () => {
  const stage = await onStage();
  await buy(stage, 100);
  for (let i = 0; i < 3; i++) await stage.publish({ title: `${LINK} ${i}` });
  const failed = await stage.publish({ title: `${REFUSED} example.com` });
  expect(await stage.ledger()).toEqual(
    expect.arrayContaining([
      { reference: `upload:${failed.id}:1`, kind: "debit", included: -5, purchased: -10 },
      { reference: `upload:${failed.id}:1`, kind: "refund", included: 5, purchased: 10 },
    ]),
  );
  expect(await stage.credits()).toMatchObject({ includedRemaining: 5, purchased: 100 });
  expect(await drifts(stage)).toEqual([]);
});

test("a plan without credits lives on packs", async () => {
  const stage = await onStage("basic");
  const { config } = stage.harness.deps;
  const { plans } = config.plans;
  const basic = { ...plans.basic, xCredits: 0 };
  stage.harness.deps.config = {
    ...config,
    plans: { ...config.plans, plans: { ...plans, basic } },
  };
  await buy(stage, 2);
  expect(await stage.publish({ title: "One" })).toMatchObject({ status: "completed" });
  expect(await stage.publish({ title: REFUSED })).toMatchObject({ xCredits: { net: 0 } });
  expect(await stage.publish({ title: "Two" })).toMatchObject({ status: "completed" });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 0, purchased: 0 });
  expect(await drifts(stage)).toEqual([]);
});

test("the included credits are all there again on the 1st, and purchased ones stay", async () => {
  const stage = await onStage();
  await buy(stage, 100);
  for (let i = 0; i < 4; i++) await stage.publish({ title: `${LINK} ${i}` });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 0, purchased: 90 });
  stage.harness.advance(31 * 86_400);
  expect(await stage.credits()).toMatchObject({ includedRemaining: 50, purchased: 90 });
  await stage.publish({ title: "In the new month" });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 49, purchased: 90 });
  expect(await drifts(stage)).toEqual([]);
});

test("a refund after the month has turned goes to the new month", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: LINK });
  await killedAtIntent(stage);
  expect(await stage.credits()).toMatchObject({ includedRemaining: 35 });
  await env.DB.prepare("UPDATE uploads SET title = ?, crashes = 9 WHERE id = ?")
    .bind(REFUSED, id)
    .run();
  stage.harness.advance(31 * 86_400);
  await stage.harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    xCredits: { spent: 15, refunded: 15, net: 0 },
  });
  expect(await stage.credits()).toMatchObject({ monthlyAllowance: 50, includedRemaining: 65 });
  expect(await drifts(stage)).toEqual([]);
  await stage.publish({ title: "Then another" });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 64 });
  expect(await drifts(stage)).toEqual([]);
});

test("a plan that changes within the month leaves its allowance less what was spent", async () => {
  const stage = await onStage("scale");
  const { teamId } = stage.member;
  for (let i = 0; i < 5; i++) await stage.publish({ title: `${LINK} ${i}` });
  expect(await stage.credits()).toMatchObject({ monthlyAllowance: 300, includedRemaining: 225 });
  const id = await stage.post({ title: "Short" });
  await setPlan(teamId, "basic");
  expect(await stage.credits()).toMatchObject({ monthlyAllowance: 50, includedRemaining: 0 });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "failed" });
  await setPlan(teamId, "pro");
  expect(await stage.credits()).toMatchObject({ monthlyAllowance: 150, includedRemaining: 75 });
  await stage.publish({ title: "Enough" });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 74 });
  expect(await drifts(stage)).toEqual([]);
});

test("a worker that dies after the claim, again and again, has paid once", async () => {
  const stage = await onStage();
  const { harness } = stage;
  const id = await stage.post();
  for (let i = 0; i < 3; i++) {
    expect(await claimUpload(harness.deps, id)).toMatchObject({ kind: "claimed" });
    harness.advance(91);
  }
  expect(await stage.credits()).toMatchObject({ total: 50 });
  for (let i = 0; i < 3; i++) {
    const revive = aroundBatches(harness, async (run, text) => {
      const results = await run();
      if (text.includes("credit_ledger")) throw new Error("Killed.");
      return results;
    });
    await harness.consume([{ kind: "publish", uploadId: id }]);
    revive();
    expect(await stage.credits()).toMatchObject({ total: 49 });
    harness.advance(91);
  }
  await harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({
    status: "completed",
    xCredits: { spent: 1, refunded: 0, net: 1 },
  });
  expect(await stage.credits()).toMatchObject({ total: 49 });
  expect(await drifts(stage)).toEqual([]);
});

test("a worker that has lost its lease neither pays nor fails the post", async () => {
  const stage = await onStage();
  const { harness } = stage;
  const id = await stage.post();
  let isAway = false;
  aroundBatches(harness, async (run, text) => {
    if (!isAway && text.includes("credit_ledger")) {
      isAway = true;
      harness.advance(100);
      await harness.consume([{ kind: "publish", uploadId: id }]);
    }
    return run();
  });
  await harness.deliver();
  await harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", xCredits: { net: 1 } });
  expect(await stage.credits()).toMatchObject({ total: 49 });
});

test("what is held back gets its credits back, and pays when it is approved again", async () => {
  const stage = await onStage();
  const { harness } = stage;
  const id = await stage.post({ title: LINK });
  await killedAtIntent(stage);
  await env.DB.prepare("UPDATE uploads SET approved_hash = 'another' WHERE id = ?").bind(id).run();
  harness.advance(91);
  await harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({
    status: "pending_approval",
    xCredits: { spent: 15, refunded: 15, net: 0 },
  });
  await env.DB.prepare(
    "UPDATE uploads SET status = 'pending', status_group = 'pending', due_at = ? WHERE id = ?",
  )
    .bind(Date.now(), id)
    .run();
  await harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await stage.read(id)).toMatchObject({ status: "completed", xCredits: { net: 15 } });
  expect(await stage.credits()).toMatchObject({ total: 35 });
  expect(await drifts(stage)).toEqual([]);
});

test("posts that are ended by a statement of their own get their credits back, each once", async () => {
  const stage = await onStage();
  const { harness, member } = stage;
  await buy(stage, 100);
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) ids.push(await stage.post({ title: `${LINK} ${i}` }));
  await killedAtIntent(stage);
  expect(await stage.credits()).toMatchObject({ includedRemaining: 0, purchased: 90 });
  const ended = sql`team_id = ${member.teamId} AND status_group = 'pending'`;
  for (let i = 0; i < 2; i++)
    await harness.deps.db.runAll(refundUploads(harness.deps.now(), ended));
  expect(await stage.credits()).toMatchObject({ includedRemaining: 50, purchased: 100 });
  for (const id of ids) {
    expect(await stage.read(id)).toMatchObject({ xCredits: { spent: 15, refunded: 15, net: 0 } });
  }
  expect(await drifts(stage)).toEqual([]);
});

const LONG = "Twenty letters or digits, and some more";
const photo = (bytes = testJpeg) => new Blob([bytes], { type: "image/jpeg" });

test.each<[string, object, object]>([
  ["the text but for signs and case", { title: LONG }, { title: ` ${LONG.toUpperCase()}!!` }],
  [
    "a file",
    { title: "One", photo: photo() },
    { title: "Another", photo: [photo(testPng), photo()] },
  ],
])("%s of the last 30 days is not sent again, and costs nothing", async (_, first, second) => {
  const stage = await onStage();
  const { harness } = stage;
  expect(await stage.publish(first as never)).toMatchObject({ status: "completed" });
  harness.advance(29 * 86_400);
  const id = await stage.post(second as never);
  expect(await callsToX(() => harness.drain())).toBe(0);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "content_flagged", retryable: false, nextAction: "edit_post" },
    errorMessage: expect.stringContaining("the same content twice within 30 days"),
    xCredits: { spent: 1, refunded: 1, net: 0 },
  });
  expect(await drifts(stage)).toEqual([]);
  harness.advance(2 * 86_400);
  expect(await stage.publish(second as never)).toMatchObject({ status: "completed" });
});

test("short texts, other texts, and posts that failed or are other accounts' are no repetition", async () => {
  const stage = await onStage();
  await stage.publish({ title: "Good morning!" });
  expect(await stage.publish({ title: "Good morning" })).toMatchObject({ status: "completed" });
  expect(await stage.publish({ title: `${LONG} [sandbox:unknown]` })).toMatchObject({
    status: "failed",
  });
  expect(await stage.publish({ title: `${LONG} [sandbox:unknown]` })).toMatchObject({
    failure: { code: "unknown" },
  });
  expect(await stage.publish({ title: LONG })).toMatchObject({ status: "completed" });
  expect(await stage.publish({ title: `${LONG} 2` })).toMatchObject({ status: "completed" });
  const other = await onStage();
  expect(await other.publish({ title: LONG })).toMatchObject({ status: "completed" });
});
