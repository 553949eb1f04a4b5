import { expect, test } from "vitest";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { readFollowers, readPage } from "../../../src/platforms/linkedin/member-metrics.ts";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";
import { error, PAGE, PERSON } from "./scripted.ts";

const PUBLISHED = new Date("2026-11-01T09:00:00Z");
const POST_CALLS = ["IMPRESSION", "REACTION", "COMMENT", "RESHARE"];

const own = (...ids: string[]) =>
  ids.map((id) => ({ id, publishedAt: PUBLISHED, text: "Hello", url: null }));

const figure = (count: number, metricType: unknown) =>
  Response.json({ elements: [{ count, metricType }], paging: { start: 0, count: 10, links: [] } });

function jobWith(ids: string[], answer: (queryType: string, url: string) => Response) {
  const calls: string[] = [];
  const job: MetricsJob = {
    account: { platformAccountId: PERSON, handle: null, service: null },
    accessToken: "token",
    own: own(...ids),
    now: () => PUBLISHED,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      calls.push(request.url.replace("https://api.linkedin.com/rest/", ""));
      expect(request.headers.get("linkedin-version")).toBe("202609");
      return answer(new URL(request.url).searchParams.get("queryType") ?? "", request.url);
    },
  };
  return { job, calls };
}

const OLD_TYPE = "com.linkedin.adsexternalapi.memberanalytics.v1.CreatorPostAnalyticsMetricTypeV1";

test.each<[string, (queryType: string) => unknown]>([
  ["a word, as since 202605", (queryType) => queryType],
  ["an object, as before", (queryType) => ({ [OLD_TYPE]: queryType })],
  ["left out", () => undefined],
])("reads one figure per call; its type is %s", async (_, toType) => {
  const { job, calls } = jobWith(["urn:li:share:1", "urn:li:ugcPost:2"], (queryType) =>
    figure(POST_CALLS.indexOf(queryType) + 1, toType(queryType)),
  );
  const counters = { views: 1, likes: 2, comments: 3, shares: 4 };
  const [first, second] = job.own;
  expect(await readPage(job, null)).toEqual({
    ok: true,
    value: {
      posts: [
        { ...first, counters },
        { ...second, counters },
      ],
      cursor: null,
    },
  });
  const path = (entity: string, queryType: string) =>
    `memberCreatorPostAnalytics?q=entity&entity=(${entity})&queryType=${queryType}&aggregation=TOTAL`;
  expect(calls).toEqual([
    ...POST_CALLS.map((type) => path("share:urn%3Ali%3Ashare%3A1", type)),
    ...POST_CALLS.map((type) => path("ugc:urn%3Ali%3AugcPost%3A2", type)),
  ]);
});

test("a figure that LinkedIn leaves out stays unknown, one of another type is not taken", async () => {
  const { job } = jobWith(["urn:li:share:1", "urn:li:share:2"], (queryType, url) => {
    if (url.includes("share%3A2")) return figure(9, "MEMBERS_REACHED");
    return queryType === "RESHARE" ? Response.json({ elements: [] }) : figure(7, queryType);
  });
  expect(await readPage(job, null)).toMatchObject({
    ok: true,
    value: {
      posts: [
        { id: "urn:li:share:1", counters: { views: 7, likes: 7, comments: 7, shares: null } },
      ],
      problems: [expect.stringContaining("cannot be read, 1 times")],
    },
  });
});

const reader = linkedin.metrics?.others?.[0];

test("stays within the calls of a day, and makes no more per page than it says", async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `urn:li:share:${i + 1}`);
  const { job, calls } = jobWith(ids, (queryType) => figure(1, queryType));
  const read: string[] = [];
  let cursor: string | null = null;
  do {
    const before: number = calls.length;
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(job, cursor);
    if (!page.ok) throw new Error();
    expect(calls.length - before).toBeLessThanOrEqual(reader?.callsOf(cursor) ?? 0);
    expect(page.value.posts.length).toBeLessThanOrEqual(reader?.pagePosts ?? 0);
    read.push(...page.value.posts.map(({ id }) => id));
    cursor = page.value.cursor;
  } while (cursor !== null);
  expect(read).toEqual(ids.slice(0, 15));
  expect(calls).toHaveLength(60);
});

test.each<[number, string, object]>([
  [401, "EXPIRED_ACCESS_TOKEN", { kind: "token_expired" }],
  [429, "TOO_MANY_REQUESTS", { failure: { code: "rate_limited" } }],
  [403, "ACCESS_DENIED", { failure: { message: "It says ACCESS_DENIED." } }],
])("a refusal (%i %s) ends the reading", async (status, code, expected) => {
  const { job, calls } = jobWith(["urn:li:share:1"], () => error(status, code));
  expect(await readPage(job, null)).toMatchObject({ ok: false, error: expected });
  expect(calls).toHaveLength(1);
});

test("asks for nothing about followers, and nothing about what is no post", async () => {
  const { job, calls } = jobWith(["urn:li:activity:1", "1"], () => error(500, null));
  expect(await readFollowers(job)).toEqual({ ok: true, value: null });
  expect(await readPage(job, null)).toEqual({ ok: true, value: { posts: [], cursor: null } });
  expect(calls).toEqual([]);
});

const readerFor = (platformAccountId: string, grantedScopes?: string[]) => {
  const account = {
    platformAccountId,
    handle: null,
    service: null,
    ...(grantedScopes ? { grantedScopes } : {}),
  };
  const { metrics } = linkedin;
  return [metrics, ...(metrics?.others ?? [])].find((one) => one?.covers?.(account));
};

test("is for members whose login has the permission; pages have their own reader", () => {
  expect(readerFor(PERSON, ["r_member_postAnalytics"])).toBe(reader);
  expect(readerFor(PERSON, ["r_organization_social_feed"])).toBeUndefined();
  expect(readerFor(PERSON)).toBeUndefined();
  expect(readerFor(PAGE, ["r_member_postAnalytics"])).toBe(linkedin.metrics);
});
