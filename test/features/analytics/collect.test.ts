import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { connectMeasured, MEASURED, measuredPost } from "../../platforms/measured.ts";
import { createMember, form, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const HOURS = 3_600;
const isPositive = (n: number) => n > 0;

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  // The tests of this file share their nights.
  await env.DB.batch(
    ["DELETE FROM chores", "UPDATE accounts SET deleted_at = 1"].map((sql) => env.DB.prepare(sql)),
  );
});

const read = async (path: string) =>
  (await harness.call("GET", `/analytics/${path}`, { token: owner.token })).body.data;

const connect = (platform: Platform) => connectMeasured(harness, owner, platform);

const post = async (accountId: string, platform: Platform, text: string) => {
  const body = form({ ...(await measuredPost(owner, platform, text)), accountId });
  const answer = await harness.call("POST", "/upload", { token: owner.token, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  await harness.drain();
  return answer.body.data.uploadId;
};

/** Runs the ticks and messages of the next night. */
async function night() {
  harness.advance(24 * HOURS);
  for (let tick = 0; tick < 2; tick++) {
    await harness.tick();
    harness.advance(60);
  }
  return harness.drainCollections();
}

test.each(MEASURED)(
  "a post on %s is measured night by night, as ours",
  async (platform, { counts, hasViews }) => {
    const id = await connect(platform);
    const uploadId = await post(id, platform, "First #Cats and #dogs");
    await night();
    const first = await read(id);
    expect(first.syncErrors).toEqual([]);
    expect(first.videos).toMatchObject([{ source: "mut", uploadId, platform }]);
    expect(first.videos[0].title).toContain("First #Cats");
    expect(first.topHashtags.map(({ tag }: { tag: string }) => tag).sort()).toEqual([
      "cats",
      "dogs",
    ]);
    expect(first.summary.followers.total).toBeGreaterThan(0);
    const second = await post(id, platform, "Second");
    await night();
    await night();
    const { videos, dailyHistory, overview, syncErrors } = await read(id);
    expect(syncErrors).toEqual([]);
    expect(videos.map(({ uploadId: own }: { uploadId: number }) => own)).toEqual([
      second,
      uploadId,
    ]);
    expect(dailyHistory).toHaveLength(3);
    const gained = dailyHistory.reduce(
      (sum: number, day: Record<string, number>) => sum + (day[counts] ?? 0),
      0,
    );
    const total = counts === "shares" ? "totalShares" : "totalLikes";
    expect(gained).toBe(overview[total] - first.overview[total]);
    expect(overview.totalViews > 0).toBe(hasViews);
    expect(dailyHistory[2].views).toEqual(hasViews ? expect.toSatisfy(isPositive) : null);
  },
  60_000,
);

test("a night writes at most four rows for an account, and one message is enough", async () => {
  const id = await connect("youtube");
  await post(id, "youtube", "Hello");
  await night();
  harness.advance(24 * HOURS);
  for (let tick = 0; tick < 2; tick++) {
    await harness.tick();
    harness.advance(60);
  }
  const own = harness.sentCollections.filter(({ message }) => message.accountId === id);
  expect(own).toHaveLength(1);
  const { costs } = await measure(harness, () =>
    harness.consume(own.map(({ message }) => message)),
  );
  expect(costs.rowsWritten).toBeLessThanOrEqual(4);
  expect(costs.roundTrips.length).toBeLessThanOrEqual(3);
  console.log(`A night of an account: ${costs.rowsWritten} rows written, ${costs.rowsRead} read.`);
});

test("a message that comes again, late, or for an account that is gone changes nothing", async () => {
  const id = await connect("bluesky");
  await post(id, "bluesky", "Hello");
  await night();
  const [row] = (
    await env.DB.prepare("SELECT * FROM analytics WHERE account_id = ?")
      .bind(id)
      .all<{ night: string }>()
  ).results;
  const message = { kind: "collect" as const, teamId: owner.teamId, accountId: id };
  const again = { ...message, collection: row?.night ?? "" };
  const effects = async (sent: typeof again) =>
    (await measure(harness, () => harness.consume([sent]))).costs.rowsWritten;
  expect(await effects(again)).toBe(0);
  expect(await effects({ ...again, collection: "2026-11-01" })).toBe(0);
  expect(await effects({ ...again, teamId: owner.teamId + 1_000_000 })).toBe(0);
  expect(harness.sentCollections).toEqual([]);
});

test("what a night's lost messages were to read is read in the morning, and nothing else", async () => {
  const [read, lost] = [await connect("bluesky"), await connect("youtube")];
  await post(read, "bluesky", "Hello");
  const toMidnight = 24 * HOURS - ((Date.now() / 1_000) % (24 * HOURS));
  harness.advance(toMidnight + 3 * HOURS + 5 * 60);
  // The chores of a night want more than the calls of one tick.
  await harness.tick();
  await harness.tick();
  const messages = harness.sentCollections.splice(0).map(({ message }) => message);
  expect(messages.map(({ accountId }) => accountId).sort()).toEqual([read, lost].sort());
  await harness.consume(messages.filter(({ accountId }) => accountId === read));
  harness.advance(3 * HOURS);
  await harness.tick();
  expect(harness.sentCollections.map(({ message }) => message.accountId)).toEqual([lost]);
  await harness.drainCollections();
  const rows = await env.DB.prepare("SELECT night FROM analytics WHERE account_id IN (?, ?)")
    .bind(read, lost)
    .all<{ night: string }>();
  expect(rows.results).toHaveLength(2);
  expect(new Set(rows.results.map(({ night }) => night)).size).toBe(1);
});

test("teams whose plan has no analytics are not read", async () => {
  const id = await connect("bluesky");
  await harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId: owner.teamId, plan: "basic" }));
  await night();
  const { results } = await env.DB.prepare("SELECT 1 FROM analytics WHERE account_id = ?")
    .bind(id)
    .all();
  expect(results).toEqual([]);
});

test("an account whose login is lost is told of, and the others are read", async () => {
  const [lost, fine] = [await connect("youtube"), await connect("bluesky")];
  await env.DB.prepare("UPDATE accounts SET credentials = 'broken' WHERE id = ?").bind(lost).run();
  await night();
  const { syncErrors, overview } = await read("overview");
  expect(syncErrors).toHaveLength(1);
  expect(syncErrors[0]).toMatchObject({ accountId: lost, platform: "youtube" });
  expect(overview.accountCount).toBe(2);
  expect((await read(fine)).neverSynced).toBe(false);
});
