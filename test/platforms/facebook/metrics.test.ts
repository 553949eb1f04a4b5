import { expect, test } from "vitest";
import { readPage } from "../../../src/platforms/facebook/metrics.ts";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";

const item = (id: string, permalink_url: string, more: object = {}) => ({
  id,
  permalink_url,
  created_time: "2026-11-20T10:00:00+0000",
  reactions: { summary: { total_count: 3 } },
  ...more,
});

const views = { insights: { data: [{ name: "post_media_view", values: [{ value: 10 }] }] } };

const ITEMS = [
  item("7_1", "https://www.facebook.com/7/posts/1"),
  item("7_2", "https://www.facebook.com/7/videos/a-title/222/"),
  item("7_3", "https://www.facebook.com/reel/333/"),
  item("7_4", "https://www.facebook.com/7/posts/pfbid0", {
    attachments: { data: [{ target: { id: "444" } }] },
  }),
];

async function read(refusal: object | null) {
  const calls: string[] = [];
  const own = [{ id: "444", publishedAt: new Date(), text: "", url: null }];
  const job: MetricsJob = {
    account: { platformAccountId: "7", handle: null, service: null },
    accessToken: "token",
    own,
    now: () => new Date("2026-11-22T03:00:00Z"),
    fetch: async (input, init) => {
      const fields = new URL(new Request(input, init).url).searchParams.get("fields") ?? "";
      calls.push(fields);
      const hasViews = fields.includes("insights.metric(post_media_view)");
      if (hasViews && refusal) return Response.json(refusal, { status: 400 });
      return Response.json({ data: ITEMS.map((one) => ({ ...one, ...(hasViews ? views : {}) })) });
    },
  };
  return { page: await readPage(job, null), calls };
}

test("posts are known by the ids that publishing them was answered with: videos by their own", async () => {
  const { page, calls } = await read(null);
  if (!page.ok) throw new Error();
  expect(page.value.posts.map(({ id }) => id)).toEqual(["7_1", "222", "333", "444"]);
  expect(page.value.posts[0]?.counters).toEqual({ views: 10, likes: 3, comments: null, shares: 0 });
  expect(calls).toHaveLength(1);
});

test("where views are refused, the other figures are read without them", async () => {
  const refusal = {
    error: { message: "(#100) The value must be a valid insights metric", code: 100 },
  };
  const { page, calls } = await read(refusal);
  if (!page.ok) throw new Error();
  expect(page.value.posts.map(({ counters }) => counters.views)).toEqual([null, null, null, null]);
  expect(page.value.problems).toEqual(["Facebook gave no views for 4 posts."]);
  expect(calls).toHaveLength(2);
});

test("a limit ends the page", async () => {
  const { page, calls } = await read({ error: { message: "Too many", code: 32 } });
  expect([page.ok, calls.length]).toEqual([false, 1]);
});
