import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { mailLink } from "../../../src/features/sign-in/service.ts";
import { acceptInvite, giveAddress, mayJoin } from "../../../src/features/teams/service.ts";
import { eventNames } from "../../support/events.ts";
import { createMember, Harness, joinTeam, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const harness = new Harness();
const WEEK = 7 * 86_400;

let owner: Member;

beforeEach(async () => {
  owner = await createMember();
});

const inTeam = () => ({ "x-team-id": String(owner.teamId) });

const invite = (json: object = { role: "MEMBER" }, who: Member = owner) =>
  harness.call("POST", "/teams/invites", { token: who.token, headers: inTeam(), json });

const listed = async (who: Member = owner) => {
  const answer = await harness.call("GET", "/teams/invites", {
    token: who.token,
    headers: inTeam(),
  });
  return answer.body.data;
};

const newLink = async (json?: object): Promise<string> => (await invite(json)).body.data.token;

const emailOf = async ({ userId }: Member): Promise<string> => {
  const row = await env.DB.prepare("SELECT email FROM users WHERE id = ?")
    .bind(userId)
    .first<{ email: string }>();
  return row?.email ?? "";
};

const accept = async (token: string, who: Member) =>
  acceptInvite(harness.deps, token, { userId: who.userId, email: await emailOf(who) });

const roleOf = async ({ userId }: Member) => {
  const row = await env.DB.prepare("SELECT role FROM members WHERE team_id = ? AND user_id = ?")
    .bind(owner.teamId, userId)
    .first<{ role: string }>();
  return row?.role ?? null;
};

const setPlan = (plan: string) =>
  env.DB.prepare("UPDATE teams SET plan = ? WHERE id = ?").bind(plan, owner.teamId).run();

describe("inviting", () => {
  test("answers a link once, and stores only its hash", async () => {
    const { status, body } = await invite({ role: "ADMIN", email: " New@Example.COM " });
    expect(status).toBe(200);
    const { token } = body.data;
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(body.data).toEqual({
      id: expect.any(Number),
      email: "new@example.com",
      role: "ADMIN",
      expiresAt: "2026-12-08T09:00:00.000Z",
      token,
      inviteLink: `https://akimbo.test/invite/${token}`,
      isMailed: true,
    });
    const rows = await env.DB.prepare("SELECT * FROM invites").all();
    expect(JSON.stringify(rows.results)).not.toContain(token);
    expect(await listed()).toEqual([
      {
        id: body.data.id,
        email: "new@example.com",
        role: "ADMIN",
        expiresAt: "2026-12-08T09:00:00.000Z",
        invitedBy: owner.userId,
        createdAt: "2026-12-01T09:00:00.000Z",
      },
    ]);
  });

  test("emits team.invite", async () => {
    const { body } = await invite({ role: "MEMBER", email: "told@example.com" });
    await invite();
    const { results } = await env.DB.prepare(
      "SELECT name, data FROM events WHERE team_id = ? ORDER BY id",
    )
      .bind(owner.teamId)
      .all<{ name: string; data: string }>();
    expect(results.map(({ name }) => name)).toEqual(["team.invite", "team.invite"]);
    expect(results.map(({ data }) => JSON.parse(data))).toMatchObject([
      { inviteId: body.data.id, email: "told@example.com", role: "MEMBER" },
      { email: null },
    ]);
  });

  test("is for owners and admins, as are seeing and revoking invites", async () => {
    const admin = await createMember();
    const member = await createMember();
    await joinTeam(owner.teamId, admin.userId, "ADMIN");
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    const { body } = await invite({ role: "ADMIN" }, admin);
    expect(await invite({ role: "MEMBER" }, member)).toMatchObject({
      status: 403,
      body: { code: "FORBIDDEN" },
    });
    const path = `/teams/invites/${body.data.id}`;
    const asMember = { token: member.token, headers: inTeam() };
    expect((await harness.call("GET", "/teams/invites", asMember)).status).toBe(403);
    expect((await harness.call("DELETE", path, asMember)).status).toBe(403);
    expect(await listed(admin)).toHaveLength(1);
    const asAdmin = { token: admin.token, headers: inTeam() };
    expect((await harness.call("DELETE", path, asAdmin)).status).toBe(200);
    expect((await harness.call("DELETE", path, asAdmin)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  test.each<[object | string, string]>([
    [{}, "role"],
    [{ role: "OWNER" }, "role"],
    [{ role: "admin" }, "role"],
    [{ role: ["ADMIN"] }, "role"],
    [{ role: "MEMBER", email: "" }, "email"],
    [{ role: "MEMBER", email: "nobody" }, "email"],
    [{ role: "MEMBER", email: "a@b.example\nBcc: c@d.example" }, "email"],
    [{ role: "MEMBER", email: "Ada <ada@example.com>" }, "email"],
    [{ role: "MEMBER", email: `${"a".repeat(250)}@example.com` }, "email"],
    [{ role: "MEMBER", email: "a\u0000@example.com" }, "email"],
    [{ role: "MEMBER", email: null }, "email"],
    [{ role: "MEMBER", teamId: 1 }, "teamId"],
    ["[]", ""],
  ])("%j is refused", async (json, field) => {
    const answer = await harness.call("POST", "/teams/invites", { token: owner.token, json });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
    expect(await listed()).toEqual([]);
  });

  test("of a member's address is refused, whatever its case", async () => {
    const member = await createMember();
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    const email = (await emailOf(member)).toUpperCase();
    const answer = await invite({ role: "ADMIN", email });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "email" }] } });
    await env.DB.prepare("UPDATE members SET is_active = 0 WHERE user_id = ? AND team_id = ?")
      .bind(member.userId, owner.teamId)
      .run();
    expect((await invite({ role: "ADMIN", email })).body.error).toContain("deactivated");
    expect(await eventNames(owner.teamId)).toEqual([]);
  });

  test("the same address again takes the place of the first invite", async () => {
    const first = await newLink({ role: "MEMBER", email: "twice@example.com" });
    const second = await newLink({ role: "ADMIN", email: "twice@example.com" });
    expect(await listed()).toMatchObject([{ role: "ADMIN" }]);
    const joiner = await createMember();
    const person = { userId: joiner.userId, email: "twice@example.com" };
    await expect(acceptInvite(harness.deps, first, person)).rejects.toMatchObject({ status: 410 });
    expect((await acceptInvite(harness.deps, second, person)).hasJoined).toBe(true);
  });

  test("mails one address five links within 15 minutes, whoever invites it, and says when it did not", async () => {
    const email = "flooded@example.com";
    const elsewhere = await createMember();
    const mails = () => harness.logs.filter((entry) => "to" in entry && entry.to === email).length;
    const json = { role: "MEMBER", email };
    const mailed: boolean[] = [];
    for (let i = 0; i < 4; i++) mailed.push((await invite(json)).body.data.isMailed);
    const { token } = elsewhere;
    for (let i = 0; i < 3; i++) {
      const { body } = await harness.call("POST", "/teams/invites", { token, json });
      expect(body.data.inviteLink).toContain("/invite/");
      mailed.push(body.data.isMailed);
    }
    await mailLink(harness.deps, { email, origin: "https://akimbo.test", next: null });
    await harness.settle();
    expect(mailed).toEqual([true, true, true, true, true, false, false]);
    expect(mails()).toBe(5);
    harness.advance(15 * 60 + 1);
    await mailLink(harness.deps, { email, origin: "https://akimbo.test", next: null });
    expect((await invite(json)).body.data.isMailed).toBe(true);
    await harness.settle();
    expect(mails()).toBe(7);
    expect((await invite({ role: "MEMBER" })).body.data.isMailed).toBe(false);
  });

  test("stops at 100 open invites, by many at once too; the rest is refused clearly", async () => {
    const at = harness.deps.now().getTime();
    await env.DB.batch(
      Array.from({ length: 95 }, (_, i) =>
        env.DB.prepare(
          `INSERT INTO invites (team_id, token_hash, email, is_addressed, role, invited_by, created_at, expires_at)
           VALUES (?, ?, ?, 1, 'MEMBER', ?, ?, ?)`,
        ).bind(
          owner.teamId,
          `${owner.teamId}-${i}`,
          `n${i}@example.com`,
          owner.userId,
          at,
          at + 1e9,
        ),
      ),
    );
    const answers = await Promise.all(Array.from({ length: 12 }, () => invite()));
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.body).toMatchObject({ code: "PLAN_LIMIT" });
    expect(refused[0]?.body.error).toContain("100 open invites");
    expect(await listed()).toHaveLength(100);
    expect(await eventNames(owner.teamId)).toHaveLength(5);
    // Replacing an invite needs no room.
    expect((await invite({ role: "ADMIN", email: "n1@example.com" })).status).toBe(200);
    expect(await listed()).toHaveLength(100);
  });

  test("is refused where the plan has no room (409); open invites do not count", async () => {
    await setPlan("basic");
    expect(await invite()).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    await setPlan("pro");
    for (let i = 0; i < 6; i++) expect((await invite()).status).toBe(200);
  });

  test("an expired invite is listed no more and frees its place", async () => {
    await invite();
    harness.advance(WEEK);
    expect(await listed()).toEqual([]);
    await invite();
    const { results } = await env.DB.prepare("SELECT revoked_at FROM invites WHERE team_id = ?")
      .bind(owner.teamId)
      .all();
    expect(results.map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);
  });

  test("of another team is not to be seen or revoked", async () => {
    const { body } = await invite();
    const stranger = await createMember();
    const path = `/teams/invites/${body.data.id}`;
    expect((await harness.call("DELETE", path, { token: stranger.token })).status).toBe(404);
    const theirs = await harness.call("GET", "/teams/invites", { token: stranger.token });
    expect(theirs.body.data).toEqual([]);
    expect(await listed()).toHaveLength(1);
  });

  test("the list is one round trip", async () => {
    await invite();
    const { costs } = await measure(harness, () => listed());
    expect(costs.roundTrips).toHaveLength(1);
  });
});

