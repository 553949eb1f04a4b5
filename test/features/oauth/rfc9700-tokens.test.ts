import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionCookieName } from "../../../src/features/auth/cookie.ts";
import { callTool, send } from "../../support/agent.ts";
import {
  connectSandbox,
  createMember,
  type Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import type { Browser } from "../../support/person.ts";
import {
  API,
  allow,
  answerOf,
  MCP,
  Program,
  programStage,
  REDIRECT,
} from "../../support/program.ts";

/** Attacks on tokens, by the sections of RFC 9700. Those on requests and pages are in `rfc9700.test.ts`. */

const ORIGIN = "https://akimbo.test";
const STORED = [
  ...["tokens", "oauth_clients", "oauth_grants", "oauth_codes"],
  ...["oauth_access", "oauth_refresh", "oauth_requests"],
];

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, member, browser, program } = await programStage());
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const listTools = (token: string) => send(harness, "tools/list", {}, bearer(token));
const callApi = (token: string, path = "/api/v1/accounts") => harness.request(path, bearer(token));

async function expectRefused(more: Record<string, string | null>, error: string): Promise<void> {
  const sent = answerOf(await browser.get(await program.authorizePath(more)));
  expect([sent.get("error"), sent.get("code")], JSON.stringify(more)).toEqual([error, null]);
}

