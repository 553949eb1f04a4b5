import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { archivedBefore } from "../../src/features/archive/rules.ts";
import {
  ARCHIVING_CALLS,
  archivePosts,
  FREE_ROWS_A_NIGHT,
  membersAtOnce,
} from "../../src/features/archiving/nightly.ts";
import { membersOf, moveAll } from "../support/archive.ts";
import { createMember, type Harness, harnessWith, START } from "../support/harness.ts";
import { loadOf } from "../support/load.ts";
import { measure } from "../support/meter.ts";
import { loadOldPosts } from "./old-posts.ts";
import { planOf, store } from "./support.ts";

const MARCH = Date.UTC(2025, 2, 1);
/** Subrequests of an invocation that are left for chores, and its ticks of a day but those at the turn of each hour. */
const FREE = { subrequests: 46, ticks: 24 * 57 };
/** A row is deleted for each post. Beside them, each page writes its claim, its member, its file and its place. */
const ROWS_OF_PAGE = 4;

interface Night {
  pages: number;
  rowsWritten: number;
  rowsRead: number;
  mostCalls: number;
  posts: number;
  bytes: number;
  rawBytes: number;
}

/** Moves all old posts of a team, and counts. */
async function moveTeam(harness: Harness, teamId: number): Promise<Night> {
  const night = { pages: 0, rowsWritten: 0, rowsRead: 0, mostCalls: 0 };
  for (let cursor: string | null = `0 ${teamId} -1 0`; cursor?.split(" ")[1] === `${teamId}`; ) {
    const from: string = cursor;
    const { costs, result } = await measure(harness, () => archivePosts(harness.deps, from));
    cursor = result;
    night.pages++;
    // The chore's place is a row and a call more.
    night.rowsWritten += costs.rowsWritten + 1;
    night.rowsRead += costs.rowsRead;
    night.mostCalls = Math.max(
      night.mostCalls,
      costs.roundTrips.length + costs.storageCalls.length + 1,
    );
  }
  const members = await membersOf(teamId);
  const sum = (name: string) => members.reduce((all, one) => all + Number(one[name]), 0);
  return { ...night, posts: sum("posts"), bytes: sum("byte_length"), rawBytes: sum("raw_bytes") };
}

const sizeNow = async () => (await env.DB.prepare("SELECT 1").run()).meta.size_after ?? 0;

beforeEach(() => env.DB.exec("DELETE FROM uploads"));

test.each([
  ["free", 50, loadOf(1_000, 10_000), { ofNight: 37_000, ticks: FREE.ticks }],
  ["paid", 10_000, loadOf(3_000, 100_000), { ofNight: 100_000, ticks: 60 }],
])("the %s plan moves its posts of a night", async (plan, calls, rows, { ofNight, ticks }) => {
  const harness = harnessWith({ subrequestsPerInvocation: calls });
  const { teamId } = await createMember();
  const empty = await sizeNow();
  await store(loadOldPosts({ team: teamId, rows, from: MARCH }));
  const bytesOfPost = (await sizeNow()) - empty;
  const night = await moveTeam(harness, teamId);
  expect(night.posts).toBe(rows);
  expect(night.rowsWritten).toBeLessThanOrEqual(rows + night.pages * ROWS_OF_PAGE);
  expect(night.mostCalls).toBeLessThanOrEqual(ARCHIVING_CALLS + 1);
  expect(night.mostCalls).toBeLessThanOrEqual(FREE.subrequests);
  const perPost = night.rowsWritten / rows;
  const perTick = (rows / night.pages) * membersAtOnce(harness.deps);
  if (plan === "free") expect(ofNight * perPost).toBeLessThanOrEqual(FREE_ROWS_A_NIGHT);
  expect(ofNight / perTick).toBeLessThanOrEqual(ticks);
  console.log(
    `${plan}: ${perPost.toFixed(3)} rows written and ${Math.round(night.rowsRead / rows)} read a post, ` +
      `${Math.round(rows / night.pages)} posts a page, ${Math.ceil(ofNight / perTick)} ticks for ${ofNight} posts, ` +
      `${Math.round(bytesOfPost / rows)} bytes a post in the database, ${Math.round(night.bytes / rows)} in the file ` +
      `(${Math.round(night.rawBytes / rows)} unpacked).`,
  );
});

test("a page reads by indexes, whatever other teams and other months have", async () => {
  const harness = harnessWith({ subrequestsPerInvocation: 50 });
  const { teamId } = await createMember();
  const page = async () => {
    const { costs } = await measure(harness, () => archivePosts(harness.deps, `0 ${teamId} -1 0`));
    return costs;
  };
  const fill = async () => {
    await store(loadOldPosts({ team: teamId, rows: 60, from: MARCH }));
  };
  await fill();
  const few = await page();
  const { teamId: other } = await createMember();
  await store(loadOldPosts({ team: other, rows: 3_000, from: MARCH }));
  await store(loadOldPosts({ team: teamId, rows: 500, from: Date.UTC(2026, 5, 1) }));
  await fill();
  const many = await page();
  expect(many.rowsRead).toBeLessThanOrEqual(few.rowsRead + 20);
  for (const statement of many.roundTrips.flat()) {
    const scans = (await planOf(statement)).filter(
      (step) => /^SCAN (u|uploads|x|media_uses|t|teams)\b/.test(step) && !step.includes("INDEX"),
    );
    expect(scans, statement.sql).toEqual([]);
  }
  await moveAll(harness);
  expect(archivedBefore(START).toISOString()).toBe("2025-11-01T00:00:00.000Z");
});
