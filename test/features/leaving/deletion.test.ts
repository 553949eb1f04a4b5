import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { eraseTeams } from "../../../src/features/leaving/erase.ts";
import { ended, moveAll } from "../../support/archive.ts";
import {
  createMember,
  createToken,
  FEED_URL,
  form,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { newBrowser } from "../../support/push-service.ts";
import { testPng } from "../../support/videos.ts";

const slugOf = async ({ teamId }: Member) =>
  (await env.DB.prepare("SELECT slug FROM teams WHERE id = ?")
    .bind(teamId)
    .first("slug")) as string;

const remove = async (life: Life, json?: object, token = life.member.token) => {
  const body = json ?? { confirm: await slugOf(life.member) };
  return life.call("DELETE", `/teams/${life.member.teamId}`, body, token);
};

async function teamTables(): Promise<string[]> {
  const { results } = await env.DB.prepare("PRAGMA table_list").all<{ name: string }>();
  const own = results.map(({ name }) => name).filter((name) => !/^(sqlite|_cf|d1)_/.test(name));
  const columns = await env.DB.batch<{ name: string }>(
    own.map((table) => env.DB.prepare(`PRAGMA table_info(${table})`)),
  );
  return own.filter((_, i) => columns[i]?.results.some(({ name }) => name === "team_id"));
}

async function rowsOf(teamId: number): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const table of await teamTables()) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE team_id = ?`)
      .bind(teamId)
      .all();
    if (results.length > 0) rows[table] = results;
  }
  const { results } = await env.DB.prepare("SELECT * FROM teams WHERE id = ?").bind(teamId).all();
  return results.length > 0 ? { ...rows, teams: results } : rows;
}

async function objectsOf(teamId: number): Promise<string[]> {
  const { objects } = await env.MEDIA.list();
  return objects.map(({ key }) => key).filter((key) => key.split("/")[1] === String(teamId));
}

/** Returns the number of pages. */
async function erase({ harness }: Life): Promise<number> {
  let pages = 0;
  for (let cursor: string | null = null; ; ) {
    cursor = await eraseTeams(harness.deps, cursor);
    pages++;
    if (cursor === null) return pages;
  }
}

/** A team with a row in every table and every kind of object. */
async function fullLife(): Promise<Life> {
  const life = await beginLife();
  const { harness, member, accountId } = life;
  const colleague = await createMember();
  await joinTeam(member.teamId, colleague.userId, "ADMIN");
  await createToken(colleague.userId, { teamId: member.teamId });
  const png = Uint8Array.from(testPng);
  await harness.call("POST", "/upload", {
    token: member.token,
    headers: { "idempotency-key": "once" },
    body: form({ accountId, description: "Draft", status: "draft", photo: new Blob([png]) }),
  });
  await harness.call("PUT", "/settings/logo", { token: member.token, body: png });
  await uploadPresigned(harness, member.token, { route: "photos", type: "image/png", bytes: png });
  await env.MEDIA.put(`thumbnails/${member.teamId}/${"a".repeat(64)}`, "x");
  await life.storeFiles(3);
  await life.insertMany([
    ended("2025-03-01T10:00:00Z"),
    { status: "scheduled", scheduled_for: later(3_600).getTime() },
    { status: "completed" },
    { status: "draft", deleted_at: 1 },
  ]);
  await moveAll(harness);
  const hook = { url: "https://example.com/hook", events: ["suggestion.created"] };
  await life.call("POST", "/webhooks", hook);
  await life.call("POST", "/suggestions", { title: "Idea" });
  await life.call("PUT", "/blocks/hello", { text: "Hello" });
  await life.call("POST", "/feeds", { url: FEED_URL, accountIds: [accountId] });
  await env.DB.prepare(
    "INSERT INTO feed_entries SELECT id, 'k', team_id, 0 FROM feeds WHERE team_id = ?",
  )
    .bind(member.teamId)
    .run();
  const media = [{ mediaId: "ab".repeat(32), altText: "" }];
  await life.call("POST", "/drafts", { content: { title: "Draft", media } });
  const address = "https://chat.example/secret";
  await life.call("PATCH", "/settings", { messaging: { own: address, team: address } });
  await life.call("POST", "/settings/push", await newBrowser());
  const slots = [{ time: "09:00", days: [1], accountIds: [accountId] }];
  const { body } = await life.call("POST", "/pools", { name: "Tips", timezone: "UTC", slots });
  await harness.call("POST", `/pools/${body.pool.id}/videos`, {
    token: member.token,
    body: form({ title: "Tip", photo: new Blob([png]) }),
  });
  const link = await life.call("POST", "/short-links", { url: "https://example.com/" });
  await life.call("POST", "/domains", { domain: `go-${member.teamId}.example.com` });
  await env.DB.prepare(
    "INSERT INTO arriving_clicks VALUES (?, 5, 'm', 1, '[[5,null,\"desktop\"]]')",
  )
    .bind(link.body.id)
    .run();
  const { teamId, userId } = member;
  const run = (sql: string, ...values: unknown[]) =>
    env.DB.prepare(sql)
      .bind(...values)
      .run();
  await run(
    `INSERT INTO attempts SELECT id, 'dlv_1', team_id, 'evt_1', 'webhook.ping', 1, 1, 200, NULL, 5, 0, NULL
      FROM webhooks WHERE team_id = ?`,
    teamId,
  );
  await run("INSERT INTO notices VALUES (0, 'evt_1', ?, 0, 'email', ?, 1, 0)", userId, teamId);
  await run(
    `INSERT INTO pool_firings SELECT id, 0, pool_id, team_id, '', time, 'UTC', '[]', 'empty', NULL, NULL, 0, 0,
        NULL, NULL FROM pool_slots WHERE team_id = ?`,
    teamId,
  );
  await run(
    "INSERT INTO analytics VALUES (?, ?, 1, NULL, NULL, 1, '[]', '{}', '{}')",
    teamId,
    accountId,
  );
  await run("INSERT INTO analytics_posts VALUES (?, ?, '[]')", teamId, accountId);
  await run(
    `INSERT INTO oauth_clients VALUES ('app-' || ?1, 'app', ?1, 'App', '[]', 'none', NULL, ?2, 0, NULL)`,
    teamId,
    userId,
  );
  await run(
    `INSERT INTO oauth_codes VALUES ('code-' || ?1, 'key', 'app', 'app', 'App', 'app.example',
        'https://app.example/', 'x', 'api', ?2, ?1, '[]', NULL, NULL, 1, NULL, NULL)`,
    teamId,
    userId,
  );
  await run(
    `INSERT INTO oauth_grants SELECT id, 'key-' || id, 'app', 'app', 'app.example', 'api', NULL, NULL, 1, NULL
      FROM tokens WHERE team_id = ?`,
    teamId,
  );
  await run(
    "INSERT INTO oauth_access SELECT 'access-' || id, id, 1, NULL FROM tokens WHERE team_id = ?",
    teamId,
  );
  await run("INSERT INTO credit_periods VALUES (?, '2026-12', 5)", teamId);
  await run("INSERT INTO credit_balances VALUES (?, 5)", teamId);
  await run("INSERT INTO credit_packs VALUES (?, ?, 'P', 5, 0, NULL)", `pack_${teamId}`, teamId);
  await run("INSERT INTO credit_ledger VALUES (?, 'r', 'pack', '2026-12', 0, 5, 0)", teamId);
  await run(
    `INSERT INTO invites (team_id, token_hash, email, role, invited_by, created_at, expires_at, is_addressed)
      VALUES (?, ?, 'x@example.com', 'MEMBER', ?, 0, 1, 1)`,
    teamId,
    `hash-${teamId}`,
    userId,
  );
  await run(
    `INSERT INTO consents (team_id, platform, mode, opener_hash, step, created_at, expires_at)
      VALUES (?, 'x', 'live', ?, 'open', 0, 1)`,
    teamId,
    `opener-${teamId}`,
  );
  await run(
    `INSERT INTO rehearsals (team_id, account_id, platform, text, stage, created_at, updated_at)
      VALUES (?, ?, 'x', 'Rehearsal', 'over', 0, 0)`,
    teamId,
    `acc-${teamId}`,
  );
  await run(
    `INSERT INTO connection_links (team_id, platform, mode, tags, created_by, created_at, expires_at)
      VALUES (?, 'x', 'live', '[]', ?, 0, 1)`,
    teamId,
    userId,
  );
  await run("INSERT INTO calendar_feeds VALUES (NULL, ?, ?, NULL, 0)", teamId, userId);
  await run(
    "INSERT INTO reports VALUES (NULL, ?, ?, NULL, 0, 1, NULL, '{}', NULL)",
    ...[teamId, userId],
  );
  await run("INSERT INTO review_links VALUES (NULL, ?, '[1]', ?, 0, 1, NULL)", teamId, userId);
  await run("INSERT INTO review_posts VALUES (?, 1, 1, 1)", teamId);
  return life;
}

describe("a deleted team", () => {
  test("is gone at once for everybody, and nothing of it is published", async () => {
    const life = await beginLife();
    const { harness, member } = life;
    const colleague = await createMember();
    await joinTeam(member.teamId, colleague.userId, "ADMIN");
    const pinned = await createToken(colleague.userId, { teamId: member.teamId });
    const browser = await new Browser(harness).signIn(member);
    const planned = await life.insert({ status: "scheduled", scheduled_for: later(60).getTime() });
    const waiting = await life.insert({ status: "pending" });
    expect(await remove(life)).toMatchObject({ status: 200, body: { success: true } });
    for (const token of [member.token, pinned]) {
      expect((await harness.call("GET", "/accounts", { token })).status).toBe(401);
    }
    const headers = { "x-team-id": String(member.teamId) };
    const refused = await harness.call("GET", "/accounts", { token: colleague.token, headers });
    expect(refused.status).toBe(403);
    expect((await browser.get("/app")).status).toBe(303);
    expect((await harness.call("GET", "/accounts", { token: colleague.token })).status).toBe(200);
    for (const id of [planned, waiting]) {
      harness.advance(120);
      await harness.consume([{ kind: "publish", uploadId: id }]);
      expect(await life.row(id)).toMatchObject({
        status: "failed",
        failure_code: "account_disconnected",
      });
    }
  });

  test("leaves no row and no object behind, and those of others as they were", async () => {
    const life = await fullLife();
    const other = await fullLife();
    const { teamId, userId } = life.member;
    const tables = await teamTables();
    expect(Object.keys(await rowsOf(teamId)).sort()).toEqual([...tables, "teams"].sort());
    expect((await objectsOf(teamId)).length).toBeGreaterThanOrEqual(3);
    const before = [await rowsOf(other.member.teamId), await objectsOf(other.member.teamId)];
    await remove(life);
    const targets = "SELECT 1 FROM notice_targets WHERE user_id = ? OR team_id = ?";
    expect(await env.DB.prepare(targets).bind(userId, teamId).first()).toBeNull();
    await erase(life);
    expect(Object.keys(await rowsOf(teamId)).sort()).toEqual([
      "deliveries",
      "members",
      "slug_owners",
      "teams",
    ]);
    life.harness.advance(86_400);
    await erase(life);
    const slug_owners = [{ slug_key: expect.any(String), team_id: teamId }];
    expect(await rowsOf(teamId)).toEqual({ slug_owners });
    expect(await objectsOf(teamId)).toEqual([]);
    const left = `SELECT (SELECT count(*) FROM oauth_grants WHERE id NOT IN (SELECT id FROM tokens))
      + (SELECT count(*) FROM oauth_access WHERE grant_id NOT IN (SELECT id FROM oauth_grants))`;
    expect(await env.DB.prepare(`${left} AS rows`).first("rows")).toBe(0);
    expect(
      await env.DB.prepare("SELECT 1 FROM users WHERE id = ?").bind(userId).first(),
    ).toBeNull();
    expect([await rowsOf(other.member.teamId), await objectsOf(other.member.teamId)]).toEqual(
      before,
    );
  });

  test("goes by the tick alone, in slices whose cost has a bound", async () => {
    const life = await beginLife();
    const { harness, member } = life;
    await life.insertMany(Array.from({ length: 450 }, () => ({ status: "completed" })));
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
        SELECT ?1 + i, 'evt_' || i, 0, (i % 2) * ?2, 'event', 0 FROM n`,
    )
      .bind(later(9 * 86_400).getTime(), member.teamId)
      .run();
    await remove(life);
    const { costs } = await measure(harness, () => eraseTeams(harness.deps, null));
    expect(costs.roundTrips).toHaveLength(2);
    // 200 posts with indexes and a few other rows.
    expect(costs.rowsWritten).toBeLessThan(200 * 7 + 50);
    expect(costs.rowsRead).toBeLessThan(200 * 12 + 200);
    for (let day = 0; day < 2; day++) {
      for (let i = 0; i < 60; i++) {
        harness.advance(60);
        await harness.tick();
      }
      harness.advance(86_400);
    }
    expect(await rowsOf(member.teamId)).toEqual({});
    await env.DB.prepare("DELETE FROM deliveries WHERE team_id = 0").run();
  });

  test("that cannot be removed holds up no other, and is tried again an hour later", async () => {
    const [life, other] = [await beginLife(), await beginLife()];
    const { harness, member } = life;
    await env.MEDIA.put(`media/${member.teamId}/${"a".repeat(64)}`, "x");
    await remove(life);
    await other.harness.call("DELETE", `/teams/${other.member.teamId}`, {
      token: other.member.token,
      json: { confirm: await slugOf(other.member) },
    });
    const { media } = harness.deps;
    harness.deps.media = new Proxy(media, {
      get: (bucket, name) =>
        name === "list"
          ? async (options: R2ListOptions) => {
              if (options.prefix?.includes(`/${member.teamId}/`)) throw new Error("Out of order");
              return bucket.list(options);
            }
          : Reflect.get(bucket, name).bind(bucket),
    });
    harness.advance(86_400);
    for (let i = 0; i < 5; i++) {
      harness.advance(60);
      await harness.tick();
    }
    expect(await rowsOf(other.member.teamId)).toEqual({});
    expect(Object.keys(await rowsOf(member.teamId))).toContain("teams");
    const events = harness.logs.filter(
      (entry) => "event" in entry && /erase/.test(`${entry.event}`),
    );
    expect(events).toContainEqual({
      event: "team.erase_failed",
      teamId: member.teamId,
      error: "Error: Out of order",
    });
    harness.deps.media = media;
    harness.advance(86_400);
    for (let i = 0; i < 5; i++) {
      harness.advance(60);
      await harness.tick();
    }
    expect(await rowsOf(member.teamId)).toEqual({});
    expect(await objectsOf(member.teamId)).toEqual([]);
  });

  test("gives no id out again", async () => {
    const life = await beginLife();
    const id = await life.insert({ status: "completed", title: "Private words" });
    await remove(life);
    await erase(life);
    expect(await life.row(id)).toMatchObject({ team_id: 0, title: null, account_id: "" });
    const other = await beginLife();
    expect(await other.insert({ status: "completed" })).toBeGreaterThan(id);
  });

  test("closes the account of its owner; what tells of them elsewhere has no name", async () => {
    const life = await beginLife();
    const other = await createMember();
    await joinTeam(other.teamId, life.member.userId, "MEMBER");
    const headers = { "x-team-id": String(other.teamId) };
    const { harness } = life;
    const { token, userId } = life.member;
    const json = { title: "Idea" };
    await harness.call("POST", "/suggestions", { token, headers, json });
    await remove(life);
    harness.advance(86_400);
    await erase(life);
    const user = await env.DB.prepare("SELECT email, name FROM users WHERE id = ?")
      .bind(userId)
      .first();
    expect(user).toEqual({ email: `deleted-${userId}@akimbo.invalid`, name: null });
    const kept = await harness.call("GET", "/suggestions", { token: other.token });
    expect(kept.body.data).toHaveLength(1);
    const member = await env.DB.prepare("SELECT 1 FROM members WHERE user_id = ?")
      .bind(userId)
      .first();
    expect(member).toBeNull();
  });
});

