import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/core/time.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { MAX_REPORTS } from "../../../src/features/reports/rules.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  type Harness,
  harnessWith,
  joinTeam,
  type Member,
  START,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { photo } from "../../support/stage.ts";
import { dateOf, type Night, rowsOf, storeNights, TODAY } from "./figures.ts";

let harness: Harness;
let owner: Member;
let accountId: string;
let client: Browser;

const DAY_SECONDS = DAY / 1_000;

beforeEach(async () => {
  harness = harnessWith({ derivedMetrics: [] });
  owner = await createMember();
  client = new Browser(harness);
  accountId = await connectSandbox(harness, owner, "Ada", "bluesky");
});

const call = (method: string, path: string, json?: object, { token } = owner) =>
  harness.call(method, path, {
    token,
    headers: { "x-team-id": String(owner.teamId) },
    ...(json ? { json } : {}),
  });

interface Made {
  id: number;
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
  data: any;
}

async function make(json: object = {}, by = owner): Promise<Made> {
  const { status, body } = await call("POST", "/reports", json, by);
  expect(status, JSON.stringify(body)).toBe(200);
  return { id: body.data.id, path: new URL(body.data.url).pathname, data: body.data };
}

const statusOf = async (path: string) => (await client.get(path)).status;

const nights = (post: object = {}): Night[] =>
  [5, 4, 3, 2, 1].map((daysAgo) => ({
    daysAgo,
    followers: 100 - daysAgo,
    posts: [
      {
        ...{ id: "a1", counters: [null, 60 - 10 * daysAgo, 1, 0], text: "Our <b>harbour</b>" },
        ...{ publishedAt: (TODAY - 6) * DAY + HOUR, ...post },
      },
    ],
  }));

const plant = (post: object = {}) =>
  storeNights(harness.deps, owner.teamId, { accountId, platform: "bluesky", nights: nights(post) });

