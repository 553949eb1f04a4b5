import { expect, test } from "vitest";
import { readPage } from "../../../src/platforms/instagram/metrics.ts";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";

const NOW = new Date("2026-11-22T03:00:00Z");
/** Posts from before the account was professional. */
const OLDER = { error: { message: "Invalid parameter", code: 100, error_subcode: 2108006 } };

/** Refuses the insights of posts from `from` on. */
function account(count: number, isRefused: (i: number) => boolean, refusal: object = OLDER) {
  const calls: string[] = [];
  const job: MetricsJob = {
    account: { platformAccountId: "7", handle: "ada", service: null },
    accessToken: "token",
    own: [],
    now: () => NOW,
    fetch: async (input, init) => {
      const url = new URL(new Request(input, init).url);
      calls.push(url.pathname);
      if (!url.pathname.endsWith("/insights")) {
        const data = Array.from({ length: count }, (_, i) => ({
          id: String(i),
          timestamp: "2026-11-20T10:00:00+0000",
          like_count: 3,
        }));
        return Response.json({ data, paging: { cursors: { after: "next" } } });
      }
      const ids = (url.searchParams.get("ids") ?? "").split(",");
      if (ids.some((id) => isRefused(Number(id)))) return Response.json(refusal, { status: 400 });
      const views = { name: "views", values: [{ value: 10 }] };
      return Response.json(Object.fromEntries(ids.map((id) => [id, { data: [views] }])));
    },
  };
  return { job, calls };
}

const viewsOf = async (job: MetricsJob, cursor: string | null = null) => {
  const page = await readPage(job, cursor);
  if (!page.ok) throw new Error(JSON.stringify(page.error));
  const { posts, problems = [], cursor: next } = page.value;
  return { views: posts.map(({ counters }) => counters.views), posts, problems, next };
};

test("50 posts are two calls", async () => {
  const { job, calls } = account(50, () => false);
  const { views, problems } = await viewsOf(job);
  expect(views).toEqual(Array(50).fill(10));
  expect([problems, calls.length]).toEqual([[], 2]);
});

test.each([0, 1, 7, 24, 25, 49])(
  "where the account became a professional one after %d posts, those are measured, and no older one is asked for",
  async (newer) => {
    const { job, calls } = account(50, (i) => i >= newer);
    const { views, posts, problems, next } = await viewsOf(job);
    expect(views.filter((count) => count === 10)).toHaveLength(newer);
    expect(posts.every(({ counters }) => counters.likes === 3)).toBe(true);
    expect(problems).toEqual([expect.stringContaining(`${50 - newer} post`)]);
    expect(calls.length).toBeLessThanOrEqual(9);
    const older = account(50, () => true);
    await viewsOf(older.job, next);
    expect(older.calls).toHaveLength(1);
  },
);

test("one post that is refused costs few others their views", async () => {
  const refusal = { error: { message: "Unsupported get request", code: 100, error_subcode: 33 } };
  const { job, calls } = account(50, (i) => i === 20, refusal);
  const { views, next } = await viewsOf(job);
  expect(views.filter((count) => count === 10).length).toBeGreaterThanOrEqual(40);
  expect(calls.length).toBeLessThanOrEqual(10);
  expect(next).toBe("next");
});

test.each([
  ["a limit", { error: { message: "Too many", code: 4 } }],
  ["an outage", { error: { message: "Later", code: 2, is_transient: true } }],
  ["a refused login", { error: { message: "Session", code: 190 } }],
])("%s ends the page", async (_, refusal) => {
  expect((await readPage(account(3, () => true, refusal).job, null)).ok).toBe(false);
});
