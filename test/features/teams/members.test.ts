import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../src/deps.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const harness = new Harness();

let owner: Member;
let admin: Member;
let otherAdmin: Member;
let member: Member;
let otherMember: Member;

beforeEach(async () => {
  [owner, admin, otherAdmin, member, otherMember] = (await Promise.all(
    Array.from({ length: 5 }, () => createMember()),
  )) as [Member, Member, Member, Member, Member];
  await joinTeam(owner.teamId, admin.userId, "ADMIN");
  await joinTeam(owner.teamId, otherAdmin.userId, "ADMIN");
  await joinTeam(owner.teamId, member.userId, "MEMBER");
  await joinTeam(owner.teamId, otherMember.userId, "MEMBER");
});

const act = (who: Member, method: string, path: string, json?: unknown) =>
  harness.call(method, path, {
    token: who.token,
    headers: { "x-team-id": String(owner.teamId) },
    ...(json === undefined ? {} : { json }),
  });

const change = (who: Member, target: Member, json: object) =>
  act(who, "PATCH", `/teams/members/${target.userId}`, json);
const remove = (who: Member, target: Member) =>
  act(who, "DELETE", `/teams/members/${target.userId}`);

const membership = (target: Member) =>
  env.DB.prepare("SELECT role, is_active FROM members WHERE team_id = ? AND user_id = ?")
    .bind(owner.teamId, target.userId)
    .first();

const setPlan = (plan: string) =>
  env.DB.prepare("UPDATE teams SET plan = ? WHERE id = ?").bind(plan, owner.teamId).run();

describe("GET /teams", () => {
  test("is the team that the user owns, in one round trip", async () => {
    const { result, costs } = await measure(harness, () =>
      harness.call("GET", "/teams", { token: admin.token }),
    );
    expect(result.status).toBe(200);
    expect(Object.keys(result.body.data)).toEqual([
      "id",
      "name",
      "slug",
      "role",
      "joinedAt",
      "createdAt",
      "updatedAt",
    ]);
    expect(result.body.data).toMatchObject({ id: admin.teamId, name: "A team", role: "OWNER" });
    expect(costs.roundTrips).toHaveLength(1);
  });

  test("is the team of a pinned token, and the one in X-Team-ID", async () => {
    const expected = { id: owner.teamId, role: "ADMIN" };
    const token = await createToken(admin.userId, { teamId: owner.teamId });
    expect((await harness.call("GET", "/teams", { token })).body.data).toMatchObject(expected);
    expect((await act(admin, "GET", "/teams")).body.data).toMatchObject(expected);
  });

  test("is renamed by its owner alone", async () => {
    for (const who of [admin, member]) {
      expect(await act(who, "PATCH", "/teams", { name: "Mine" })).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN" },
      });
    }
    const renamed = await act(owner, "PATCH", "/teams", { name: "  Studio " });
    expect(renamed.body.data).toMatchObject({ name: "Studio", role: "OWNER" });
    expect((await act(member, "GET", "/teams")).body.data.name).toBe("Studio");
    for (const json of [
      {},
      { name: " " },
      { name: "x".repeat(201) },
      { name: "a\0b" },
      { slug: "x" },
    ]) {
      expect((await act(owner, "PATCH", "/teams", json)).status).toBe(400);
    }
  });
});

test("everybody of the team sees its members, in one round trip", async () => {
  const { result, costs } = await measure(harness, () => act(member, "GET", "/teams/members"));
  expect(result.body.data).toHaveLength(5);
  expect(result.body.data[0]).toEqual({
    userId: owner.userId,
    email: expect.stringContaining("@example.com"),
    avatarUrl: null,
    role: "OWNER",
    isActive: true,
    joinedAt: expect.any(String),
  });
  expect(costs.roundTrips).toHaveLength(1);
});