describe("2.2 and 4.14: a stolen refresh token", () => {
  test("that was replaced ends the grant of thief and program", async () => {
    const { refresh_token: stolen } = await program.tokens(browser);
    const { body: own } = await program.refresh(stolen);
    expect((await listTools(own.access_token)).status).toBe(200);
    harness.advance(61);
    expect((await program.refresh(stolen)).body.error).toBe("invalid_grant");
    expect((await listTools(own.access_token)).status).toBe(401);
    expect((await program.refresh(own.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("is of no use to another program, and asks for no more than was granted", async () => {
    const { refresh_token: token } = await program.tokens(browser, { scope: "posts:read" });
    const thief = await new Program(harness).register();
    expect((await thief.refresh(token)).body.error).toBe("invalid_grant");
    expect((await program.refresh(token, { resource: API })).body.error).toBe("invalid_target");
    const { body } = await program.refresh(token, { scope: "posts:read posts:publish" });
    expect(body.scope).toBe("posts:read");
  });

  test("ends with 60 days without use, and with what the person chose", async () => {
    const idle = await program.tokens(browser);
    const week = await program.tokens(browser, {}, { days: "7" });
    harness.advance(8 * 86_400);
    expect((await program.refresh(week.refresh_token)).body.error).toBe("invalid_grant");
    harness.advance(53 * 86_400);
    expect((await program.refresh(idle.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("ends with the membership of its person", async () => {
    const owner = await createMember();
    await joinTeam(owner.teamId, member.userId, "MEMBER");
    browser.show(owner.teamId);
    const { access_token, refresh_token } = await program.tokens(browser);
    expect((await listTools(access_token)).status).toBe(200);
    const { status } = await harness.call("DELETE", `/teams/members/${member.userId}`, {
      token: owner.token,
    });
    expect(status).toBe(200);
    expect((await listTools(access_token)).status).toBe(401);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
  });
});

describe("2.3: a token with more rights than it needs", () => {
  test("does what was ticked, and nothing else", async () => {
    const { access_token } = await program.tokens(browser, { scope: "posts:read" });
    const params = { name: "create_post", arguments: { accountIds: ["acc_1"], text: "Words" } };
    expect((await send(harness, "tools/call", params, bearer(access_token))).status).toBe(403);
  });

  test("is never one for everything", async () => {
    await expectRefused({ scope: "*" }, "invalid_scope");
    await expectRefused({ scope: "*", resource: API }, "invalid_scope");
    const page = await browser.get(await program.authorizePath({ scope: "posts:read" }));
    const { status } = await allow(browser, page, { scopes: ["*", "team:write"] });
    expect(status).toBe(400);
  });
});

describe("2.4 and 2.1.2: grants without a person", () => {
  test.each(["password", "client_credentials", "implicit", "urn:x:jwt-bearer", ""])(
    "%s is not supported",
    async (grantType) => {
      const fields = { grant_type: grantType, client_id: program.clientId };
      const more = { username: "a@b.example", password: "secret" };
      const { status, body } = await program.post("/token", { ...fields, ...more });
      expect([status, body.error]).toEqual([400, "unsupported_grant_type"]);
    },
  );
});

describe("2.5: a program that another one plays", () => {
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${btoa(`${id}:${secret}`)}`,
  });

  test("needs the secret, by one way", async () => {
    await program.register({ token_endpoint_auth_method: "client_secret_basic" });
    const { clientId, secret } = program;
    const code = await program.code(browser);
    const fields = {
      grant_type: "authorization_code",
      code,
      code_verifier: "v".repeat(50),
      redirect_uri: REDIRECT,
    };
    const other = await new Program(harness).register({
      token_endpoint_auth_method: "client_secret_basic",
    });
    for (const [headers, more, error] of [
      [{}, { client_id: clientId }, "invalid_client"],
      [{}, { client_id: clientId, client_secret: "" }, "invalid_client"],
      [basic(clientId, "kms_wrong"), {}, "invalid_client"],
      [basic(clientId, ""), {}, "invalid_client"],
      [basic(clientId, other.secret ?? ""), {}, "invalid_client"],
      [basic(other.clientId, other.secret ?? ""), { client_id: clientId }, "invalid_client"],
      [basic(other.clientId, other.secret ?? ""), {}, "invalid_grant"],
      [basic(clientId, secret ?? ""), { client_secret: secret ?? "" }, "invalid_request"],
    ] as const) {
      const answer = await program.post("/token", { ...fields, ...more }, headers);
      expect(answer.body.error, JSON.stringify([headers, more])).toBe(error);
    }
    const done = await program.post("/token", fields, basic(clientId, secret ?? ""));
    expect(done.status).toBe(200);
  });

  test("cannot choose its id, nor one that is a person's", async () => {
    await program.register({ client_id: String(member.userId), client_secret: "own" });
    expect(program.clientId).toMatch(/^kmx_[0-9a-f]{32}$/);
    expect(program.secret).toBeNull();
  });
});

describe("4.9 and 4.10: an access token in wrong hands", () => {
  test("is for one resource, named as it is", async () => {
    for (const resource of [
      "https://evil.example/mcp",
      ORIGIN,
      `${ORIGIN}/`,
      `${MCP}/`,
      `${MCP}?x=y`,
      `${MCP}#a`,
      "http://akimbo.test/mcp",
      "https://user@akimbo.test/mcp",
      "",
      null,
    ]) {
      await expectRefused({ resource }, "invalid_target");
    }
    const both = `${await program.authorizePath()}&resource=${encodeURIComponent(API)}`;
    expect(answerOf(await browser.get(both)).get("error")).toBe("invalid_target");
    const { access_token } = await program.tokens(browser);
    expect((await callApi(access_token)).status).toBe(401);
  });

  test("works for an hour", async () => {
    const { access_token } = await program.tokens(browser);
    harness.advance(3_599);
    expect((await listTools(access_token)).status).toBe(200);
    harness.advance(2);
    expect((await listTools(access_token)).status).toBe(401);
  });

  test("ends at once when its program revokes it, and for no other program", async () => {
    const { access_token: token, refresh_token } = await program.tokens(browser);
    const thief = await new Program(harness).register();
    const revoke = (client_id: string) => program.post("/revoke", { token, client_id });
    expect((await revoke(thief.clientId)).status).toBe(200);
    expect((await listTools(token)).status).toBe(200);
    expect((await revoke(program.clientId)).status).toBe(200);
    expect((await listTools(token)).status).toBe(401);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
  });

  test("a token of one kind is not taken for another, and none can be made up", async () => {
    const code = await program.code(browser);
    const { body } = await program.exchange(code);
    const { access_token, refresh_token } = body;
    const madeUp = access_token.replace(/.$/, (last: string) => (last === "0" ? "1" : "0"));
    for (const token of [code, refresh_token, madeUp, code.replace("kmc", "kma")]) {
      expect((await listTools(token)).status).toBe(401);
      expect((await callApi(token)).status).toBe(401);
    }
    expect((await program.refresh(access_token)).body.error).toBe("invalid_grant");
    expect((await program.exchange(refresh_token)).body.error).toBe("invalid_grant");
  });

  test("sees one team and the chosen accounts", async () => {
    const mine = await connectSandbox(harness, member);
    const stranger = await createMember();
    const theirs = await connectSandbox(harness, stranger);
    const { access_token } = await program.tokens(browser);
    const { accounts } = (await callTool(harness, "", "list_accounts", {}, bearer(access_token)))
      .structuredContent;
    expect(accounts.map(({ id }: { id: string }) => id)).toEqual([mine]);
    const headers = { ...bearer(access_token).headers, "x-team-id": String(stranger.teamId) };
    const other = await send(harness, "tools/call", { name: "list_accounts" }, { headers });
    expect(JSON.stringify(other.body)).not.toContain(theirs);
  });
});

test("4.15: a program is no person", async () => {
  const { access_token } = await program.tokens(browser, { resource: MCP });
  const cookie = `${sessionCookieName(ORIGIN)}=${access_token}`;
  const page = await harness.request("/app/tokens", {
    headers: { cookie, authorization: `Bearer ${access_token}` },
    redirect: "manual",
  });
  expect(page.status).not.toBe(200);
  const other = await program.tokens(browser, { scope: "posts:read", resource: MCP });
  const answer = await harness.request("/authorize", {
    method: "POST",
    headers: { authorization: `Bearer ${other.access_token}`, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ decision: "allow" }),
  });
  expect(await answer.text()).not.toContain("kmc_");
});

describe("4.3: codes and tokens in histories and logs", () => {
  test("a code from the history is worth nothing, and ends what it made", async () => {
    const code = await program.code(browser);
    const { body } = await program.exchange(code);
    harness.advance(11);
    expect((await program.exchange(code)).body.error).toBe("invalid_grant");
    expect((await listTools(body.access_token)).status).toBe(401);
  });

  test("a token in an address is not read", async () => {
    const { access_token } = await program.tokens(browser);
    const call = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect((await harness.request(`/mcp?access_token=${access_token}`, call)).status).toBe(401);
    const api = await harness.request(`/api/v1/accounts?access_token=${access_token}`);
    expect(api.status).toBe(401);
  });

  test("the database holds neither codes nor tokens nor secrets", async () => {
    await program.register({ token_endpoint_auth_method: "client_secret_post" });
    const code = await program.code(browser);
    const { body } = await program.exchange(code, { client_secret: program.secret ?? "" });
    const rows = await env.DB.batch(STORED.map((name) => env.DB.prepare(`SELECT * FROM ${name}`)));
    const stored = JSON.stringify(rows.map(({ results }) => results));
    expect(stored).toContain(program.clientId);
    for (const secret of [code, body.access_token, body.refresh_token, program.secret]) {
      expect(stored).not.toContain(secret);
    }
  });
});