describe("a report", () => {
  test("has the parts of the page, the branding, and nothing of the inside", async () => {
    await plant();
    await call("PATCH", "/settings", {
      branding: { name: "Kranich & Söhne", link: "https://kranich.example/", color: "#ffd400" },
    });
    const { path } = await make({ title: "November <i>2026</i>", days: 30 });
    expect(path).toMatch(/^\/report\/\d+-[0-9a-f]{64}$/);
    const page = await client.get(path);
    expect(page.status).toBe(200);
    const { html } = page;
    const inside = await new Browser(harness).signIn(owner);
    const own = await inside.get("/app/analytics");
    for (const caption of [
      ...["Views by day", "Engagement by day", "Followers by day", "By account"],
      ...["Average views by weekday", "Hashtags of all known posts"],
    ]) {
      expect(rowsOf(html, caption), caption).toEqual(rowsOf(own.html, caption));
    }
    expect(html).toContain("<h1>November &lt;i&gt;2026&lt;/i&gt;</h1>");
    expect(html).toContain('href="https://kranich.example/"');
    expect(html).toContain("<bdi>Kranich &amp; Söhne</bdi>");
    for (const one of [html, own.html])
      expect(one).toMatch(/<svg class="stripe" aria-hidden="true"><rect [^>]*fill="#ffd400"/);
    expect(html).toContain("Our &lt;b&gt;harbour&lt;/b&gt;");
    expect(html).toContain('href="https://example.com/a1"');
    expect(html).not.toContain("/app");
    expect(html).not.toContain(accountId);
    const { email } = (await env.DB.prepare("SELECT email FROM users WHERE id = ?")
      .bind(owner.userId)
      .first<{ email: string }>()) ?? { email: "" };
    expect(html).not.toContain(email);
    expect(html).not.toContain("<nav");
    expect(html).not.toContain("<script");
    expect(html).not.toMatch(/\.csv|<form/);
  });

  test("is kept by nobody on its way", async () => {
    const { path } = await make();
    for (const address of [path, "/report/1-x"]) {
      const { headers } = await client.get(address);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-robots-tag")).toBe("noindex");
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(policy).not.toMatch(/script-src|unsafe/);
    }
  });

  test("moves on, or has these days only", async () => {
    await plant();
    const lastDay = dateOf(TODAY - 2);
    const [rolling, fixed] = [
      await make({ days: 7, expiresInDays: 365 }),
      await make({ days: 7, lastDay, expiresInDays: 365 }),
    ];
    const days = async ({ path }: Made) =>
      rowsOf((await client.get(path)).html, "Engagement by day").map(([day]) => day);
    const week = (last: number) => Array.from({ length: 7 }, (_, i) => dateOf(last - 6 + i));
    expect(await days(rolling)).toEqual(week(TODAY - 1));
    expect(await days(fixed)).toEqual(week(TODAY - 2));
    const before = rowsOf((await client.get(fixed.path)).html, "Engagement by day");
    harness.advance(40 * DAY_SECONDS);
    expect((await client.get(rolling.path)).html).toContain("3 Jan 2027 to 9 Jan 2027");
    expect(rowsOf((await client.get(fixed.path)).html, "Engagement by day")).toEqual(before);
    expect(before.at(-1)).toEqual([lastDay, 10, 0, 0, 10]);
  });

  test("shows the accounts that it was made for", async () => {
    const bob = await connectSandbox(harness, owner, "Bob", "tiktok");
    await call("PATCH", `/accounts/${bob}`, { tags: "news" });
    for (const filter of [{ accountId: bob }, { platform: "tiktok" }, { tag: "NEWS" }]) {
      const { path } = await make(filter);
      const { html } = await client.get(path);
      expect(html).toContain("One account, ");
      expect(html).not.toContain("Ada");
    }
    const { path } = await make({ accountId: bob });
    expect((await call("DELETE", `/accounts/${bob}`)).status).toBe(200);
    expect((await client.get(path)).html).toContain("None of the accounts");
  });

  test("has pictures of its posts, and no others of the team", async () => {
    const upload = async (description: string) => {
      const body = form({ accountId, description, status: "draft", photo: photo() });
      const { token } = owner;
      return (await harness.call("POST", "/upload", { token, body })).body.data.uploadId;
    };
    const [shown, secret] = [await upload("Shown"), await upload("Secret")];
    await plant({ uploadId: shown });
    const { id, path } = await make();
    const source = /<img src="([^"]+)"/.exec((await client.get(path)).html)?.[1] ?? "";
    expect(source.startsWith(`${path}/pictures/${shown}-`)).toBe(true);
    const picture = await client.get(source);
    expect([picture.status, picture.location]).toEqual([303, expect.stringMatching(/^\/media\//)]);
    const forged = source.replace(`/${shown}-`, `/${secret}-`);
    const { costs, result } = await measure(harness, () => client.get(forged));
    expect([result.status, costs.roundTrips.length]).toEqual([200, 0]);
    expect(result.html).toContain("<svg");
    await call("DELETE", `/reports/${id}`);
    expect((await client.get(source)).html).toContain("<svg");
  });
});

describe("a link", () => {
  test("costs one round trip, a forged one none, and looks gone in one way", async () => {
    const { id, path } = await make();
    const expired = await make({ expiresInDays: 1 });
    const open = await measure(harness, () => client.get(path));
    expect(open.costs.roundTrips).toHaveLength(1);
    expect(open.costs.rowsWritten).toBe(0);
    await call("DELETE", `/reports/${id}`);
    harness.advance(DAY_SECONDS);
    const pages: string[] = [];
    for (const [gone, trips] of [
      [path, 1],
      [expired.path, 1],
      [`/report/${id}-${"0".repeat(64)}`, 0],
      ["/report/x", 0],
      ["/report/", 0],
      [`${path}/other`, 0],
    ] as const) {
      const { costs, result } = await measure(harness, () => client.get(gone));
      expect([gone, result.status, costs.roundTrips.length]).toEqual([gone, 404, trips]);
      pages.push(result.html);
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain("Ask the person who sent it to you for a new one.");
    expect(pages[0]).not.toContain("/app");
  });

  test("is listed without its address until it ends", async () => {
    const { id, data } = await make({ title: " Autumn ", platform: "bluesky", split: "account" });
    const { url, ...listed } = data;
    expect(listed).toEqual({
      ...{ id, title: "Autumn", days: 30, lastDay: null, accountId: null, platform: "bluesky" },
      ...{ tag: null, split: "account", createdBy: owner.userId },
      createdAt: START.toISOString(),
      expiresAt: new Date(START.getTime() + 30 * DAY).toISOString(),
    });
    const list = async () => (await call("GET", "/reports")).body.data;
    expect(await list()).toEqual([listed]);
    harness.advance(30 * DAY_SECONDS);
    expect(await list()).toEqual([]);
    await make();
    const rows = await env.DB.prepare("SELECT count(*) AS n FROM reports WHERE team_id = ?")
      .bind(owner.teamId)
      .first<number>("n");
    expect(rows).toBe(1);
  });

  test.each<[what: string, json: object, field: string]>([
    ["a long title", { title: "x".repeat(101) }, "title"],
    ["a broken title", { title: "\ud800" }, "title"],
    ["a period of 31 days", { days: 31 }, "days"],
    ["no day", { lastDay: "2026-02-30" }, "lastDay"],
    ["a day that is not over", { lastDay: dateOf(TODAY) }, "lastDay"],
    ["a day of long ago", { lastDay: dateOf(TODAY - 800) }, "lastDay"],
    ["no platform", { platform: "orkut" }, "platform"],
    ["no split", { split: "moon" }, "split"],
    ["no expiry", { expiresInDays: 0 }, "expiresInDays"],
    ["a late expiry", { expiresInDays: 366 }, "expiresInDays"],
    ["another field", { colour: "red" }, "colour"],
  ])("with %s is refused", async (_, json, field) => {
    const { status, body } = await call("POST", "/reports", json);
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });

  test("of an unknown account, and of a plan without analytics, is refused", async () => {
    const stranger = await createMember();
    const foreign = await connectSandbox(harness, stranger, "Eve", "bluesky");
    for (const id of ["acc_none", foreign]) {
      expect((await call("POST", "/reports", { accountId: id })).status).toBe(404);
    }
    const { path } = await make();
    const plan = (name: "basic" | null) =>
      harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId: owner.teamId, plan: name }));
    await plan("basic");
    expect((await call("POST", "/reports", {})).status).toBe(403);
    expect(await statusOf(path)).toBe(404);
  });

  test("is one of fifty at most", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO reports (team_id, created_by, created_at, expires_at, filter)
        SELECT ?, ?, ?, ?, '{"days":30,"split":"none","account":"","platform":"","tag":""}' FROM n`,
    )
      .bind(MAX_REPORTS, owner.teamId, owner.userId, START.getTime(), START.getTime() + 2 * DAY)
      .run();
    const { status, body } = await call("POST", "/reports", {});
    expect([status, body.code]).toEqual([409, "PLAN_LIMIT"]);
    const { html } = await (await new Browser(harness).signIn(owner)).get("/app/analytics");
    expect(html).toContain("The team has 50 links, which is the most.");
    harness.advance(2 * DAY_SECONDS);
    await make();
  });

  test("ends with the token that made it", async () => {
    const { path } = await make({}, { ...owner, token: await createToken(owner.userId) });
    const other = await make();
    expect(await statusOf(path)).toBe(200);
    const { body } = await call("GET", "/tokens");
    const { id } = body.data.find(
      (one: { id: number }) => one.id === Math.max(...body.data.map((t: { id: number }) => t.id)),
    );
    expect((await call("DELETE", `/tokens/${id}`)).status).toBe(200);
    expect(await statusOf(path)).toBe(404);
    expect(await statusOf(other.path)).toBe(200);
  });

  test("ends when the person who made it leaves, also if they come back", async () => {
    const person = await createMember();
    await joinTeam(owner.teamId, person.userId, "MEMBER");
    const { path } = await make({}, person);
    expect(await statusOf(path)).toBe(200);
    expect((await call("DELETE", `/teams/members/${person.userId}`)).status).toBe(200);
    expect(await statusOf(path)).toBe(404);
    harness.advance(60);
    await joinTeam(owner.teamId, person.userId, "MEMBER");
    await env.DB.prepare("UPDATE members SET joined_at = ? WHERE team_id = ? AND user_id = ?")
      .bind(harness.deps.now().getTime(), owner.teamId, person.userId)
      .run();
    expect(await statusOf(path)).toBe(404);
  });

  test("ends with the team", async () => {
    const { path } = await make();
    const { body } = await call("GET", "/teams");
    const json = { confirm: body.data.slug };
    expect((await call("DELETE", `/teams/${owner.teamId}`, json)).status).toBe(200);
    expect(await statusOf(path)).toBe(404);
  });

  test("is revoked by its maker and by managers, and by no other", async () => {
    const person = await createMember();
    await joinTeam(owner.teamId, person.userId, "MEMBER");
    const [own, other, managed] = [await make({}, person), await make(), await make({}, person)];
    const revoke = async ({ id }: Made, by: Member) =>
      (await call("DELETE", `/reports/${id}`, undefined, by)).status;
    expect(await revoke(other, person)).toBe(403);
    expect(await revoke(own, person)).toBe(200);
    expect(await revoke(managed, owner)).toBe(200);
    expect(await revoke(managed, owner)).toBe(404);
    const stranger = await createMember();
    const foreign = await harness.call("DELETE", `/reports/${other.id}`, {
      token: stranger.token,
    });
    expect(foreign.status).toBe(404);
    expect(await statusOf(other.path)).toBe(200);
  });
});

describe("on the dashboard", () => {
  test("a link is made, listed with its address, opened and revoked", async () => {
    await plant();
    await env.DB.prepare("UPDATE users SET name = 'Rita' WHERE id = ?").bind(owner.userId).run();
    const browser = await new Browser(harness).signIn(owner);
    const lastDay = dateOf(TODAY - 1);
    const view = `?period=7&platform=bluesky`;
    const fields = { title: "Week 48", lastDay, expiresInDays: "14" };
    const made = await browser.post(`/app/analytics/reports${view}`, fields);
    expect([made.status, made.location]).toEqual([303, `/app/analytics${view}&done=made#reports`]);
    const { html } = await browser.get(made.location ?? "");
    const path = /<pre class="address">https:\/\/akimbo\.test(\/report\/[^<]+)</.exec(html)?.[1];
    expect(html).toContain("The link is made.");
    expect(html).toContain("<strong>Week 48</strong>");
    expect(html).toContain("24 Nov 2026 to 30 Nov 2026, accounts on Bluesky · made by Rita on");
    const report = (await client.get(path ?? "")).html;
    expect(report).toContain("<h1>Week 48</h1>");
    expect(report).toContain("24 Nov 2026 to 30 Nov 2026");
    const id = /\/report\/(\d+)-/.exec(path ?? "")?.[1];
    const revoked = await browser.post(`/app/analytics/reports/${id}/revoke${view}`);
    expect(revoked.location).toBe(`/app/analytics${view}&done=revoked#reports`);
    expect(await statusOf(path ?? "")).toBe(404);
    expect((await browser.get("/app/analytics")).html).not.toContain('class="address"');
  });

  test.each<[field: string, sent: Record<string, string>, words: string]>([
    ["title", { title: "x".repeat(101) }, "title:"],
    ["expiresInDays", { expiresInDays: "400" }, "expiresInDays:"],
    ["expiresInDays", { expiresInDays: "soon" }, "expiresInDays:"],
    ["lastDay", { lastDay: "2030-01-01" }, "lastDay:"],
  ])("a refused %s comes back with what was sent", async (field, sent, words) => {
    const browser = await new Browser(harness).signIn(owner);
    const fields = { title: "Keep me", lastDay: "", expiresInDays: "30", ...sent };
    const { status, html } = await browser.post("/app/analytics/reports?period=7", fields);
    expect(status).toBe(400);
    expect(html).toContain(words);
    expect(html).toContain(`value="${fields.title}"`);
    expect(html).toContain(`value="${fields.expiresInDays}"`);
    if (field !== "lastDay") expect(html).toContain(`aria-describedby="${field}-error"`);
  });

  test("members revoke their own links, and see no button on others'", async () => {
    const person = await createMember();
    await joinTeam(owner.teamId, person.userId, "MEMBER");
    const [own, other] = [await make({}, person), await make()];
    const browser = (await new Browser(harness).signIn(person)).show(owner.teamId);
    const { html } = await browser.get("/app/analytics");
    expect(html).toContain(`/app/analytics/reports/${own.id}/revoke`);
    expect(html).not.toContain(`/app/analytics/reports/${other.id}/revoke`);
    const refused = await browser.post(`/app/analytics/reports/${other.id}/revoke`);
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("Another person made this report link.");
  });
});