describe("role and status", () => {
  test("the owner changes them", async () => {
    expect((await change(owner, member, { role: "ADMIN" })).body.data).toEqual({
      userId: member.userId,
      role: "ADMIN",
      isActive: true,
    });
    const both = await change(owner, member, { role: "MEMBER", isActive: false });
    expect(both.body.data).toEqual({ userId: member.userId, role: "MEMBER", isActive: false });
    expect((await change(owner, member, { isActive: true })).body.data.isActive).toBe(true);
  });

  test.each<[string, () => Member]>([
    ["an admin", () => admin],
    ["a member", () => member],
  ])("%s changes nobody's, not their own either", async (_, who) => {
    for (const target of [owner, otherAdmin, otherMember, who()]) {
      expect(await change(who(), target, { role: "ADMIN" })).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN" },
      });
    }
    expect(await membership(otherMember)).toEqual({ role: "MEMBER", is_active: 1 });
  });

  test("the owner's own stay as they are (403)", async () => {
    for (const json of [{ role: "MEMBER" }, { isActive: false }, { isActive: true }]) {
      const answer = await change(owner, owner, json);
      expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      expect(answer.body.error).toContain("always has its owner");
    }
    expect(await membership(owner)).toEqual({ role: "OWNER", is_active: 1 });
  });

  test("of somebody who is no member: 404", async () => {
    const stranger = await createMember();
    expect((await change(owner, stranger, { role: "ADMIN" })).status).toBe(404);
    for (const id of ["0", "abc", "-1", "99999999", "1e3"]) {
      const path = `/teams/members/${id}`;
      expect((await act(owner, "PATCH", path, { role: "ADMIN" })).status).toBe(404);
      expect((await act(owner, "DELETE", path)).status).toBe(404);
    }
  });

  test.each<[object, string]>([
    [{}, ""],
    [{ role: "OWNER" }, "role"],
    [{ role: "member" }, "role"],
    [{ role: null }, "role"],
    [{ isActive: "false" }, "isActive"],
    [{ isActive: 0 }, "isActive"],
    [{ role: "ADMIN", userId: 1 }, "userId"],
  ])("%j is refused", async (json, field) => {
    const answer = await change(owner, member, json);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });
});

describe("removing", () => {
  const names = ["owner", "admin", "otherAdmin", "member", "otherMember"] as const;
  type Name = (typeof names)[number];
  const people = (): Record<Name, Member> => ({ owner, admin, otherAdmin, member, otherMember });
  const allowed: Record<"owner" | "admin" | "member", Name[]> = {
    owner: ["admin", "otherAdmin", "member", "otherMember"],
    admin: ["admin", "member", "otherMember"],
    member: ["member"],
  };

  test.each(
    (["owner", "admin", "member"] as const).flatMap((who) => names.map((target) => [who, target])),
  )("%s removes %s as their roles allow", async (who, target) => {
    const { [who as Name]: actor, [target as Name]: other } = people();
    const isAllowed = allowed[who as keyof typeof allowed].includes(target as Name);
    const answer = await remove(actor, other);
    expect(answer.status).toBe(isAllowed ? 200 : 403);
    if (!isAllowed) expect(answer.body.code).toBe("FORBIDDEN");
    expect((await membership(other)) === null).toBe(isAllowed);
  });

  test("takes a member and the tokens pinned to the team, and nothing else", async () => {
    const pinned = await createToken(member.userId, { teamId: owner.teamId });
    const ownPinned = await createToken(member.userId, { teamId: member.teamId });
    expect((await remove(owner, member)).status).toBe(200);
    const asks = async (token: string) => (await harness.call("GET", "/teams", { token })).status;
    expect(await asks(pinned)).toBe(401);
    expect(await asks(ownPinned)).toBe(200);
    expect(await asks(member.token)).toBe(200);
    expect((await act(member, "GET", "/teams")).status).toBe(403);
    // Returning revives no token.
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    expect(await asks(pinned)).toBe(401);
    expect((await act(member, "GET", "/teams")).status).toBe(200);
    expect((await remove(owner, otherMember)).status).toBe(200);
    expect((await remove(owner, otherMember)).status).toBe(404);
  });

  test("a pinned token may remove its own user, and is revoked by that", async () => {
    const token = await createToken(member.userId, { teamId: owner.teamId });
    const path = `/teams/members/${member.userId}`;
    expect((await harness.call("DELETE", path, { token })).status).toBe(200);
    expect((await harness.call("DELETE", path, { token })).status).toBe(401);
  });
});

test("a deactivated member loses access at once, and their tokens for good", async () => {
  const pinned = await createToken(member.userId, { teamId: owner.teamId });
  await change(owner, member, { isActive: false });
  expect((await act(member, "GET", "/teams")).status).toBe(403);
  expect((await harness.call("GET", "/teams", { token: pinned })).status).toBe(401);
  const { body } = await change(owner, member, { isActive: true });
  expect(body.message).toContain("pinned to the team stay revoked");
  expect((await act(member, "GET", "/teams")).status).toBe(200);
  expect((await harness.call("GET", "/teams", { token: pinned })).status).toBe(401);
});

