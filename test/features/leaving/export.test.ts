import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DAY } from "../../../src/core/time.ts";
import { NOTHING, takeSync } from "../../../src/features/analytics/rules/series.ts";
import { summarize } from "../../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../../src/features/analytics/stored.ts";
import { ended, moveAll } from "../../support/archive.ts";
import { createMember, FEED_URL } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { Program, REDIRECT } from "../../support/program.ts";
import { ALL, reading } from "../analytics/readings.ts";

interface Line {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the line holds
  data?: any;
  after?: string;
}

const page = async (life: Life, query = "", token = life.member.token): Promise<Line[]> => {
  const answer = await life.harness.call("GET", `/export${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.body;
};

async function takeAll(life: Life, limit: number, between?: () => Promise<unknown>) {
  const lines: Line[] = [];
  for (let query = `?limit=${limit}`; ; ) {
    const rows = await page(life, query);
    const last = rows.pop();
    expect(rows.length).toBeLessThanOrEqual(limit);
    lines.push(...rows);
    if (last?.type === "end") return lines;
    expect(last).toEqual({ type: "next", after: expect.any(String) });
    query = `?limit=${limit}&after=${last?.after}`;
    await between?.();
  }
}

const typesOf = (lines: Line[]) => [...new Set(lines.map(({ type }) => type))];

async function fullLife(): Promise<Life> {
  const life = await beginLife();
  await life.colleague("MEMBER");
  await life.storeFiles(3);
  await life.insertMany(Array.from({ length: 12 }, () => ({ status: "completed" })));
  await life.call("POST", "/suggestions", { title: "Idea", body: "More" });
  const { accountId } = life;
  await life.call("PUT", "/blocks/hello", { text: "Hello" });
  await life.call("POST", "/feeds", { url: FEED_URL, accountIds: [accountId] });
  await life.call("POST", "/drafts", { content: { title: "Draft" } });
  expect((await life.call("POST", "/rehearsals", { accountId })).status).toBe(200);
  return life;
}

test("pages of any size hold the same lines, each once, and end", async () => {
  const life = await fullLife();
  const whole = await takeAll(life, 1_000);
  expect(typesOf(whole)).toEqual([
    "team",
    "member",
    "token",
    "account",
    "suggestion",
    "block",
    "feed",
    "draft",
    "upload",
    "file",
    "rehearsal",
    "activity",
    "event",
  ]);
  expect(whole.filter(({ type }) => type === "upload")).toHaveLength(12);
  for (const limit of [1, 3, 7]) expect(await takeAll(life, limit)).toEqual(whole);
});

test("archived posts are exported as they were, on pages of any size", async () => {
  const life = await beginLife();
  await life.insertMany([
    ...Array.from({ length: 9 }, (_, i) => ended(`2025-03-0${i + 1}T10:00:00Z`)),
    ended("2025-04-01T10:00:00Z", "failed"),
  ]);
  await life.insert({ status: "draft" });
  const of = (lines: Line[], type: string) =>
    lines.filter((line) => line.type === type).map(({ data }) => data);
  const before = of(await takeAll(life, 1_000), "upload").filter(
    ({ status }) => status !== "draft",
  );
  await moveAll(life.harness);
  const [late = 0] = await life.insertMany([ended("2025-03-05T12:00:00Z")]);
  await life.insert({ status: "draft" });
  const [row] = of(await takeAll(life, 1_000), "upload").filter(({ id }) => id === late);
  await moveAll(life.harness);
  const whole = await takeAll(life, 1_000);
  const march = before.slice(0, 9);
  expect(of(whole, "archivedUpload")).toEqual([...march, row, ...before.slice(9)]);
  expect(of(whole, "upload").map(({ status }) => status)).toEqual(["draft", "draft"]);
  for (const limit of [1, 3, 7]) expect(await takeAll(life, limit)).toEqual(whole);
});

test("a file that is kept says so, with its name", async () => {
  const life = await beginLife();
  await life.storeFiles(1);
  const sha256 = (await page(life)).find(({ type }) => type === "file")?.data.sha256;
  const change = { name: "Harbour", keep: true };
  expect((await life.call("PATCH", `/media/${sha256}`, change)).status).toBe(200);
  const file = (await page(life)).find(({ type }) => type === "file")?.data;
  expect(file).toMatchObject({ name: "Harbour", keptAt: expect.any(String) });
});

test("programs that people allowed in the team, and its apps, are there without secrets", async () => {
  const life = await beginLife();
  const browser = await new Browser(life.harness).signIn(life.member);
  const fields = { name: "Flows", redirectUris: REDIRECT, kind: "secret" };
  const { html } = await browser.post("/app/settings/apps", fields);
  const app = new Program(life.harness);
  app.clientId = /kmx_[0-9a-f]{32}/.exec(html)?.[0] ?? "";
  app.secret = /kms_[0-9a-f]{64}/.exec(html)?.[0] ?? "";
  const code = await app.code(browser, { resource: null, scope: "accounts:read" }, { days: "7" });
  await app.exchange(code, { resource: "", client_secret: app.secret });
  const agent = await new Program(life.harness).register();
  await agent.tokens(browser, {}, { which: "some", accounts: [life.accountId] });
  const whole = await takeAll(life, 1_000);
  const of = (type: string) => whole.filter((line) => line.type === type).map(({ data }) => data);
  const scopes = ["accounts:read", "posts:read", "posts:write", "analytics:read"];
  const allowed = { userId: life.member.userId, clientHost: "program.example", revokedAt: null };
  const programs = [
    {
      ...allowed,
      name: "Flows",
      clientId: app.clientId,
      clientKind: "app",
      resource: "api",
      scopes: ["accounts:read"],
      accounts: null,
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: expect.any(String),
    },
    {
      ...allowed,
      name: "A program",
      clientId: agent.clientId,
      clientKind: "registered",
      resource: "mcp",
      scopes,
      accounts: [life.accountId],
      expiresAt: null,
      idleAt: expect.any(String),
    },
  ];
  expect(of("program")).toMatchObject(programs);
  expect(of("app")).toEqual([
    {
      id: app.clientId,
      name: "Flows",
      redirectUris: [REDIRECT],
      authMethod: "client_secret_basic",
      createdBy: life.member.userId,
      createdAt: expect.any(String),
      usedAt: expect.any(String),
    },
  ]);
  const own = JSON.parse((await browser.get("/app/me/data")).html).programs;
  const { teamId } = life.member;
  expect(own).toMatchObject(
    programs.toReversed().map(({ userId: _, ...one }) => ({ ...one, teamId })),
  );
  expect(JSON.stringify([whole, own])).not.toMatch(/"\w*(hash|secret|key)"|km[skar]_/i);
  for (const limit of [1, 3]) expect(await takeAll(life, limit)).toEqual(whole);
});

test("rows that come while pages are read disturb none of the others", async () => {
  const life = await fullLife();
  const before = await takeAll(life, 1_000);
  const uploadsOf = (lines: Line[]) =>
    lines.filter(({ type }) => type === "upload").map(({ data }) => data.id);
  let made = 0;
  const during = await takeAll(life, 5, async () => {
    life.harness.advance(1);
    if (++made < 5) await life.insert({ status: "completed" });
  });
  const ids = uploadsOf(during);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(uploadsOf(before)));
});

/** Stores figures of an account's posts, newest first. */
async function plantFigures({ member, accountId }: Life, posts: number): Promise<void> {
  const day = 20_758;
  const readings = Array.from({ length: posts }, (_, i) =>
    reading(`p${i}`, day * DAY + i, [i, 2, null, 1], day * DAY - i),
  );
  const state = takeSync(
    NOTHING,
    { at: day * DAY, posts: readings, followers: 7 },
    new Map([["p0", 3]]),
    ALL,
  );
  await env.DB.batch([
    env.DB.prepare("INSERT INTO analytics VALUES (?, ?, 1, NULL, NULL, ?, '[]', ?, ?)").bind(
      member.teamId,
      accountId,
      day * DAY,
      JSON.stringify(packSeries(state.series)),
      JSON.stringify(summarize(state.posts)),
    ),
    env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)").bind(
      member.teamId,
      accountId,
      JSON.stringify(state.posts),
    ),
  ]);
}

test("the figures of accounts and of their posts are exported, on pages of any size", async () => {
  const life = await beginLife();
  await plantFigures(life, 120);
  await plantFigures(await beginLife(), 2);
  const whole = await takeAll(life, 1_000);
  const of = (type: string) => whole.filter((line) => line.type === type).map(({ data }) => data);
  expect(of("analytics")).toEqual([
    {
      accountId: life.accountId,
      syncedAt: "2026-11-01T00:00:00.000Z",
      months: [],
      days: [
        {
          date: "2026-11-01",
          followers: 7,
          views: null,
          likes: null,
          comments: null,
          shares: null,
        },
      ],
    },
  ]);
  const posts = of("measuredPost");
  expect(posts.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, i) => `p${i}`));
  expect(posts[0]).toMatchObject({ uploadId: 3, views: 0, likes: 2, comments: null, shares: 1 });
  for (const limit of [1, 50]) expect(await takeAll(life, limit)).toEqual(whole);
});

test("no secret is exported, and nothing of another team", async () => {
  const life = await fullLife();
  const other = await fullLife();
  await env.DB.prepare("UPDATE accounts SET credentials = 'v1.sealed' WHERE team_id = ?")
    .bind(life.member.teamId)
    .run();
  const text = JSON.stringify(await takeAll(life, 1_000));
  for (const secret of ["v1.sealed", "object_key", "objectKey", 'hash"', other.accountId]) {
    expect(text).not.toContain(secret);
  }
  expect(text).toContain(life.accountId);
});

test("the owner alone takes it, and a cursor is ours or refused", async () => {
  const life = await beginLife();
  for (const role of ["MEMBER", "ADMIN"] as const) {
    const token = await life.colleague(role);
    const headers = { "x-team-id": String(life.member.teamId) };
    const answer = await life.harness.call("GET", "/export", { token, headers });
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  }
  const forged = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  for (const after of [
    "x",
    "%00",
    forged(["users", null]),
    forged(["upload", [1]]),
    forged(["upload", ["1", "2"]]),
    forged(["upload", [1, { a: 1 }]]),
    forged({ type: "upload" }),
    forged(["archivedUpload", ["2025-03", 1, 0]]),
    forged(["archivedUpload", [1, 1, 0, 0]]),
  ]) {
    const answer = await life.call("GET", `/export?after=${after}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe("after");
  }
  for (const limit of ["0", "1001", "x"]) {
    expect((await life.call("GET", `/export?limit=${limit}`)).status).toBe(400);
  }
  const foreign = await page(life, `?after=${forged(["account", ["acc_0"]])}`);
  const { teamId } = await createMember();
  expect(JSON.stringify(foreign)).not.toContain(`"id":${teamId},`);
});
