import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SCOPES } from "../../../src/core/scopes.ts";
import { isToken } from "../../../src/features/auth/rules.ts";
import { createMember, createToken, Harness, joinTeam } from "../../support/harness.ts";

const harness = new Harness();

const list = (token: string, headers: Record<string, string> = {}) =>
  harness.call("GET", "/tokens", { token, headers });

test("a token is shown once, stored as its hash, and listed by its hint", async () => {
  const { token } = await createMember();
  const created = await harness.call("POST", "/tokens", { token, json: { name: "  CI  " } });
  expect(created.status).toBe(200);
  const { data } = created.body;
  expect(data).toMatchObject({ name: "CI", scopes: ["*"], teamId: null });
  expect(data.token).toMatch(/^kmb_[0-9a-f]{64}$/);
  expect(Object.keys(data).sort()).toEqual([
    "createdAt",
    "id",
    "name",
    "scopes",
    "teamId",
    "token",
  ]);

  const listed = await list(data.token);
  expect(listed.body.data.map(({ name }: { name: string }) => name)).toEqual(["CI", "test"]);
  const [newest] = listed.body.data;
  expect(newest).toMatchObject({
    id: data.id,
    hint: `${data.token.slice(0, 8)}…${data.token.slice(-4)}`,
  });
  expect(newest).not.toHaveProperty("token");
  expect(newest).not.toHaveProperty("hash");

  const row = await env.DB.prepare("SELECT * FROM tokens WHERE id = ?").bind(data.id).first();
  expect(JSON.stringify(row)).not.toContain(data.token.slice(8, -4));
});

test("a revoked token is refused from the next call on, and is gone from the list", async () => {
  const { token } = await createMember();
  const { body } = await harness.call("POST", "/tokens", { token, json: { name: "Old" } });
  expect((await list(body.data.token)).status).toBe(200);
  const revoked = await harness.call("DELETE", `/tokens/${body.data.id}`, { token });
  expect(revoked).toMatchObject({ status: 200, body: { success: true } });
  expect(await list(body.data.token)).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED" },
  });
  expect((await list(token)).body.data).toHaveLength(1);
  const again = await harness.call("DELETE", `/tokens/${body.data.id}`, { token });
  expect(again).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});

test("a token may revoke itself", async () => {
  const { token } = await createMember();
  const [{ id }] = (await list(token)).body.data;
  expect((await harness.call("DELETE", `/tokens/${id}`, { token })).status).toBe(200);
  expect((await list(token)).status).toBe(401);
});

test.each(["0", "-1", "abc", "1e3", "1.0", "01", "9007199254740993", "1 OR 1=1", "%00", "١"])(
  "%s is no token's id: 404, and nothing is revoked",
  async (id) => {
    const { token } = await createMember();
    const answer = await harness.call("DELETE", `/tokens/${encodeURIComponent(id)}`, { token });
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect((await list(token)).status).toBe(200);
  },
);

describe("the fields of a new token", () => {
  test.each<[string, object | string, string]>([
    ["no name", {}, "name"],
    ["a blank name", { name: "  " }, "name"],
    ["a name of 101 characters", { name: "x".repeat(101) }, "name"],
    ["a name that is a number", { name: 1 }, "name"],
    ["no scope at all", { name: "x", scopes: [] }, "scopes"],
    ["an unknown scope", { name: "x", scopes: ["posts:delete"] }, "scopes.0"],
    ["a scope that is no text", { name: "x", scopes: [1] }, "scopes.0"],
    ["scopes as text", { name: "x", scopes: "*" }, "scopes"],
    ["a team of 0", { name: "x", teamId: 0 }, "teamId"],
    ["half a team", { name: "x", teamId: 1.5 }, "teamId"],
    ["a team as text", { name: "x", teamId: "1" }, "teamId"],
    ["a team beyond safe integers", '{"name":"x","teamId":9007199254740993}', "teamId"],
    ["an unknown field", { name: "x", isAdmin: true }, "isAdmin"],
    ["an array", "[]", ""],
    ["null", "null", ""],
  ])("%s is refused by name", async (_, json, field) => {
    const { token } = await createMember();
    const answer = await harness.call("POST", "/tokens", { token, json });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
    expect((await list(token)).body.data).toHaveLength(1);
  });

  test("all errors are told at once", async () => {
    const { token } = await createMember();
    const json = { name: "", scopes: ["nope"], teamId: -1 };
    const { body } = await harness.call("POST", "/tokens", { token, json });
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      "name",
      "scopes.0",
      "teamId",
    ]);
  });

  test.each([
    ["not JSON", "{", 400, "INVALID_JSON"],
    ["cut off", '{"name":"x"', 400, "INVALID_JSON"],
    ["deep", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 400, undefined],
    ["over 1 MB", JSON.stringify({ name: "x".repeat(1_000_001) }), 413, undefined],
  ])("a body that is %s is refused", async (_, json, status, code) => {
    const { token } = await createMember();
    const answer = await harness.call("POST", "/tokens", { token, json });
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
  });

  test("a body of another type is refused (415)", async () => {
    const { token } = await createMember();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      const answer = await harness.call("POST", "/tokens", {
        token,
        body: '{"name":"x"}',
        headers: { "content-type": type },
      });
      expect(answer).toMatchObject({ status: 415, body: { code: "UNSUPPORTED_MEDIA_TYPE" } });
    }
  });

  test("scopes named twice are stored once", async () => {
    const { token } = await createMember();
    const json = { name: "x", scopes: ["posts:read", "posts:read"] };
    const { body } = await harness.call("POST", "/tokens", { token, json });
    expect(body.data.scopes).toEqual(["posts:read"]);
  });
});

