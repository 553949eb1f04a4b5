import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Counters } from "../../../src/features/analytics/rules/counters.ts";
import { storeSync } from "../../../src/features/analytics/store.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { ALL } from "./readings.ts";

const DAY = 86_400_000;
const TODAY = Date.parse("2026-12-01T00:00:00Z");
const night = (daysAgo: number): number => TODAY - daysAgo * DAY + 3 * 3_600_000;

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const read = (path: string, token = owner.token) =>
  harness.call("GET", `/analytics/${path}`, { token });

interface Post {
  id: string;
  views: number | null;
  likes?: number;
  publishedAt?: number;
  hashtags?: string[];
  uploadId?: number;
}

const sync = (
  accountId: string,
  daysAgo: number,
  posts: Post[],
  followers: number | null = null,
  errors: string[] = [],
) => {
  const at = night(daysAgo);
  return storeSync(harness.deps, {
    teamId: owner.teamId,
    accountId,
    measures: ALL,
    errors: errors.map((message) => ({ message, at })),
    uploadIds: new Map(posts.flatMap(({ id, uploadId }) => (uploadId ? [[id, uploadId]] : []))),
    rehearsed: [],
    reading: {
      at,
      followers,
      posts: posts.map(({ id, views, likes = 0, publishedAt = night(100), hashtags = [] }) => ({
        id,
        at,
        publishedAt,
        hashtags,
        url: `https://example.com/${id}`,
        text: `Post ${id}`,
        counters: [views, likes, 0, 0] as Counters,
      })),
    },
  });
};

test("without any sync everything is empty, and nothing passes for zero that was not measured", async () => {
  const id = await connectSandbox(harness, owner);
  for (const path of ["overview", id]) {
    const { status, body } = await read(path);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      overview: {
        totalViews: 0,
        totalLikes: 0,
        totalComments: 0,
        totalShares: 0,
        videoCount: 0,
        accountCount: 1,
        bestAccount: null,
      },
      videos: [],
      bestPerforming: { mostViewed: null, mostEngaging: null },
      topHashtags: [],
      dailyHistory: [],
      followerHistory: [],
      platformHistory: [
        {
          platform: "bluesky",
          accountCount: 1,
          videoCount: 0,
          followers: null,
          days: [],
          views: 0,
          likes: 0,
          comments: 0,
          shares: 0,
        },
      ],
      lastRefreshedAt: null,
      neverSynced: true,
      syncErrors: [],
      summary: {
        views: { current: null, previous: null, measuredDays: { current: 0, previous: 0 } },
        followers: { total: null, change: null },
        postsPublished: { current: null, previous: null, change: null },
      },
      postingInsights: { timezone: "UTC", sampleSize: 0, bestDay: null, bestHours: [] },
    });
  }
});