test.each<[string, (target: Member) => Promise<unknown>]>([
  ["removed", (target) => remove(owner, target)],
  ["deactivated", (target) => change(owner, target, { isActive: false })],
  ["demoted", (target) => change(owner, target, { role: "MEMBER" })],
])("invites by an admin who is %s are revoked", async (_, end) => {
  const own = await act(admin, "POST", "/teams/invites", { role: "ADMIN" });
  const other = await act(otherAdmin, "POST", "/teams/invites", { role: "ADMIN" });
  await end(admin);
  const { body } = await act(owner, "GET", "/teams/invites");
  expect(body.data.map(({ id }: { id: number }) => id)).toEqual([other.body.data.id]);
  expect(own.status).toBe(200);
});

describe("an open invite to a member's own address", () => {
  let email: string;
  const invite = (who: Member, to: string) =>
    act(who, "POST", "/teams/invites", { role: "ADMIN", email: to });
  const invited = async (who: Member): Promise<string[]> => {
    const { body } = await act(who, "GET", "/teams/invites");
    return body.data.map((one: { email: string | null }) => one.email).sort();
  };

  /** A person joins by another way than the invite. */
  beforeEach(async () => {
    await env.DB.prepare("DELETE FROM members WHERE team_id = ? AND user_id = ?")
      .bind(owner.teamId, member.userId)
      .run();
    const user = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(member.userId);
    email = (await user.first<{ email: string }>())?.email ?? "";
    for (const to of [email, "other@example.com"]) {
      expect((await invite(owner, to)).status).toBe(200);
    }
  });

  test.each<[string, () => Promise<{ status: number }>]>([
    ["is removed", () => remove(owner, member)],
    ["leaves", () => remove(member, member)],
  ])("is revoked when the member %s, and no other is", async (_, end) => {
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    const elsewhere = await createMember();
    const json = { role: "MEMBER", email };
    await harness.call("POST", "/teams/invites", { token: elsewhere.token, json });
    expect((await end()).status).toBe(200);
    expect(await invited(owner)).toEqual(["other@example.com"]);
    const theirs = await harness.call("GET", "/teams/invites", { token: elsewhere.token });
    expect(theirs.body.data).toHaveLength(1);
    expect((await invite(owner, email)).status).toBe(200);
    expect(await invited(owner)).toContain(email);
  });

  test("stays where nobody is removed", async () => {
    expect((await remove(owner, member)).status).toBe(404);
    await joinTeam(owner.teamId, member.userId, "ADMIN");
    expect((await remove(admin, member)).status).toBe(403);
    await change(owner, member, { role: "MEMBER" });
    expect(await invited(owner)).toContain(email);
  });
});

describe("the member limit of the plan", () => {
  test("holds when somebody is activated (409), and counts the owner", async () => {
    await setPlan("pro");
    const sixth = await createMember();
    await joinTeam(owner.teamId, sixth.userId, "MEMBER");
    await change(owner, sixth, { isActive: false });
    expect(await change(owner, sixth, { isActive: true })).toMatchObject({
      status: 409,
      body: { code: "PLAN_LIMIT" },
    });
    expect(await membership(sixth)).toEqual({ role: "MEMBER", is_active: 0 });
    // These changes add no active member.
    expect((await change(owner, sixth, { role: "ADMIN" })).status).toBe(200);
    expect((await change(owner, member, { isActive: true })).status).toBe(200);
    await remove(owner, member);
    expect((await change(owner, sixth, { isActive: true })).status).toBe(200);
  });

  test("is exact when many are activated at once", async () => {
    await setPlan("scale");
    const crowd: Member[] = [];
    for (let i = 0; i < 30; i++) crowd.push(await createMember());
    for (const { userId } of crowd) {
      await env.DB.prepare(
        "INSERT INTO members (team_id, user_id, role, is_active, joined_at) VALUES (?, ?, 'MEMBER', 0, 0)",
      )
        .bind(owner.teamId, userId)
        .run();
    }
    const answers = await Promise.all(crowd.map((one) => change(owner, one, { isActive: true })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    const active = await env.DB.prepare(
      "SELECT count(*) AS n FROM members WHERE team_id = ? AND is_active = 1",
    )
      .bind(owner.teamId)
      .first<{ n: number }>();
    expect(active?.n).toBe(25);
  });
});

test("no team reaches into another", async () => {
  const stranger = await createMember();
  await joinTeam(stranger.teamId, member.userId, "MEMBER");
  for (const role of ["ADMIN", "MEMBER"] satisfies Role[]) {
    const answer = await harness.call("PATCH", `/teams/members/${admin.userId}`, {
      token: stranger.token,
      json: { role },
    });
    expect(answer.status).toBe(404);
  }
  const path = `/teams/members/${member.userId}`;
  expect((await harness.call("DELETE", path, { token: stranger.token })).status).toBe(200);
  expect(await membership(member)).not.toBeNull();
});