test.each(SCOPES.filter((scope) => scope !== "*"))("%s does not manage tokens", async (scope) => {
  const { userId } = await createMember();
  const token = await createToken(userId, { scopes: [scope] });
  for (const [method, path] of [
    ["GET", "/tokens"],
    ["POST", "/tokens"],
    ["DELETE", "/tokens/1"],
  ] as const) {
    const json = method === "POST" ? { name: "More", scopes: ["*"] } : undefined;
    const answer = await harness.call(method, path, { token, json });
    expect(answer).toMatchObject({
      status: 403,
      body: { code: "INSUFFICIENT_SCOPE", requiredScope: "*" },
    });
  }
});

describe("a token never exceeds the team of its creator", () => {
  test("a pinned token makes tokens of its own team only", async () => {
    const { userId, teamId } = await createMember();
    const host = await createMember();
    await joinTeam(host.teamId, userId, "ADMIN");
    const pinned = await createToken(userId, { teamId: host.teamId });
    const same = await harness.call("POST", "/tokens", { token: pinned, json: { name: "a" } });
    expect(same.body.data.teamId).toBe(host.teamId);
    const other = await harness.call("POST", "/tokens", {
      token: pinned,
      json: { name: "b", teamId },
    });
    expect(other).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  });

  test("a pinned token sees and revokes only tokens of its own team", async () => {
    const { userId, token, teamId } = await createMember();
    const pinned = await createToken(userId, { teamId });
    const all = (await list(token)).body.data;
    expect(all).toHaveLength(2);
    expect((await list(pinned)).body.data).toEqual([all[0]]);
    const answer = await harness.call("DELETE", `/tokens/${all[1].id}`, { token: pinned });
    expect(answer.status).toBe(404);
    expect((await list(token)).status).toBe(200);
  });

  test("nobody pins a token to a team without belonging to it", async () => {
    const { token } = await createMember();
    const stranger = await createMember();
    for (const teamId of [stranger.teamId, 999_999]) {
      const answer = await harness.call("POST", "/tokens", { token, json: { name: "x", teamId } });
      expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    }
  });

  test("a member pins a token to a team it belongs to", async () => {
    const { token, userId } = await createMember();
    const host = await createMember();
    await joinTeam(host.teamId, userId, "MEMBER");
    const json = { name: "x", teamId: host.teamId };
    const { body } = await harness.call("POST", "/tokens", { token, json });
    expect(body.data.teamId).toBe(host.teamId);
  });
});

describe("where a token stands", () => {
  test.each([
    ["x-api-key", (token: string) => token],
    ["x-api-token", (token: string) => token],
    ["X-API-Key", (token: string) => token],
    ["authorization", (token: string) => `Bearer ${token}`],
    ["authorization", (token: string) => `bearer ${token}`],
  ])("in %s it works", async (header, write) => {
    const { token } = await createMember();
    const headers = { [header]: write(token) };
    expect((await harness.call("GET", "/tokens", { headers })).status).toBe(200);
  });

  test("an x-api-key goes before the other headers, also when it is wrong", async () => {
    const { token } = await createMember();
    const wrong = `kmb_${"0".repeat(63)}f`;
    const answers = await Promise.all([
      harness.call("GET", "/tokens", { headers: { "x-api-key": token, "x-api-token": wrong } }),
      harness.call("GET", "/tokens", { headers: { "x-api-key": wrong, "x-api-token": token } }),
      harness.call("GET", "/tokens", {
        headers: { "x-api-token": wrong, authorization: `Bearer ${token}` },
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
  });

  test("two values of one header are no token", async () => {
    const { token } = await createMember();
    const headers = new Headers();
    headers.append("x-api-key", token);
    headers.append("x-api-key", token);
    const response = await harness.request("/api/v1/tokens", { headers });
    expect(response.status).toBe(401);
  });

  test("a query parameter or a cookie is no place for it", async () => {
    const { token } = await createMember();
    const inQuery = await harness.call("GET", `/tokens?x-api-key=${token}&api_key=${token}`);
    const inCookie = await harness.call("GET", "/tokens", {
      headers: { cookie: `x-api-key=${token}` },
    });
    expect([inQuery.status, inCookie.status]).toEqual([401, 401]);
  });
});

test.each<[string, (token: string) => string]>([
  ["in upper case", (token) => token.toUpperCase()],
  ["with an upper case digest", (token) => `kmb_${token.slice(4).toUpperCase()}A`],
  ["one character short", (token) => token.slice(0, -1)],
  ["one character long", (token) => `${token}0`],
  ["followed by SQL", (token) => `${token}' OR '1'='1`],
  ["as SQL", () => "kmb_' OR 1=1 --"],
  ["of letters beyond hex", () => `kmb_${"g".repeat(64)}`],
  ["of 100,000 characters", () => "k".repeat(100_000)],
  ["empty", () => ""],
  ["two at once", (token) => `${token}, ${token}`],
])("a token %s is refused (401)", async (_, change) => {
  const { token } = await createMember();
  const headers = { "x-api-key": change(token) };
  const answer = await harness.call("GET", "/accounts", { headers });
  expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test.each([
  ["Cyrillic letters", "а"],
  ["full-width digits", "０"],
  ["Arabic digits", "١"],
  ["line breaks", "\n"],
])("64 %s are no digits of a token", (_, digit) => {
  expect(isToken(`kmb_${digit.repeat(64)}`)).toBe(false);
  expect(isToken(`kmb_${"a".repeat(64)}${digit}`)).toBe(false);
});
