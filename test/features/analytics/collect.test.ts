import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { MEASURED } from "../../platforms/measured.ts";
import type { Harness, Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { expectMeasured, HOURS, Nights } from "./nights.ts";

let nights: Nights;
let harness: Harness;
let owner: Member;

beforeEach(async () => {
  nights = await Nights.begin();
  ({ harness, owner } = nights);
});

const read = (path: string) => nights.read(path);
const connect = (platform: Platform) => nights.connect(platform);
const post = (accountId: string, platform: Platform, text: string) =>
  nights.post(accountId, platform, text);
const night = () => nights.pass();

/** One platform with views and one without; every-platform.long.test.ts has all. */
const BOTH_KINDS = [true, false].flatMap((hasViews) =>
  MEASURED.filter(([, measured]) => measured.hasViews === hasViews).slice(0, 1),
);

test.each(BOTH_KINDS)(
  "a post on %s is measured night by night, as ours",
  (platform, measured) => expectMeasured(platform, measured),
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
