import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../../../src/core/scopes.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";

const harness = new Harness();
let host: Member;
let guest: Member;
let hostAccount: string;
let guestAccount: string;

beforeAll(async () => {
  host = await createMember();
  guest = await createMember();
  hostAccount = await connectSandbox(harness, host, "Host");
  guestAccount = await connectSandbox(harness, guest, "Guest");
  await joinTeam(host.teamId, guest.userId, "ADMIN");
});

const inTeam = (teamId: number | string) => ({ "x-team-id": String(teamId) });

async function accountsSeen(token: string, headers: Record<string, string> = {}) {
  const answer = await harness.call("GET", "/accounts", { token, headers });
  if (answer.status !== 200) return [answer.status, answer.body.code];
  return answer.body.data.map(({ id }: { id: string }) => id);
}

test("without X-Team-ID a token acts for the team its user owns", async () => {
  expect(await accountsSeen(guest.token)).toEqual([guestAccount]);
});

test("X-Team-ID leads a member into that team, and nowhere else", async () => {
  expect(await accountsSeen(guest.token, inTeam(host.teamId))).toEqual([hostAccount]);
  expect(await accountsSeen(guest.token, inTeam(guest.teamId))).toEqual([guestAccount]);
  const own = await harness.call("GET", `/accounts/${guestAccount}`, {
    token: guest.token,
    headers: inTeam(host.teamId),
  });
  expect(own.status).toBe(404);
});

test("what a member makes in a team belongs to the team", async () => {
  const created = await harness.call("POST", "/upload", {
    token: guest.token,
    headers: inTeam(host.teamId),
    body: form({ accountId: hostAccount, description: "Together", status: "draft" }),
  });
  expect(created.status).toBe(200);
  const path = `/upload/${created.body.data.uploadId}`;
  expect((await harness.call("GET", path, { token: host.token })).status).toBe(200);
  expect((await harness.call("GET", path, { token: guest.token })).status).toBe(404);
});

test("a post cannot name the account of another of one's teams", async () => {
  const answer = await harness.call("POST", "/upload", {
    token: guest.token,
    headers: inTeam(host.teamId),
    body: form({ accountId: guestAccount, description: "Mixed up" }),
  });
  expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});

test("whoever is no member of the team is refused (403), whether it exists or not", async () => {
  const stranger = await createMember();
  expect(await accountsSeen(stranger.token, inTeam(host.teamId))).toEqual([403, "FORBIDDEN"]);
  expect(await accountsSeen(stranger.token, inTeam(999_999))).toEqual([403, "FORBIDDEN"]);
});

test.each([
  "abc",
  "0",
  "-1",
  "1.5",
  "1e3",
  "01",
  "0x1",
  "1,2",
  "1 OR 1=1",
  "9".repeat(16),
  "9".repeat(70),
])("X-Team-ID: %s is refused (400)", async (teamId) => {
  const answer = await harness.call("GET", "/accounts", {
    token: host.token,
    headers: inTeam(teamId),
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "X-Team-ID" }] } });
});

test("a malformed X-Team-ID does not go before authentication", async () => {
  const answer = await harness.call("GET", "/accounts", { headers: inTeam("abc") });
  expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

describe("a pinned token", () => {
  test("acts for its team, whether X-Team-ID says so or not", async () => {
    const token = await createToken(guest.userId, { teamId: host.teamId });
    expect(await accountsSeen(token)).toEqual([hostAccount]);
    expect(await accountsSeen(token, inTeam(host.teamId))).toEqual([hostAccount]);
  });

  test("is refused (403) for another team, its user's own included", async () => {
    const token = await createToken(guest.userId, { teamId: host.teamId });
    expect(await accountsSeen(token, inTeam(guest.teamId))).toEqual([403, "FORBIDDEN"]);
    expect(await accountsSeen(token, inTeam(999_999))).toEqual([403, "FORBIDDEN"]);
  });

  test.each([
    ["is switched off in", "UPDATE members SET is_active = 0 WHERE team_id = ? AND user_id = ?"],
    ["leaves", "DELETE FROM members WHERE team_id = ? AND user_id = ?"],
  ])("dies when its user %s the team, and an unpinned one loses the way in", async (_, sql) => {
    const member = await createMember();
    await joinTeam(host.teamId, member.userId, "MEMBER");
    const pinned = await createToken(member.userId, { teamId: host.teamId });
    expect(await accountsSeen(pinned)).toEqual([hostAccount]);
    expect(await accountsSeen(member.token, inTeam(host.teamId))).toEqual([hostAccount]);
    await env.DB.prepare(sql).bind(host.teamId, member.userId).run();
    expect(await accountsSeen(pinned)).toEqual([401, "UNAUTHORIZED"]);
    expect(await accountsSeen(pinned, inTeam(host.teamId))).toEqual([401, "UNAUTHORIZED"]);
    expect(await accountsSeen(member.token, inTeam(host.teamId))).toEqual([403, "FORBIDDEN"]);
    expect(await accountsSeen(member.token)).toEqual([]);
  });
});

describe("scopes over HTTP", () => {
  const calls: Record<string, [string, string, (() => object)?]> = {
    "posts:read": ["GET", "/upload"],
    "posts:write": ["POST", "/upload", () => ({ body: form({ accountId: "acc_0" }) })],
    "accounts:read": ["GET", "/accounts"],
    "accounts:write": ["PATCH", "/accounts/acc_0", () => ({ json: { tags: "" } })],
    "*": ["GET", "/tokens"],
  };

  test.each<[Scope[], string[]]>([
    [["*"], ["posts:read", "posts:write", "accounts:read", "accounts:write", "*"]],
    [["posts:publish"], ["posts:read", "posts:write"]],
    [["posts:write"], ["posts:read", "posts:write"]],
    [["posts:read"], ["posts:read"]],
    [["accounts:write"], ["accounts:read", "accounts:write"]],
    [["accounts:read"], ["accounts:read"]],
    [
      ["accounts:read", "posts:read"],
      ["posts:read", "accounts:read"],
    ],
    [["analytics:read", "pools:write", "webhooks:write", "team:write", "links:write"], []],
  ])("%j opens %j and nothing else", async (scopes, open) => {
    const token = await createToken(host.userId, { scopes });
    const opened: string[] = [];
    for (const [scope, [method, path, sent]] of Object.entries(calls)) {
      const answer = await harness.call(method, path, { token, ...sent?.() });
      if (answer.status === 403) expect(answer.body.requiredScope).toBe(scope);
      else opened.push(scope);
    }
    expect(opened).toEqual(Object.keys(calls).filter((scope) => open.includes(scope)));
  });
});