describe("accepting", () => {
  test("makes a member of the invited role, once", async () => {
    const joiner = await createMember();
    const link = await newLink({ role: "ADMIN" });
    expect(await accept(link, joiner)).toEqual({ teamId: owner.teamId, hasJoined: true });
    expect(await roleOf(joiner)).toBe("ADMIN");
    const late = await createMember();
    await expect(accept(link, late)).rejects.toMatchObject({ status: 410 });
    expect(await roleOf(late)).toBeNull();
    // An invited person who returns is a member already.
    expect(await accept(link, joiner)).toEqual({ teamId: owner.teamId, hasJoined: false });
  });

  test("by many at once lets exactly one in", async () => {
    const link = await newLink();
    const crowd = await Promise.all(Array.from({ length: 10 }, () => createMember()));
    const results = await Promise.allSettled(crowd.map((one) => accept(link, one)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const roles = await Promise.all(crowd.map(roleOf));
    expect(roles.filter(Boolean)).toHaveLength(1);
  });

  test("twice at once by the same person has one effect", async () => {
    const link = await newLink();
    const joiner = await createMember();
    const results = await Promise.all(Array.from({ length: 5 }, () => accept(link, joiner)));
    expect(results.filter(({ hasJoined }) => hasJoined)).toHaveLength(1);
  });

  test("keeps to the plan's limit, however many come at once", async () => {
    await setPlan("pro");
    const links = await Promise.all(Array.from({ length: 8 }, () => newLink()));
    const crowd = await Promise.all(links.map(() => createMember()));
    const results = await Promise.allSettled(
      crowd.map((one, i) => accept(links[i] as string, one)),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "PLAN_LIMIT" });
    // The link still works once the team has room.
    expect(await listed()).toHaveLength(4);
  });

  test("asks for the invited address, whatever its case", async () => {
    const link = await newLink({ role: "MEMBER", email: "invited@example.com" });
    const other = await createMember();
    await expect(accept(link, other)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("invited@example.com"),
    });
    const person = { userId: other.userId, email: "Invited@Example.com" };
    expect((await acceptInvite(harness.deps, link, person)).hasJoined).toBe(true);
  });

  test("changes nothing for an active member, and leaves the invite open", async () => {
    const admin = await createMember();
    await joinTeam(owner.teamId, admin.userId, "ADMIN");
    const link = await newLink();
    expect(await accept(link, admin)).toEqual({ teamId: owner.teamId, hasJoined: false });
    expect(await roleOf(admin)).toBe("ADMIN");
    expect(await accept(link, owner)).toEqual({ teamId: owner.teamId, hasJoined: false });
    expect(await roleOf(owner)).toBe("OWNER");
    expect(await listed()).toHaveLength(1);
  });

  test("is no way back for a deactivated member", async () => {
    const member = await createMember();
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    const link = await newLink();
    await harness.call("PATCH", `/teams/members/${member.userId}`, {
      token: owner.token,
      json: { isActive: false },
    });
    await expect(accept(link, member)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("deactivated"),
    });
  });

  test.each<[string, (link: string, id: number) => Promise<unknown>, number]>([
    ["expired", async () => harness.advance(WEEK), 410],
    [
      "revoked",
      (_, id) => harness.call("DELETE", `/teams/invites/${id}`, { token: owner.token }),
      410,
    ],
    [
      "of a deleted team",
      () => env.DB.prepare("UPDATE teams SET deleted_at = 1 WHERE id = ?").bind(owner.teamId).run(),
      404,
    ],
  ])("an invite that is %s leads nowhere", async (_, end, status) => {
    const { body } = await invite();
    const joiner = await createMember();
    await end(body.data.token, body.data.id);
    await expect(accept(body.data.token, joiner)).rejects.toMatchObject({ status });
    expect(await roleOf(joiner)).toBeNull();
  });

  test.each(["", "abc", "g".repeat(64), "a".repeat(64), "A".repeat(64), "' OR 1=1 --"])(
    "%j is no link (404)",
    async (link) => {
      await expect(accept(link, owner)).rejects.toMatchObject({ status: 404 });
    },
  );
});

