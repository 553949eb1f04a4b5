import { beforeEach, describe, expect, test } from "vitest";
import { callTool, send } from "../../support/agent.ts";
import { ended, moveAll } from "../../support/archive.ts";
import { connectSandbox, createMember, type Harness, type Member } from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { API, allow, answerOf, MCP, type Program, programStage } from "../../support/program.ts";

const ORIGIN = "https://akimbo.test";

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, member, browser, program } = await programStage());
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const listTools = (token: string) => send(harness, "tools/list", {}, bearer(token));

describe("an agent", () => {
  test("finds the server, is allowed, and calls with its token", async () => {
    const id = await connectSandbox(harness, member);
    const refused = await send(harness, "tools/list");
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toBe(
      `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="accounts:read posts:read posts:write analytics:read"`,
    );
    const resource = await program.get("/.well-known/oauth-protected-resource/mcp");
    expect(resource.body).toMatchObject({ resource: MCP, authorization_servers: [ORIGIN] });
    expect(resource.body.scopes_supported).not.toContain("posts:publish");
    const server = await program.get("/.well-known/oauth-authorization-server");
    expect(server.body).toMatchObject({ issuer: ORIGIN, token_endpoint: `${ORIGIN}/token` });

    const page = await browser.get(await program.authorizePath());
    expect(page.status, page.html).toBe(200);
    expect(page.html).toContain("A program that calls itself <strong>A program</strong>");
    const answer = await allow(browser, page);
    expect(answer.status).toBe(200);
    const sent = answerOf(answer);
    expect(sent.get("state")).toBe("a state");
    expect(sent.get("iss")).toBe(ORIGIN);
    const { status, headers, body } = await program.exchange(sent.get("code") ?? "");
    expect(status, JSON.stringify(body)).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.stringMatching(/^kma_[0-9a-f]{80}$/),
      token_type: "Bearer",
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^kmr_[0-9a-f]{80}$/),
      scope: "accounts:read posts:read posts:write analytics:read",
    });
    const result = await callTool(harness, "", "list_accounts", {}, bearer(body.access_token));
    expect(result.structuredContent.accounts).toMatchObject([{ id }]);
  });

  test("who is not signed in comes back to the request after the sign-in", async () => {
    const visitor = new Browser(harness);
    const { status, location } = await visitor.get(await program.authorizePath());
    expect(status).toBe(303);
    expect(location).toMatch(/^\/sign-in\?next=%2Fauthorize%3Frequest%3D[0-9a-f]{32}$/);
    const path = decodeURIComponent((location ?? "").replace("/sign-in?next=", ""));
    const page = await browser.get(path);
    expect(page.html).toContain("<h1>Allow A program?</h1>");
    expect(answerOf(await allow(browser, page)).get("code")).toMatch(/^kmc_/);
  });

  test("gets an error of its own when the person refuses", async () => {
    const page = await browser.get(await program.authorizePath());
    const sent = answerOf(await allow(browser, page, { decision: "deny" }));
    expect(Object.fromEntries(sent)).toEqual({
      error: "access_denied",
      error_description: "The person refused.",
      state: "a state",
      iss: ORIGIN,
    });
  });

  test("is told which scope a tool needs beside its own", async () => {
    const { access_token } = await program.tokens(browser);
    const params = { name: "create_review_link", arguments: {} };
    const { status, headers } = await send(harness, "tools/call", params, bearer(access_token));
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer error="insufficient_scope", scope="accounts:read posts:read posts:write analytics:read posts:publish", resource_metadata="/,
    );
    const more = await program.tokens(
      browser,
      { scope: "posts:read posts:publish" },
      { scopes: ["posts:read", "posts:publish"] },
    );
    expect(more.scope).toBe("posts:read posts:publish");
  });

  test("gets no more than the person ticks, and publishing only when it is ticked", async () => {
    const { scope } = await program.tokens(browser, { scope: "posts:publish posts:read" });
    expect(scope).toBe("posts:read");
    const none = await browser.get(await program.authorizePath());
    const { status, html } = await allow(browser, none, { scopes: ["team:write"] });
    expect(status).toBe(400);
    expect(html).toContain("Choose what the program may do");
  });

  test("keeps nothing when its person leaves, or when the token is revoked", async () => {
    const { access_token } = await program.tokens(browser);
    expect((await listTools(access_token)).status).toBe(200);
    const { body } = await harness.call("GET", "/tokens", { token: member.token });
    const own = body.data.find(({ name }: { name: string }) => name === "A program");
    await harness.call("DELETE", `/tokens/${own.id}`, { token: member.token });
    const refused = await listTools(access_token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("has a token for one resource", async () => {
    const agent = await program.tokens(browser);
    const call = (token: string) =>
      harness.request("/api/v1/accounts", { headers: { authorization: `Bearer ${token}` } });
    expect((await call(agent.access_token)).status).toBe(401);
    const code = await program.code(browser, { resource: API, scope: "accounts:read" });
    const { body } = await program.exchange(code, { resource: API });
    expect((await call(body.access_token)).status).toBe(200);
    expect((await listTools(body.access_token)).status).toBe(401);
  });
});

describe("an agent of some accounts", () => {
  test("sees and uses no other account, and no post of one", async () => {
    const mine = await connectSandbox(harness, member);
    const other = await connectSandbox(harness, member, "Other");
    const scopes = ["accounts:read", "posts:read", "posts:write", "posts:publish"];
    const { access_token } = await program.tokens(
      browser,
      { scope: scopes.join(" ") },
      { scopes, which: "some", accounts: [mine] },
    );
    const call = (name: string, args: object) =>
      callTool(harness, "", name, args as Record<string, unknown>, bearer(access_token));
    const owner = (name: string, args: object) =>
      callTool(harness, member.token, name, args as Record<string, unknown>);
    const { structuredContent: listed } = await call("list_accounts", {});
    expect(listed.accounts.map(({ id }: { id: string }) => id)).toEqual([mine]);

    const post = { text: "Hello", accountIds: [mine, other], status: "draft" };
    const posts = (await call("create_post", post)).structuredContent.posts;
    expect(posts.map(({ success }: { success: boolean }) => success)).toEqual([true, false]);
    const foreign = (await owner("create_post", { ...post, accountIds: [other] })).structuredContent
      .posts[0].postId;
    for (const [name, args] of [
      ["get_post_status", { postId: foreign }],
      ["update_post", { postId: foreign, title: "Mine" }],
      ["unpublish_post", { postId: foreign }],
      ["create_review_link", { postIds: [foreign] }],
      ["find_mentions", { accountId: other, query: "ada" }],
      ["suggest_hashtags", { accountId: other, platform: "bluesky", text: "Hello" }],
    ] as const) {
      expect([name, (await call(name, args)).isError]).toEqual([name, true]);
    }
    for (const [name, args] of [
      ["find_mentions", { accountId: mine, query: "ada" }],
      ["suggest_hashtags", { accountId: mine, platform: "bluesky", text: "Hello" }],
      ["suggest_hashtags", { platform: "bluesky", text: "Hello" }],
    ] as const) {
      expect([name, (await call(name, args)).isError ?? false]).toEqual([name, false]);
    }
    const recent = (await call("list_recent_posts", {})).structuredContent;
    expect([recent.total, recent.posts.length]).toEqual([1, 1]);
  });

  test("learns nothing of an archived post of another account", async () => {
    const life = await beginLife(harness);
    const mine = await connectSandbox(harness, life.member, "Mine");
    const [foreign, own] = await life.insertMany([
      ended("2025-03-02T10:00:00Z"),
      ended("2025-03-03T10:00:00Z", "completed", { account_id: mine }),
    ]);
    await life.insert({ status: "draft" });
    await moveAll(harness);
    const person = await new Browser(harness).signIn(life.member);
    const scopes = ["posts:read", "posts:write", "posts:publish"];
    const { access_token } = await program.tokens(
      person,
      { scope: scopes.join(" ") },
      { scopes, which: "some", accounts: [mine] },
    );
    const call = (name: string, args: Record<string, unknown>) =>
      callTool(harness, "", name, args, bearer(access_token));
    const listed = await call("list_recent_posts", { archived: "2025-03" });
    expect(listed.structuredContent.total).toBe(1);
    for (const [name, args] of [
      ["get_post_status", {}],
      ["update_post", { title: "Mine" }],
      ["unpublish_post", {}],
    ] as const) {
      const missing = await call(name, { postId: 999_999_999, ...args });
      expect([name, missing.isError]).toEqual([name, true]);
      expect([name, await call(name, { postId: foreign, ...args })]).toEqual([name, missing]);
    }
    const refused = await call("update_post", { postId: own, title: "Mine" });
    expect(JSON.stringify(refused.content)).toContain("is in the archive of 2025-03");
  });
});

test("an app of the API is not limited to accounts, because its calls would not heed them", async () => {
  const page = await browser.get(await program.authorizePath({ resource: API }));
  const { status, html } = await allow(browser, page, { which: "some", accounts: ["acc_1"] });
  expect(status).toBe(400);
  expect(html).toContain("Only agents can be limited to accounts.");
});

describe("a request", () => {
  test.each([
    ["without PKCE", { code_challenge: null }, "invalid_request"],
    ["with PKCE plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["without a resource", { resource: null }, "invalid_target"],
    ["for another server", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["with a slash behind the resource", { resource: `${MCP}/` }, "invalid_target"],
    ["for the implicit flow", { response_type: "token" }, "unsupported_response_type"],
    ["for unknown scopes alone", { scope: "bogus" }, "invalid_scope"],
  ])("%s is refused to the program", async (_, more, error) => {
    const page = await browser.get(await program.authorizePath(more));
    expect(page.status).toBe(303);
    const sent = answerOf(page);
    expect([sent.get("error"), sent.get("state"), sent.get("iss")]).toEqual([
      error,
      "a state",
      ORIGIN,
    ]);
  });

  test.each([
    ["an unknown program", { client_id: "other" }],
    ["another's address", { redirect_uri: "https://other.example/callback" }],
    ["no address", { redirect_uri: null }],
  ])("of %s is shown to the person alone", async (_, more) => {
    const { status, location, html } = await browser.get(await program.authorizePath(more));
    expect([status, location]).toEqual([400, null]);
    expect(html).toContain("Nothing was sent to the program.");
  });

  test("of a scope that it does not know besides is granted without it", async () => {
    const { scope } = await program.tokens(browser, { scope: " posts:read offline_access bogus" });
    expect(scope).toBe("posts:read");
  });

  test("is answered by the person who saw it", async () => {
    const page = await browser.get(await program.authorizePath());
    const other = await createMember();
    await browser.signIn(other);
    const { status, html } = await allow(browser, page);
    expect([400, 403, 409]).toContain(status);
    expect(html).not.toContain("kmc_");
  });
});
