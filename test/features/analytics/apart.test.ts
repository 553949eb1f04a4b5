import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import type { Platform } from "../../../src/core/platforms.ts";
import { DAY } from "../../../src/core/time.ts";
import { measuresOf } from "../../../src/features/analytics/collect.ts";
import { forgetOldFigures } from "../../../src/features/analytics/expiry.ts";
import { type Counters, METRICS } from "../../../src/features/analytics/rules/counters.ts";
import { storeSync } from "../../../src/features/analytics/store.ts";
import {
  connectSandbox,
  createMember,
  type Harness,
  harnessWith,
  type Member,
  START,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { belowBy } from "./readings.ts";

const DATE = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

const TODAY = Math.floor(START.getTime() / DAY);

let off: Harness;
let on: Harness;
let owner: Member;
beforeEach(async () => {
  off = harnessWith({ derivedMetrics: [] });
  on = harnessWith({ derivedMetrics: ["youtube"] });
  owner = await createMember();
});

const read = async (harness: Harness, path = "overview") =>
  (await harness.call("GET", `/analytics/${path}`, { token: owner.token })).body.data;

interface Known {
  id: string;
  platform: Platform;
}

const connect = async (name: string, platform: Platform): Promise<Known> => ({
  id: await connectSandbox(off, owner, name, platform),
  platform,
});

const sync = (
  harness: Harness,
  { id, platform }: Known,
  daysAgo: number,
  posts: Record<string, Counters>,
  followers: number | null = null,
) => {
  const at = (TODAY - daysAgo) * DAY + 3 * 3_600_000;
  return storeSync(harness.deps, {
    teamId: owner.teamId,
    accountId: id,
    measures: measuresOf(harness.deps, platform),
    errors: [],
    uploadIds: new Map(),
    rehearsed: [],
    reading: {
      at,
      followers,
      posts: Object.entries(posts).map(([post, counters]) => ({
        id: `${id} ${post}`,
        at,
        publishedAt: (TODAY - 200) * DAY,
        text: post,
        hashtags: [post.slice(0, 1)],
        url: null,
        counters,
      })),
    },
  });
};

/** Posts whose counters rise at random, on each of these days. */
async function plant(account: Known, seed: number, daysAgo: readonly number[]): Promise<void> {
  const below = belowBy(seed);
  const marks = new Map<string, number[]>();
  for (const day of daysAgo) {
    const posts: Record<string, Counters> = {};
    for (const post of ["a1", "a2", "b1", "c1"]) {
      const risen = (marks.get(post) ?? [9, 9, 9, 9]).map((mark) => mark + below(1_000));
      marks.set(post, risen);
      posts[post] = METRICS.map((metric, i) =>
        metric === "shares" && account.platform === "youtube" ? null : (risen[i] ?? null),
      );
    }
    await sync(off, account, day, posts, 100 + below(50));
  }
}

/** The rows as stored, of accounts on these platforms. */
async function rawRows(platforms: readonly Platform[]) {
  const { results } = await env.DB.prepare(
    `SELECT a.id, a.platform, a.account_name, p.posts, n.series
      FROM accounts a JOIN analytics n on n.account_id = a.id
        JOIN analytics_posts p on p.account_id = a.id
      WHERE a.team_id = ? AND a.platform IN (SELECT value FROM json_each(?)) ORDER BY a.id`,
  )
    .bind(owner.teamId, JSON.stringify(platforms))
    .all<Record<"id" | "platform" | "account_name" | "posts" | "series", string>>();
  return results.map(({ posts, series, ...row }) => ({
    ...row,
    posts: JSON.parse(posts) as { id: string; hashtags: string[]; counters: Counters }[],
    days: JSON.parse(series).days as number[][],
    months: JSON.parse(series).months as unknown[][],
  }));
}

const sumOf = (numbers: readonly (number | null | undefined)[]): number =>
  numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);

const viewsOf = ({ counters }: { counters: Counters }) => counters[0] ?? 0;
const engagementOf = ({ counters }: { counters: Counters }) => sumOf(counters.slice(1));