test("a team is not deleted while a post is being published", async () => {
  const life = await beginLife();
  const id = await life.insert({ status: "processing" });
  expect(await remove(life)).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
  expect(await life.row(id)).toMatchObject({ status: "processing" });
  expect((await life.call("GET", "/accounts")).body.count).toBe(1);
});

test("only its owner deletes a team, by its name", async () => {
  const life = await beginLife();
  const other = await createMember();
  expect(await remove(life, { confirm: "no" })).toMatchObject({ status: 400 });
  expect(await remove(life, {})).toMatchObject({ status: 400 });
  const foreign = await remove(life, undefined, other.token);
  expect(foreign).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  await joinTeam(life.member.teamId, other.userId, "ADMIN");
  const admin = await createToken(other.userId, { teamId: life.member.teamId });
  expect(await remove(life, undefined, admin)).toMatchObject({
    status: 403,
    body: { code: "FORBIDDEN" },
  });
  const { teamId } = life.member;
  expect(Object.keys(await rowsOf(teamId))).toContain("teams");
  expect(await eraseTeams(life.harness.deps, null)).toBeNull();
  expect(Object.keys(await rowsOf(teamId))).toContain("teams");
});

test("a token pinned to the team does not close its owner's account", async () => {
  const life = await beginLife();
  const { userId, teamId } = life.member;
  const pinned = await createToken(userId, { teamId });
  const answer = await remove(life, undefined, pinned);
  expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
});

