import { expect, test } from "vitest";
import type { MetricsJob } from "../../../src/platforms/metrics.ts";
import { readPage } from "../../../src/platforms/pinterest/metrics.ts";

const item = (id: string, created_at: string, lifetime: object | null, more: object = {}) => ({
  id,
  created_at,
  title: "A",
  ...more,
  pin_metrics: lifetime && { "90d": { impression: 1 }, lifetime_metrics: lifetime },
});

const ITEMS = [
  item("1", "2026-11-20T10:00:00", { impression: 10, save: 2, reaction: 5, comment: 3 }),
  item("2", "2026-11-10T10:00:00", { impression: 20 }),
  item("3", "2026-01-10T10:00:00", { impression: 30 }),
  item("4", "2022-01-10T10:00:00", null),
  item("5", "2026-11-20T10:00:00", { impression: 50 }, { parent_pin_id: "9" }),
  item("6", "2026-11-20T10:00:00", { impression: 60 }, { is_owner: false }),
];

async function read(report: Response) {
  const calls: URL[] = [];
  const job: MetricsJob = {
    account: { platformAccountId: "7", handle: "ada", service: null },
    accessToken: "token",
    own: [],
    now: () => new Date("2026-11-22T03:00:00Z"),
    fetch: async (input, init) => {
      const url = new URL(new Request(input, init).url);
      calls.push(url);
      if (url.pathname.endsWith("/analytics")) return report;
      return Response.json({ items: ITEMS, bookmark: "more" });
    },
  };
  return { page: await readPage(job, null), calls };
}

test("saves that the list does not tell are those of the report, for pins as young as it reaches back", async () => {
  const { page, calls } = await read(
    Response.json({ "2": { all: { summary_metrics: { SAVE: 7 } } } }),
  );
  if (!page.ok) throw new Error();
  expect(
    page.value.posts.map(({ id, counters: { views, shares } }) => [id, views, shares]),
  ).toEqual([
    ["1", 10, 2],
    ["2", 20, 7],
    ["3", 30, null],
    ["4", null, null],
  ]);
  expect(page.value.posts[0]?.publishedAt.toISOString()).toBe("2026-11-20T10:00:00.000Z");
  expect([page.value.cursor, page.value.problems]).toEqual(["more", []]);
  expect(calls[1]?.searchParams.get("pin_ids")).toBe("2");
  expect(calls[1]?.searchParams.get("start_date")).toBe("2026-08-25");
});

test("reactions are likes and comments are comments, where the pin has lifetime figures", async () => {
  const { page } = await read(Response.json({}));
  if (!page.ok) throw new Error();
  expect(page.value.posts.map(({ counters: { likes, comments } }) => [likes, comments])).toEqual([
    [5, 3],
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test("an app that may not have the report is told of, and the views are kept", async () => {
  const { page } = await read(Response.json({ code: 29, message: "No." }, { status: 403 }));
  if (!page.ok) throw new Error();
  expect(page.value.posts).toHaveLength(4);
  expect(page.value.problems).toEqual(["Pinterest gave no saves for 1 pins."]);
});