/** What the answer must say of accounts on these platforms, by other means than the service's. */
async function recompute(platforms: readonly Platform[]) {
  const rows = await rawRows(platforms);
  const posts = rows.flatMap((row) => row.posts);
  const highest = (of: (post: (typeof posts)[number]) => number) =>
    Math.max(...posts.map((post) => of(post)));
  const perDay = new Map<number, number[][]>();
  for (const row of rows) {
    for (const values of row.days) {
      const day = values[0] ?? 0;
      perDay.set(day, [...(perDay.get(day) ?? []), values]);
    }
  }
  const viewsPerDay = [...perDay]
    .sort(([a], [b]) => a - b)
    .map(([day, values]): [string, number | null] => {
      const gains = values.map((one) => one[1] ?? null).filter((gain) => gain !== null);
      return [DATE(day), gains.length > 0 ? sumOf(gains) : null];
    });
  const lastMonth = viewsPerDay.filter(([date]) => date >= DATE(TODAY - 30) && date < DATE(TODAY));
  const tags = new Map<string, number>();
  for (const post of posts) {
    for (const tag of post.hashtags) tags.set(tag, (tags.get(tag) ?? 0) + viewsOf(post));
  }
  const best = rows
    .map((row) => ({
      name: row.account_name,
      platform: row.platform,
      views: sumOf(row.posts.map(viewsOf)),
    }))
    .sort((a, b) => b.views - a.views)[0];
  const followers = rows.map((row) => row.days.at(-1)?.[5]);
  return {
    totals: [0, 1, 2, 3].map((i) => sumOf(posts.map(({ counters }) => counters[i]))),
    videoCount: posts.length,
    best,
    mostViewed: highest(viewsOf),
    mostEngaging: highest(engagementOf),
    viewsPerDay,
    current: sumOf(lastMonth.map(([, views]) => views)),
    followers: sumOf(followers),
    lastFollowers: sumOf(followers),
    tags: [...tags].sort(([, a], [, b]) => b - a),
    samples: posts.length,
  };
}

const saidBy = ({
  overview,
  bestPerforming,
  dailyHistory,
  summary,
  followerHistory,
  topHashtags,
  postingInsights,
}: Awaited<ReturnType<typeof read>>): Awaited<ReturnType<typeof recompute>> => ({
  totals: [overview.totalViews, overview.totalLikes, overview.totalComments, overview.totalShares],
  videoCount: overview.videoCount,
  best: overview.bestAccount,
  mostViewed: bestPerforming.mostViewed.views,
  mostEngaging: bestPerforming.mostEngaging.engagement,
  viewsPerDay: dailyHistory.map(({ date, views }: { date: string; views: number | null }) => [
    date,
    views,
  ]),
  current: summary.views.current,
  followers: summary.followers.total,
  lastFollowers: followerHistory.at(-1).followers,
  tags: topHashtags.map(({ tag, views }: { tag: string; views: number }) => [tag, views]),
  samples: postingInsights.sampleSize,
});

describe("the figures of a platform that forbids to combine them", () => {
  const DAYS = [25, 20, 13, 8, 3, 1];
  const OTHERS: Platform[] = ["bluesky", "tiktok"];
  let all: Known[];

  beforeEach(async () => {
    all = [];
    for (const [seed, [name, platform]] of (
      [
        ["Ada", "youtube"],
        ["Bob", "youtube"],
        ["Cleo", "bluesky"],
        ["Dan", "tiktok"],
      ] as const
    ).entries()) {
      const account = await connect(name, platform);
      await plant(account, seed + 1, DAYS);
      all.push(account);
    }
  });

  test("stand beside the sums, each recomputed from the stored rows", async () => {
    const data = await read(off);
    expect(saidBy(data)).toEqual(await recompute(OTHERS));
    expect(data.overview.accountCount).toBe(4);
    const [apart, ...more] = data.apart;
    expect(more).toEqual([]);
    expect(apart.platform).toBe("youtube");
    expect(apart.overview.accountCount).toBe(2);
    expect(saidBy(apart)).toEqual(await recompute(["youtube"]));
    expect(data.videos).toHaveLength(16);
    expect(data.platformHistory.map(({ platform, views }: never) => [platform, views])).toEqual(
      await Promise.all(
        (["bluesky", "tiktok", "youtube"] as const).map(async (platform) => [
          platform,
          (await recompute([platform])).totals[0],
        ]),
      ),
    );
  });

  test("are in the sums once the platform accepted the use of them", async () => {
    const data = await read(on);
    expect(data.apart).toEqual([]);
    expect(saidBy(data)).toEqual(await recompute([...OTHERS, "youtube"]));
  });

  test("are summed where only that platform is asked for, also by tags", async () => {
    const [ada, bob] = all as [Known, Known];
    for (const { id } of [ada, bob]) {
      const { token } = owner;
      await off.call("PATCH", `/accounts/${id}`, { token, json: { tags: "film" } });
    }
    const data = await read(off, "overview?tags=film");
    expect(data.apart).toEqual([]);
    expect(saidBy(data)).toEqual(await recompute(["youtube"]));
    const one = await read(off, ada.id);
    expect(one.apart).toEqual([]);
    expect(one.overview.totalViews).toBeGreaterThan(0);
  });

  test("cost no round trip more", async () => {
    const counts = [];
    for (const harness of [off, on]) {
      const { costs } = await measure(harness, () => read(harness));
      counts.push(costs.roundTrips.length);
    }
    expect(counts).toEqual([1, 1]);
  });
});

