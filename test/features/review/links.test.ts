import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { STATUS_WORDS } from "../../../src/core/upload-status.ts";
import {
  ENDED_LINKS_KEPT_MS,
  MAX_OPEN_LINKS,
  REVIEW_LINK_MS,
} from "../../../src/features/review/rules.ts";
import { createMember, START } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";
import { Browser, formsOf } from "../../support/person.ts";

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

const PATH = "/upload/review-links";

const make = (json?: unknown, token?: string) => life.call("POST", PATH, json, token);

const awaiting = (columns = {}) => life.insert({ status: "pending_approval", ...columns });

const read = async (id: number, token?: string) =>
  (await life.call("GET", `/upload/${id}`, undefined, token)).body.data;

const countLinks = async () =>
  (
    await env.DB.prepare("SELECT COUNT(*) AS n FROM review_links WHERE team_id = ?")
      .bind(life.member.teamId)
      .first<{ n: number }>()
  )?.n;

describe("a review link", () => {
  test("is made for the posts that are named, in their order, for 14 days", async () => {
    const [first, second] = [await awaiting(), await awaiting()];
    const { status, body } = await make({ uploadIds: [second, first, second] });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        url: expect.stringMatching(/^https:\/\/akimbo\.test\/review\/\d+-[0-9a-f]{64}$/),
        expiresAt: "2026-12-15T09:00:00.000Z",
        uploadIds: [second, first],
      },
    });
  });

  test("without ids has every post that awaits approval, the soonest first, and no other", async () => {
    const late = await awaiting({ scheduled_for: later(7_200).getTime() });
    const soon = await awaiting({ scheduled_for: later(3_600).getTime() });
    await life.insert({ status: "draft" });
    await awaiting({ deleted_at: 1 });
    for (const json of [undefined, {}]) {
      expect((await make(json)).body.data.uploadIds).toEqual([soon, late]);
    }
  });

  test("has 50 posts at most", async () => {
    const ids = await life.insertMany(
      Array.from({ length: 51 }, () => ({ status: "pending_approval" })),
    );
    expect((await make()).body.data.uploadIds).toHaveLength(50);
    const refused = await make({ uploadIds: ids });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toMatchObject({ field: "uploadIds" });
    expect((await make({ uploadIds: [...ids.slice(1), ...ids.slice(1)] })).status).toBe(200);
  });

  test("is one when the page's form is pressed twice, and another on a page that is opened again", async () => {
    const [post, draft] = [await awaiting(), await life.insert({ status: "draft" })];
    const browser = await new Browser(life.harness).signIn(life.member);
    const press = async () => {
      const { html } = await browser.get("/app/reviews");
      return formsOf(html).find((one) => one.startsWith("/app/reviews?")) ?? "";
    };
    const action = await press();
    const fields = { post: [String(post), String(draft)] };
    const first = await browser.sendForm(action, fields);
    const second = await browser.sendForm(action, fields);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(await countLinks()).toBe(1);
    const next = await press();
    const both = [browser.sendForm(next, { post: String(post) })];
    both.push(browser.sendForm(next, { post: String(post) }));
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([303, 303]);
    expect(await countLinks()).toBe(2);
  });

  test("submits the drafts among them", async () => {
    const draft = await life.insert({ status: "draft" });
    expect((await make({ uploadIds: [draft] })).status).toBe(200);
    expect((await read(draft)).status).toBe("pending_approval");
  });

  test("names the draft that cannot be submitted, and is not made then", async () => {
    const bad = await life.insert({ status: "draft", title: null, description: null });
    const { status, body } = await make({ uploadIds: [bad] });
    expect(status).toBe(400);
    expect(body.error).toContain(`Upload ${bad}:`);
    expect(await countLinks()).toBe(0);
  });

  test("stands on the record of its posts until it ends; the newest where there are several", async () => {
    const id = await awaiting();
    expect(await read(id)).not.toHaveProperty("reviewLink");
    await make();
    life.harness.advance(60);
    const { url, expiresAt } = (await make()).body.data;
    expect((await read(id)).reviewLink).toEqual({ url, expiresAt });
    const list = await life.call("GET", "/upload");
    expect(list.body.data[0].reviewLink).toEqual({ url, expiresAt });
    life.harness.advance(REVIEW_LINK_MS / 1_000);
    expect(await read(id)).not.toHaveProperty("reviewLink");
  });

  test("is not shown to who may not approve, as its page can", async () => {
    const id = await awaiting();
    await make();
    const member = await life.colleague("MEMBER");
    const reader = await life.colleague("ADMIN", ["posts:read"]);
    const admin = await life.colleague("ADMIN", ["posts:read", "posts:publish"]);
    for (const token of [member, reader]) {
      expect(await read(id, token)).not.toHaveProperty("reviewLink");
      expect(
        JSON.stringify((await life.call("GET", "/upload", undefined, token)).body),
      ).not.toContain("/review/");
    }
    expect(await read(id, admin)).toHaveProperty("reviewLink");
  });

  test.each([
    ["a member", "MEMBER", ["*"], "FORBIDDEN"],
    ["a token without posts:publish", "ADMIN", ["posts:write", "posts:read"], "INSUFFICIENT_SCOPE"],
  ] as const)("is refused to %s (403)", async (_, role, scopes, code) => {
    await awaiting();
    const token = await life.colleague(role, [...scopes]);
    expect(await make({}, token)).toMatchObject({ status: 403, body: { code } });
    expect(await countLinks()).toBe(0);
  });

  test("is made by an admin", async () => {
    await awaiting();
    expect((await make({}, await life.colleague("ADMIN"))).status).toBe(200);
  });

  test("of unknown, removed and foreign posts is not made (404), and they are named", async () => {
    const own = await awaiting();
    const removed = await awaiting({ deleted_at: 1 });
    const foreign = await (await beginLife(life.harness)).insert({ status: "pending_approval" });
    const { status, body } = await make({ uploadIds: [own, removed, foreign, 999_999_999] });
    expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    expect(body.error).toBe(`Upload ${removed}, ${foreign}, 999999999 not found.`);
  });

  test.each(["scheduled", "pending", "processing", "completed", "failed"] as const)(
    "of a post that is %s is not made (409), and it is named",
    async (status) => {
      const own = await awaiting();
      const scheduled_for = status === "scheduled" ? later(3_600).getTime() : null;
      const id = await life.insert({ status, scheduled_for });
      const refused = await make({ uploadIds: [own, id] });
      expect(refused).toMatchObject({ status: 409, body: { code: "NOT_REVIEWABLE" } });
      expect(refused.body.error).toContain(`${id} (${STATUS_WORDS[status]})`);
      expect(await countLinks()).toBe(0);
    },
  );

  test("of nothing is not made (409)", async () => {
    await life.insert({ status: "draft" });
    expect(await make()).toMatchObject({ status: 409, body: { code: "NOT_REVIEWABLE" } });
  });

  test.each([
    ["an empty list", { uploadIds: [] }, "uploadIds"],
    ["null", { uploadIds: null }, "uploadIds"],
    ["texts", { uploadIds: ["1"] }, "uploadIds.0"],
    ["fractions", { uploadIds: [1.5] }, "uploadIds.0"],
    ["zero", { uploadIds: [0] }, "uploadIds.0"],
    ["more than a number holds", { uploadIds: [2 ** 60] }, "uploadIds.0"],
    ["very many", { uploadIds: Array.from({ length: 1_001 }, () => 1) }, "uploadIds"],
    ["an unknown field", { days: 30 }, "days"],
    ["a list", [1], ""],
  ])("of %s is refused (400)", async (_, json, field) => {
    const { status, body } = await make(json);
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });

  test("is answered by POST alone", async () => {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      expect((await life.call(method, PATH)).status).toBe(405);
    }
  });

  test("is one of so many that are open at most", async () => {
    const { teamId, userId } = life.member;
    await awaiting();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO review_links (team_id, upload_ids, created_by, created_at, expires_at)
        SELECT ?, '[]', ?, ?, ? + 3600000 FROM n`,
    )
      .bind(MAX_OPEN_LINKS - 1, teamId, userId, START.getTime(), START.getTime())
      .run();
    const both = await Promise.all([make(), make()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body.code).toBe("PLAN_LIMIT");
    expect(await countLinks()).toBe(MAX_OPEN_LINKS);
    life.harness.advance(3_600);
    expect((await make()).status).toBe(200);
  });

  test("is forgotten a month after its end", async () => {
    const id = await awaiting();
    const { url } = (await make()).body.data;
    const client = new Browser(life.harness);
    life.harness.advance((REVIEW_LINK_MS + ENDED_LINKS_KEPT_MS) / 1_000);
    await life.harness.tick();
    expect((await client.get(new URL(url).pathname)).html).toContain("This link has expired");
    life.harness.advance(86_400);
    await life.harness.tick();
    expect((await client.get(new URL(url).pathname)).html).toContain("This link is gone");
    const posts = await env.DB.prepare("SELECT * FROM review_posts WHERE upload_id = ?")
      .bind(id)
      .all();
    expect(posts.results).toEqual([]);
  });
});

describe("files of a post that a client can still see", () => {
  // The clock begins anew with each test, and the chores of these hours may be done already.
  beforeEach(() => env.DB.exec("DELETE FROM chores"));

  const filesOf = async () =>
    (
      await env.DB.prepare("SELECT sha256 FROM media WHERE team_id = ?")
        .bind(life.member.teamId)
        .all()
    ).results.length;

  /** A post with a file, in a link; then it is published, or has failed. */
  async function ended(columns: Record<string, number | string>) {
    const [sha256 = ""] = await life.storeFiles(1);
    const media = JSON.stringify([{ sha256, kind: "image" }]);
    const id = await awaiting({ media });
    await env.DB.prepare("INSERT INTO media_uses VALUES (?, ?, ?, 1)")
      .bind(life.member.teamId, sha256, id)
      .run();
    await make();
    const set = Object.keys(columns).map((name) => `${name} = ?`);
    await env.DB.prepare(`UPDATE uploads SET ${set} WHERE id = ?`)
      .bind(...Object.values(columns), id)
      .run();
    return id;
  }

  test.each([
    ["published", { status: "completed", status_group: "completed", uploaded_at: START.getTime() }],
    ["failed", { status: "failed", status_group: "failed", failed_at: START.getTime() }],
  ])("stay while the link is open, though it is %s", async (_, columns) => {
    await ended(columns);
    life.harness.advance(13 * 86_400);
    await life.harness.tick();
    expect(await filesOf()).toBe(1);
    life.harness.advance(2 * 86_400);
    await life.harness.tick();
    expect(await filesOf()).toBe(0);
  });

  test("go with a post that is removed", async () => {
    await ended({ deleted_at: START.getTime() });
    life.harness.advance(7_200);
    await life.harness.tick();
    expect(await filesOf()).toBe(0);
  });

  test("of another team's link stay no longer", async () => {
    const id = await ended({
      status: "completed",
      status_group: "completed",
      uploaded_at: START.getTime(),
    });
    const other = await createMember();
    await env.DB.prepare("UPDATE review_posts SET team_id = ? WHERE upload_id = ?")
      .bind(other.teamId, id)
      .run();
    life.harness.advance(2 * 86_400);
    await life.harness.tick();
    expect(await filesOf()).toBe(0);
  });
});