test("invites that the owner made in other teams end with their account", async () => {
  const life = await beginLife();
  const other = await createMember();
  await joinTeam(other.teamId, life.member.userId, "ADMIN");
  const invited = await life.harness.call("POST", "/teams/invites", {
    token: life.member.token,
    headers: { "x-team-id": String(other.teamId) },
    json: { role: "ADMIN" },
  });
  expect(invited.status).toBe(200);
  expect((await remove(life)).status).toBe(200);
  const link = new URL(invited.body.data.inviteLink).pathname;
  expect((await new Browser(life.harness).get(link)).status).toBe(410);
});

test("invites to the owner's address end in the teams that they leave with their account", async () => {
  const life = await beginLife();
  const [joinedTeam, never] = [await createMember(), await createMember()];
  const { userId } = life.member;
  const user = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId);
  const json = { role: "MEMBER", email: await user.first("email") };
  for (const { token } of [joinedTeam, never]) {
    await life.harness.call("POST", "/teams/invites", { token, json });
  }
  await joinTeam(joinedTeam.teamId, userId, "MEMBER");
  expect((await remove(life)).status).toBe(200);
  const open = async ({ token }: Member) =>
    (await life.harness.call("GET", "/teams/invites", { token })).body.data.length;
  expect([await open(joinedTeam), await open(never)]).toEqual([0, 1]);
});

test("addresses that were given for invites go with their team", async () => {
  const [life, other] = [await beginLife(), await createMember()];
  for (const { token } of [life.member, other]) {
    const json = { role: "MEMBER" };
    const { body } = await life.harness.call("POST", "/teams/invites", { token, json });
    const browser = new Browser(life.harness);
    const path = new URL(body.data.inviteLink).pathname;
    for (const name of ["ada", "bea"]) {
      await browser.post(path, { email: `${name}-${body.data.id}@example.com` });
    }
  }
  const addresses = async ({ teamId }: Member) =>
    env.DB.prepare(
      `SELECT count(*) AS n FROM invite_addresses a LEFT JOIN invites i ON i.id = a.invite_id
       WHERE i.team_id = ? OR i.id IS NULL`,
    )
      .bind(teamId)
      .first("n");
  expect([await addresses(life.member), await addresses(other)]).toEqual([2, 2]);
  await remove(life);
  await erase(life);
  expect([await addresses(life.member), await addresses(other)]).toEqual([0, 2]);
});