describe("days after the platform's 30", () => {
  const daysDown = (from: number): number[] => Array.from({ length: from }, (_, i) => from - i);
  let channel: Known;
  let other: Known;

  beforeEach(async () => {
    channel = await connect("Ada", "youtube");
    other = await connect("Bob", "bluesky");
  });

  const rise = async (harness: Harness, account: Known, days: readonly number[]) => {
    for (const day of days) await sync(harness, account, day, { a: [100 - day, 0, 0, null] });
  };
  const stored = async (platform: Platform) => (await rawRows([platform]))[0];
  const daysAgo = (days: number[][] = []) => days.map(([day = 0]) => TODAY - day);
  const exported = async (harness: Harness) => {
    const { text } = await harness
      .request("/api/v1/export?limit=1000", { headers: { "x-api-key": owner.token } })
      .then(async (answer) => ({ text: await answer.text() }));
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "analytics")
      .map(({ data }) => data);
  };

  test("are gone, with no month in their place, and those of other platforms stay", async () => {
    await rise(off, channel, daysDown(45));
    await rise(off, other, daysDown(45));
    const mine = await stored("youtube");
    expect(Math.max(...daysAgo(mine?.days))).toBe(31);
    expect(mine?.months).toEqual([]);
    expect(daysAgo((await stored("bluesky"))?.days)).toHaveLength(45);
    const data = await read(off, channel.id);
    expect(data.dailyHistory[0].date).toBe(DATE(TODAY - 30));
    expect(data.overview.totalViews).toBe(99);
  });

  test("become months while the use of them is accepted", async () => {
    await rise(on, channel, daysDown(45));
    const mine = await stored("youtube");
    expect(mine?.months.map(([month]) => month)).toEqual(["2026-10"]);
    expect(sumOf(mine?.months.map((month) => month[1] as number) ?? [])).toBe(13);
  });

  test("are shown no more once it is not, and the night removes them, also of accounts that nobody reads", async () => {
    await rise(on, channel, daysDown(70).slice(0, 45));
    await rise(on, other, daysDown(70).slice(0, 45));
    const { token } = owner;
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?")
      .bind(channel.id)
      .run();
    const before = await stored("youtube");
    expect(before?.months).not.toEqual([]);
    const others = await stored("bluesky");

    // Switched off and on again before a night: nothing is lost.
    expect((await read(off, channel.id)).dailyHistory.map(({ date }: never) => date)).toEqual(
      daysAgo(before?.days)
        .filter((ago) => ago <= 30)
        .map((ago) => DATE(TODAY - ago)),
    );
    expect((await exported(off)).find(({ accountId }) => accountId === channel.id).months).toEqual(
      [],
    );
    expect(
      (await exported(on)).find(({ accountId }) => accountId === channel.id).months,
    ).not.toEqual([]);
    expect(await forgetOldFigures(on.deps, null)).toBeNull();
    expect(await stored("youtube")).toEqual(before);

    expect(await forgetOldFigures(off.deps, null)).toBeNull();
    const after = await stored("youtube");
    expect(after?.months).toEqual([]);
    expect(daysAgo(after?.days)).toEqual(daysAgo(before?.days).filter((ago) => ago <= 30));
    expect(after?.posts).toEqual(before?.posts);
    expect(await stored("bluesky")).toEqual(others);
    const costs = await measure(off, () => forgetOldFigures(off.deps, null));
    expect(costs.costs.rowsWritten).toBe(0);

    // Switched on again: the kept days and the totals are still there, and months begin anew.
    await rise(on, channel, [2]);
    expect((await read(on, channel.id)).overview.totalViews).toBe(98);
    expect((await off.call("GET", "/accounts", { token })).body.count).toBe(2);
  });
});

test.each<[Config["derivedMetrics"], boolean]>([
  [[], false],
  [["youtube"], true],
  [["tiktok"], false],
])("months of YouTube with %j: %j", (derivedMetrics, keepsMonths) => {
  expect(measuresOf(harnessWith({ derivedMetrics }).deps, "youtube")).toMatchObject({
    keepDays: 30,
    keepsMonths,
  });
});
