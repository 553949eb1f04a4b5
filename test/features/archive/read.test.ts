import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ended, idsInDatabase, membersOf, moveAll } from "../../support/archive.ts";
import { createToken, form } from "../../support/harness.ts";
import { beginLife, type Columns, type Life } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

type Post = Record<string, unknown> & { id: number };

const listOf = async (life: Life, query: string, token?: string) =>
  (await life.call("GET", `/upload?${query}`, undefined, token)).body;

describe("a month is filtered as the database is", () => {
  let life: Life;
  const before = new Map<string, unknown>();

  const QUERIES = [
    "",
    "status=completed",
    "status=failed",
    "status=scheduled",
    "status=processing",
    "platform=bluesky",
    "platform=x",
    "search=summer",
    "search=SUMMER",
    "search=%C3%9Cber",
    "search=%C3%BCber",
    "search=no+such+text",
    "search=title%0Atext",
    "startDate=2025-03-10T00:00:00Z",
    "endDate=2025-03-10T00:00:00Z",
    "startDate=2025-03-05T00:00:00Z&endDate=2025-03-20T00:00:00Z",
    "startDate=2025-03-05T00:00:00Z&status=failed&search=summer",
    "endDate=2025-02-01T00:00:00Z",
    "limit=1",
    "limit=1&page=3",
    "limit=2&page=2",
    "limit=3&page=2&status=completed",
    "limit=5&page=40",
  ];

  /** What stays the same when posts move: all but the addresses of files. */
  const comparable = ({ data, pagination }: { data: Post[]; pagination: unknown }) => ({
    data: data.map(({ archived, ...post }) => post),
    pagination,
  });

  beforeAll(async () => {
    life = await beginLife();
    const day = (n: number) => `2025-03-${String(n).padStart(2, "0")}T10:00:00Z`;
    const parts = [
      {
        kind: "post",
        text: "Second post",
        media: [],
        status: "failed",
        failureCode: "rate_limited",
        errorMessage: "Slow down.",
        platformPostId: null,
        shareUrl: null,
      },
    ];
    const texts: Columns[] = [
      { title: "Summer sale" },
      { title: "Title", description: "Text of the SUMMER" },
      { title: null, description: "Über den Wolken" },
      { title: "über", description: null },
      { title: "title", description: "text", platform: "x" },
      { parts: JSON.stringify(parts), posts: 2 },
      { credits_spent: 2, credits_refunded: 1, platform: "x" },
      { unpublished_at: Date.parse("2025-03-20T00:00:00Z") },
    ];
    await life.insertMany(
      Array.from({ length: 24 }, (_, i) =>
        ended(day(1 + ((i * 7) % 28)), i % 3 ? "completed" : "failed", texts[i % texts.length]),
      ),
    );
    await life.insert({ status: "draft" });
    const range = "startDate=2025-03-01T00:00:00Z&endDate=2025-03-31T23:59:59Z";
    for (const query of QUERIES) {
      const whole = [query.includes("Date=") ? "" : range, query].filter(Boolean).join("&");
      const only = query.includes("Date=") ? `${whole}` : whole;
      before.set(query, comparable(await listOf(life, only)));
    }
    // Two members of the same month, of which one has the posts that failed.
    await env.DB.prepare("UPDATE uploads SET failed_at = ? WHERE team_id = ? AND status = 'failed'")
      .bind(Date.now(), life.member.teamId)
      .run();
    await moveAll(life.harness);
    await env.DB.prepare(
      "UPDATE uploads SET failed_at = sort_at WHERE team_id = ? AND status = 'failed'",
    )
      .bind(life.member.teamId)
      .run();
    await moveAll(life.harness);
    expect(await membersOf(life.member.teamId)).toHaveLength(2);
    expect(await idsInDatabase(life.member.teamId)).toHaveLength(1);
  });

  test.each(QUERIES)("%s", async (query) => {
    const after = await listOf(life, ["archived=2025-03", query].filter(Boolean).join("&"));
    const expected = before.get(query) as ReturnType<typeof comparable>;
    // A draft of today matches an open range in the database, and is in no archive.
    const wasThere = expected.data.filter(({ status }) => status !== "draft");
    const { pagination } = comparable(after);
    if (query.startsWith("startDate=2025-03-10")) {
      expect(comparable(after).data).toEqual(wasThere);
    } else {
      expect({ data: comparable(after).data, pagination }).toEqual(expected);
    }
    expect(after.data.every(({ archived }: Post) => archived === "2025-03")).toBe(true);
  });

  test("one post is read as before, with its parts, its version and its month", async () => {
    const { data } = await listOf(life, "archived=2025-03&limit=100");
    for (const post of data as Post[]) {
      const answer = await life.call("GET", `/upload/${post.id}`);
      expect([answer.status, answer.body.data]).toEqual([200, post]);
      expect(answer.headers.get("etag")).toBe(`"${post.version}"`);
      const older = await life.call("GET", `/posts/${post.id}`);
      expect(older.body.data).toMatchObject({ id: post.id, platform: post.platform });
    }
  });

  test("agents list the month and read its posts", async () => {
    const call = async (name: string, args: object) => {
      const answer = await life.harness.request("/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${life.member.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: the test reads what the answer holds
      return ((await answer.json()) as any).result;
    };
    const listed = await call("list_recent_posts", { archived: "2025-03", limit: 3 });
    expect(listed.structuredContent.total).toBe(24);
    const { postId } = listed.structuredContent.posts[0];
    const one = await call("get_post_status", { postId: String(postId) });
    expect(one.structuredContent).toMatchObject({ postId, state: expect.any(String) });
    const refused = await call("list_recent_posts", { archived: "2025-13" });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain("must be a month, such as 2025-03");
  });

  test.each(["2025-13", "2025-3", "25-03", "2025", "2025-03-01", "März", "../2025-03"])(
    "the month %s is refused with a clear text",
    async (month) => {
      const query = `/upload?archived=${encodeURIComponent(month)}`;
      const { status, body } = await life.call("GET", query);
      expect(status).toBe(400);
      expect(body.error).toBe("archived: must be a month, such as 2025-03");
    },
  );

  test.each(["2019-01", "2025-12", "2031-07"])(
    "the month %s, without an archive, is empty",
    async (month) => {
      expect(await listOf(life, `archived=${month}`)).toEqual({
        success: true,
        data: [],
        pagination: { total: 0, page: 1, limit: 100, totalPages: 0 },
      });
    },
  );

  test("another team sees nothing of it", async () => {
    const other = await beginLife(life.harness);
    const { data } = await listOf(life, "archived=2025-03&limit=1");
    expect((await listOf(other, "archived=2025-03")).data).toEqual([]);
    expect((await other.call("GET", `/upload/${data[0].id}`)).status).toBe(404);
    expect((await other.call("POST", `/upload/${data[0].id}/retry`)).status).toBe(404);
  });
});

describe("what is read", () => {
  test("a page reads the members that it shows, and makes two round trips", async () => {
    const life = await beginLife();
    const { teamId } = life.member;
    const long = "A long text. ".repeat(150);
    await life.insertMany(
      Array.from({ length: 240 }, (_, i) =>
        ended(new Date(Date.UTC(2025, 2, 1) + i * 3_600_000).toISOString(), "completed", {
          description: `${i} ${long}`,
        }),
      ),
    );
    await life.insert({ status: "draft" });
    await moveAll(life.harness);
    const members = await membersOf(teamId);
    expect(members.length).toBeGreaterThan(4);
    const cost = async (query: string) => {
      const { costs, result } = await measure(life.harness, () => listOf(life, query));
      return {
        total: result.pagination.total,
        reads: costs.storageCalls.length,
        trips: costs.roundTrips.length,
      };
    };
    for (const page of [1, 2, 5, 12]) {
      const { total, reads, trips } = await cost(`archived=2025-03&limit=20&page=${page}`);
      expect(total).toBe(240);
      expect(reads).toBeLessThanOrEqual(2);
      expect(trips).toBe(2);
    }
    const found = await cost("archived=2025-03&search=7+A+long");
    expect(found).toEqual({ total: 24, reads: members.length, trips: 2 });
    const days = "startDate=2025-03-02T00:00:00Z&endDate=2025-03-02T23:59:59Z";
    expect((await cost(`archived=2025-03&search=long&${days}`)).reads).toBeLessThanOrEqual(2);
    expect(await cost("archived=2025-04")).toEqual({ total: 0, reads: 0, trips: 1 });
    const id = (await listOf(life, "archived=2025-03&limit=1")).data[0].id;
    const one = await measure(life.harness, () => life.call("GET", `/upload/${id}`));
    expect(one.costs.storageCalls).toEqual(["get"]);
  });

  test("a search through too many members is refused, and says what to do", async () => {
    const life = await beginLife();
    const { teamId } = life.member;
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
        INSERT INTO archive_members SELECT ?1, '2025-03', 1, i, 1, 1, 10, 1, 10, ?2 + i * 10, ?2 + i * 10 + 5,
          '[]', '' FROM n`,
    )
      .bind(teamId, Date.UTC(2025, 2, 1))
      .run();
    const { status, body } = await life.call("GET", "/upload?archived=2025-03&search=x");
    expect(status).toBe(400);
    expect(body.error).toContain("Ask for some days of it with startDate and endDate");
  });
});

describe("an archived post", () => {
  let life: Life;
  let done: number;
  let failed: number;

  beforeEach(async () => {
    life = await beginLife();
    [done = 0, failed = 0] = await life.insertMany([
      ended("2025-03-02T10:00:00Z"),
      ended("2025-03-03T10:00:00Z", "failed"),
    ]);
    await life.insert({ status: "draft" });
    await moveAll(life.harness);
  });

  test.each<[string, method: string, path: (post: number) => string, json?: object]>([
    ["an edit", "PATCH", (post) => `/upload/${post}`, { title: "New" }],
    ["a retry", "POST", (post) => `/upload/${post}/retry`],
    ["a take-down", "POST", (post) => `/upload/${post}/unpublish`],
    ["a removal", "DELETE", (post) => `/upload/${post}`],
    ["a submission", "POST", (post) => `/upload/${post}/submit`],
    ["an approval", "POST", (post) => `/upload/${post}/approve`, {}],
    [
      "a request for changes",
      "POST",
      (post) => `/upload/${post}/request-changes`,
      { comment: "No" },
    ],
  ])("answers %s clearly, also when it is asked again", async (_, method, path, json) => {
    for (const post of [done, failed, failed]) {
      const { status, body } = await life.call(method, path(post), json);
      expect([status, body.code]).toEqual([409, "ARCHIVED"]);
      expect(body.error).toContain("in the archive of 2025-03");
    }
    expect((await life.call(method, path(999_999_999), json)).status).toBe(404);
  });

  test("may be posted again: its text is no duplicate any more", async () => {
    const { description } = (await life.call("GET", `/upload/${done}`)).body.data;
    const { accountId, harness } = life;
    const { token } = life.member;
    const body = form({ accountId, description });
    const { status, body: answer } = await harness.call("POST", "/upload", { token, body });
    expect(status).toBe(200);
    expect(answer.data.uploadId).toBeGreaterThan(failed);
  });

  test("is read only by callers who may use its account", async () => {
    const scopes = ["posts:read" as const];
    const token = await createToken(life.member.userId, { scopes });
    expect((await life.call("GET", `/upload/${done}`, undefined, token)).status).toBe(200);
    const blind = await createToken(life.member.userId, { scopes: ["accounts:read"] });
    expect((await life.call("GET", `/upload/${done}`, undefined, blind)).status).toBe(403);
    expect((await life.call("GET", "/upload?archived=2025-03", undefined, blind)).status).toBe(403);
  });

  test("stands on the pages, read-only, and its month is a link", async () => {
    const browser = await new Browser(life.harness).signIn(life.member);
    const list = await browser.get("/app/uploads");
    expect(list.html).toContain('href="/app/uploads?archived=2025-03"');
    const month = await browser.get("/app/uploads?archived=2025-03");
    expect(month.status).toBe(200);
    for (const post of [done, failed]) expect(month.html).toContain(`/app/uploads/${post}"`);
    expect((await browser.get("/app/uploads?archived=2025-03&status=failed")).html).not.toContain(
      `/app/uploads/${done}"`,
    );
    const empty = (await browser.get("/app/uploads?archived=2025-04")).html;
    expect(empty).toContain("Nothing is archived in 2025-04.");
    expect(empty).toContain('<a href="#archive">archive</a>, or go to');
    expect(empty).toContain('href="/app/uploads?archived=2025-03"');
    expect(empty).not.toContain("There are no uploads yet");
    const wrong = await browser.get("/app/uploads?archived=2025-3");
    expect(wrong.html).toContain("Write the month of the archive as 2025-03.");
    const page = await browser.get(`/app/uploads/${done}`);
    expect(page.status).toBe(200);
    expect(page.html).toContain(`Post ${done}, archived`);
    expect(page.html).not.toContain(`action="/app/uploads/${done}`);
    const retried = await browser.post(`/app/uploads/${failed}/retry`);
    expect(retried.html).toContain("is in the archive of 2025-03");
    for (const path of [`/app/compose?upload=${failed}`, "/app/calendar?month=2025-03", "/app"]) {
      expect((await browser.get(path)).status, path).toBeLessThan(500);
    }
    expect((await browser.get("/app/uploads/999999999")).status).toBe(404);
  });

  test("shows its figures, which stay with its account", async () => {
    const { teamId } = life.member;
    const post = {
      ...{ id: "3k", at: Date.now(), publishedAt: Date.parse("2025-03-02T10:00:00Z") },
      ...{ text: "Old", hashtags: [], url: null, counters: [1234, 5, 6, null] },
      ...{ uploadId: done, base: null, steps: [] },
    };
    await env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)")
      .bind(teamId, life.accountId, JSON.stringify([post]))
      .run();
    const browser = await new Browser(life.harness).signIn(life.member);
    const { html } = await browser.get(`/app/uploads/${done}`);
    expect(html).toContain("1,234");
    expect(html).toContain("not measured");
  });
});
