import { expect, test } from "vitest";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { readPage } from "../../../src/platforms/threads/metrics.ts";

const REFUSED = { error: { message: "Invalid parameter", code: 100 } };

/** 30 posts, one of which gets no figures. */
function account() {
  const calls: string[] = [];
  const job: MetricsJob = {
    account: { platformAccountId: "7", handle: "ada", service: null },
    accessToken: "token",
    own: [],
    now: () => new Date("2026-11-22T03:00:00Z"),
    fetch: async (input, init) => {
      const { pathname, searchParams } = new URL(new Request(input, init).url);
      calls.push(pathname);
      if (pathname.endsWith("/insights")) {
        if (pathname.includes("/13/")) return Response.json(REFUSED, { status: 400 });
        return Response.json({ data: [{ name: "views", values: [{ value: 10 }] }] });
      }
      if (searchParams.get("fields")?.includes("insights")) {
        return Response.json(REFUSED, { status: 400 });
      }
      const data = Array.from({ length: Number(searchParams.get("limit")) }, (_, i) => ({
        id: String(i),
        timestamp: "2026-11-20T10:00:00+0000",
      }));
      return Response.json({ data, paging: { cursors: { after: "20" } } });
    },
  };
  return { job, calls };
}

test("where the figures of all are refused, each post is asked for by itself", async () => {
  const { job, calls } = account();
  const whole = await readPage(job, null);
  expect(whole).toEqual({ ok: true, value: { posts: [], cursor: "each " } });
  const each = await readPage(job, "each ");
  if (!each.ok) throw new Error();
  expect(each.value.posts.map(({ counters }) => counters.views)).toEqual(Array(19).fill(10));
  expect(each.value.problems).toEqual(["Threads gave no figures for 1 posts."]);
  expect(each.value.cursor).toBe("20");
  expect(calls.length - 1).toBe(threads.metrics?.callsOf("each "));
});