test("two accounts are told together and each by itself", async () => {
  const first = await connectSandbox(harness, owner, "Ada", "tiktok");
  const second = await connectSandbox(harness, owner, "Bob", "bluesky");
  await sync(first, 40, [{ id: "a", views: 100 }], 1_000);
  await sync(first, 35, [{ id: "a", views: 130 }]);
  await sync(
    first,
    2,
    [
      { id: "a", views: 190, likes: 9, hashtags: ["cats"] },
      { id: "b", views: 40, publishedAt: night(5), uploadId: 7, hashtags: ["cats", "dogs"] },
    ],
    1_100,
  );
  await sync(second, 3, [{ id: "c", views: 10, likes: 30 }], 50);
  await sync(second, 1, [{ id: "c", views: 15, likes: 31, hashtags: ["dogs"] }], 40, [
    "Half of it",
  ]);

  const { data } = (await read("overview")).body;
  expect(data.overview).toEqual({
    totalViews: 245,
    totalLikes: 40,
    totalComments: 0,
    totalShares: 0,
    videoCount: 3,
    accountCount: 2,
    bestAccount: { name: `Ada ${owner.teamId}`, platform: "tiktok", views: 230 },
  });
  expect(data.videos.map(({ id, source, uploadId }: never) => [id, source, uploadId])).toEqual([
    ["b", "mut", 7],
    ["a", "external", null],
    ["c", "external", null],
  ]);
  expect(data.bestPerforming.mostViewed).toMatchObject({ id: "a", views: 190, engagement: 9 });
  expect(data.bestPerforming.mostEngaging).toMatchObject({ id: "c", platform: "bluesky" });
  expect(data.topHashtags).toEqual([
    { tag: "cats", posts: 2, views: 230, engagement: 9 },
    { tag: "dogs", posts: 2, views: 55, engagement: 31 },
  ]);
  expect(data.dailyHistory.map(({ date, views }: never) => [date, views])).toEqual([
    ["2026-10-22", null],
    ["2026-10-27", 30],
    ["2026-11-28", null],
    ["2026-11-29", 100],
    ["2026-11-30", 5],
  ]);
  expect(data.summary).toEqual({
    windowDays: 30,
    views: {
      current: 105,
      previous: 30,
      change: 75,
      changePct: 250,
      measuredDays: { current: 2, previous: 1 },
    },
    followers: { total: 1_140, previous: null, change: null, changePct: null },
    postsPublished: { current: 1, previous: 0, change: 1 },
  });
  expect(data.followerHistory.at(-1)).toEqual({ date: "2026-11-30", followers: 1_140 });
  expect(data.platformHistory.map(({ platform, views }: never) => [platform, views])).toEqual([
    ["bluesky", 15],
    ["tiktok", 230],
  ]);
  expect(data).toMatchObject({ neverSynced: false, lastRefreshedAt: "2026-11-30T03:00:00.000Z" });
  expect(data.syncErrors).toEqual([
    {
      accountId: second,
      accountName: `Bob ${owner.teamId}`,
      platform: "bluesky",
      message: "Half of it",
      at: "2026-11-30T03:00:00.000Z",
    },
  ]);
  const one = (await read(second)).body.data;
  expect(one.overview).toMatchObject({ totalViews: 15, accountCount: 1, videoCount: 1 });
  expect(one.tags).toBe("");
});

test("tags choose accounts, a source chooses posts and leaves the totals alone", async () => {
  const { token } = owner;
  const first = await connectSandbox(harness, owner, "Ada", "tiktok");
  const second = await connectSandbox(harness, owner, "Bob", "bluesky");
  await harness.call("PATCH", `/accounts/${first}`, { token, json: { tags: "News,EU" } });
  await sync(first, 1, [
    { id: "a", views: 1 },
    { id: "b", views: 2, uploadId: 3 },
  ]);
  await sync(second, 1, [{ id: "c", views: 4 }]);
  const figures = async (path: string) => {
    const { data } = (await read(path)).body;
    const ids = data.videos.map(({ id }: { id: string }) => id).sort();
    return [data.overview.accountCount, data.overview.totalViews, ids.join()];
  };
  expect(await figures("overview?tags=news")).toEqual([1, 3, "a,b"]);
  expect(await figures("overview?tags=eu,%20other")).toEqual([1, 3, "a,b"]);
  expect(await figures("overview?tags=,")).toEqual([2, 7, "a,b,c"]);
  expect(await figures("overview?tags=nobody")).toEqual([0, 0, ""]);
  expect(await figures("overview?source=mut")).toEqual([2, 7, "b"]);
  expect(await figures("overview?source=external")).toEqual([2, 7, "a,c"]);
  expect(await figures(`${first}?source=mut`)).toEqual([1, 3, "b"]);
  expect((await read(first)).body.data.tags).toBe("News,EU");
});

test("the hours of insights are those of the zone that is asked for", async () => {
  const id = await connectSandbox(harness, owner);
  const posts = [1, 2, 3].map((week) => ({
    id: `p${week}`,
    views: 10,
    publishedAt: Date.UTC(2026, 10, 2 + week * 7, 23, 30),
  }));
  await sync(id, 1, posts);
  const insights = async (zone: string) =>
    (await read(`overview?timezone=${zone}`)).body.data.postingInsights;
  expect(await insights("UTC")).toMatchObject({
    bestDay: { weekday: 1, posts: 3, avgViews: 10 },
    bestHours: [{ hour: 23 }],
  });
  expect(await insights("asia/tokyo")).toMatchObject({
    timezone: "Asia/Tokyo",
    bestDay: { weekday: 2 },
    bestHours: [{ hour: 8 }],
  });
});

test.each([
  "overview?timezone=Mars/Phobos",
  "overview?timezone=%2B02:00",
  "overview?timezone=",
  "overview?source=ours",
  `overview?tags=${"x".repeat(501)}`,
])("refuses %s", async (path) => {
  expect((await read(path)).status).toBe(400);
});