describe("who may join", () => {
  test("the address of an open invite, until it is over", async () => {
    const may = () => mayJoin(harness.deps, "guest@example.com");
    await invite({ role: "MEMBER", email: "guest@example.com" });
    expect(await may()).toBe(true);
    harness.advance(WEEK);
    expect(await may()).toBe(false);
  });

  test("every address given to an open link, until somebody accepts", async () => {
    const link = await newLink();
    const emails = ["slip@example.com", "right@example.com"];
    for (const email of [...emails, ...emails]) await giveAddress(harness.deps, link, email);
    const may = () => Promise.all(emails.map((email) => mayJoin(harness.deps, email)));
    expect(await may()).toEqual([true, true]);
    expect(await listed()).toMatchObject([{ email: null }]);
    expect(await accept(link, await createMember())).toMatchObject({ hasJoined: true });
    expect(await may()).toEqual([false, false]);
    await expect(giveAddress(harness.deps, link, "late@example.com")).rejects.toMatchObject({
      status: 410,
    });
  });

  test("an address given to another's invite changes nothing", async () => {
    const link = await newLink({ role: "MEMBER", email: "named@example.com" });
    const giving = giveAddress(harness.deps, link, "thief@example.com");
    await expect(giving).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await mayJoin(harness.deps, "thief@example.com")).toBe(false);
    expect(await mayJoin(harness.deps, "named@example.com")).toBe(true);
  });
});