test("accounts count by platform as in the overview, whether they were read or not", async () => {
  const ids = [];
  for (const [name, platform] of [
    ["Ada", "youtube"],
    ["Bob", "youtube"],
    ["Cleo", "bluesky"],
  ] as const) {
    ids.push(await connectSandbox(harness, owner, name, platform));
  }
  await sync(ids[0] as string, 1, [{ id: "a", views: 5 }]);
  const { overview, platformHistory } = (await read("overview")).body.data;
  expect(overview.accountCount).toBe(3);
  expect(
    platformHistory.map(({ platform, accountCount, videoCount }: never) => [
      platform,
      accountCount,
      videoCount,
    ]),
  ).toEqual([
    ["bluesky", 1, 0],
    ["youtube", 2, 1],
  ]);
});

test("an account of another team is forbidden, in one round trip; an unknown one is not found", async () => {
  const id = await connectSandbox(harness, owner, "Ada", "linkedin");
  await sync(id, 1, [{ id: "a", views: 1 }]);
  const { token } = await createMember();
  const comments = "linkedin/comments?postId=urn:li:share:7123456789";
  for (const [method, path] of [
    ["GET", id],
    ["POST", `${id}/sync`],
    ["GET", `${id}/${comments}`],
  ] as const) {
    const call = (path: string) => harness.call(method, `/analytics/${path}`, { token });
    const { result, costs } = await measure(harness, () => call(path));
    expect([result.status, result.body.code]).toEqual([403, "FORBIDDEN"]);
    expect(JSON.stringify(result.body)).not.toContain("Ada");
    expect(costs.roundTrips).toHaveLength(1);
    expect((await call(path.replace(id, "acc_none"))).status).toBe(404);
  }
});

test("an account that was disconnected is not found, and its figures are gone", async () => {
  const id = await connectSandbox(harness, owner);
  await sync(id, 1, [{ id: "a", views: 1 }]);
  const other = await createMember();
  expect((await read(id, other.token)).status).toBe(403);
  expect((await read("overview", other.token)).body.data.overview.accountCount).toBe(0);
  expect((await read("nothing")).status).toBe(404);
  await harness.call("DELETE", `/accounts/${id}`, { token: owner.token });
  expect((await read(id)).status).toBe(404);
  expect((await read(id, other.token)).status).toBe(404);
  expect(await sync(id, 0, [{ id: "a", views: 2 }])).toBe(false);
  for (const table of ["analytics", "analytics_posts"]) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE team_id = ?`)
      .bind(owner.teamId)
      .all();
    expect(results).toEqual([]);
  }
});

test("a plan without analytics, and a token without the scope, get 403; members may read", async () => {
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, "MEMBER");
  const member = await createToken(userId, { teamId: owner.teamId, scopes: ["analytics:read"] });
  expect((await read("overview", member)).status).toBe(200);
  const narrow = await createToken(owner.userId, { scopes: ["posts:read"] });
  expect((await read("overview", narrow)).body.code).toBe("INSUFFICIENT_SCOPE");
  const id = await connectSandbox(harness, owner);
  await harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId: owner.teamId, plan: "basic" }));
  for (const path of ["overview", id, "nothing"]) {
    const { status, body } = await read(path);
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
  }
});

test("syncs of an account at the same time are all taken in", async () => {
  const id = await connectSandbox(harness, owner);
  const days = [4, 3, 2];
  const done = await Promise.all(days.map((day) => sync(id, day, [{ id: `p${day}`, views: day }])));
  expect(done).toEqual([true, true, true]);
  const { data } = (await read(id)).body;
  expect(data.overview).toMatchObject({ totalViews: 9, videoCount: 3 });
  expect(data.dailyHistory).toHaveLength(3);
});

test("a sync writes two rows", async () => {
  const id = await connectSandbox(harness, owner);
  for (const day of [3, 2]) {
    const posts = Array.from({ length: 50 }, (_, i) => ({ id: `p${i}`, views: 10 - day }));
    const { costs } = await measure(harness, () => sync(id, day, posts));
    expect(costs.rowsWritten).toBe(2);
    expect(costs.roundTrips).toHaveLength(2);
  }
});
