import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { forgetEndedPrograms } from "../../../src/features/oauth/expiry.ts";
import { callTool, send } from "../../support/agent.ts";
import {
  connectSandbox,
  createMember,
  type Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { Browser, formsOf } from "../../support/person.ts";
import { API, allow, answerOf, MCP, Program, REDIRECT } from "../../support/program.ts";

const ORIGIN = "https://akimbo.test";

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  harness = harnessWith({ publicUrl: ORIGIN });
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
  program = await new Program(harness).register();
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
    ] as const) {
      expect([name, (await call(name, args)).isError]).toEqual([name, true]);
    }
    const recent = (await call("list_recent_posts", {})).structuredContent;
    expect([recent.total, recent.posts.length]).toEqual([1, 1]);
  });
});

test("an app of the API is not limited to accounts, because its calls would not heed them", async () => {
  const page = await browser.get(await program.authorizePath({ resource: API }));
  const { status, html } = await allow(browser, page, { which: "some", accounts: ["acc_1"] });
  expect(status).toBe(400);
  expect(html).toContain("Only agents can be limited to accounts.");
});

describe("renewal", () => {
  test("of one token, a hundred times at once, makes one pair", async () => {
    const { refresh_token } = await program.tokens(browser);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => program.refresh(refresh_token)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    const [{ body } = { body: null }] = answers;
    expect((await listTools(body.access_token)).status).toBe(200);
    expect((await program.refresh(body.refresh_token)).status).toBe(200);
  });

  test("answers the same pair again while the answer may be lost", async () => {
    const { refresh_token } = await program.tokens(browser);
    const first = await program.refresh(refresh_token);
    harness.advance(30 * 60);
    const again = await program.refresh(refresh_token);
    expect(again.body.access_token).toBe(first.body.access_token);
    expect(again.body.expires_in).toBe(1_800);
  });

  test("with an old token ends the grant", async () => {
    const { refresh_token } = await program.tokens(browser);
    const { body } = await program.refresh(refresh_token);
    expect((await listTools(body.access_token)).status).toBe(200);
    harness.advance(120);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await listTools(body.access_token)).status).toBe(401);
    expect((await program.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("of another program is refused and changes nothing", async () => {
    const { refresh_token } = await program.tokens(browser);
    const other = await new Program(harness).register();
    expect((await other.refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await program.refresh(refresh_token)).status).toBe(200);
  });
});

describe("a code", () => {
  test("is exchanged once, and a later second time ends the grant", async () => {
    const code = await program.code(browser);
    const answers = await Promise.all(Array.from({ length: 10 }, () => program.exchange(code)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const token = done[0]?.body.access_token;
    expect((await listTools(token)).status).toBe(200);
    harness.advance(20);
    expect((await program.exchange(code)).body.error).toBe("invalid_grant");
    expect((await listTools(token)).status).toBe(401);
  });

  test.each([
    ["of another client", { client_id: "other" }, "invalid_client"],
    ["with a wrong verifier", { code_verifier: "w".repeat(50) }, "invalid_grant"],
    ["with another redirect", { redirect_uri: "https://other.example/" }, "invalid_grant"],
    ["for another resource", { resource: API }, "invalid_target"],
    ["with another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ])("%s is refused", async (_, more, error) => {
    const code = await program.code(browser);
    expect((await program.exchange(code, more)).body.error).toBe(error);
    expect((await program.exchange(code)).status).toBe(200);
  });

  test("that is a minute old is refused", async () => {
    const code = await program.code(browser);
    harness.advance(61);
    expect((await program.exchange(code)).body.error).toBe("invalid_grant");
  });
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

describe("the page Tokens", () => {
  test("lists programs, extends one that asks for more, and ends it", async () => {
    const { access_token } = await program.tokens(browser);
    const wants = () =>
      send(
        harness,
        "tools/call",
        { name: "create_review_link", arguments: {} },
        bearer(access_token),
      );
    expect((await wants()).status).toBe(403);
    await harness.settle();
    const { html } = await browser.get("/app/tokens");
    expect(html).toContain("1 program");
    expect(html).toContain("Registered itself, from program.example");
    expect(html).toContain("It asks for: publish posts.");
    const [extend = ""] = formsOf(html).filter((path) => path.includes("/extend"));
    const { location } = await browser.sendForm(extend, { scopes: "posts:publish" });
    expect(location).toBe("/app/tokens?done=extended");
    expect((await wants()).status).toBe(200);
    expect((await browser.sendForm(extend, { scopes: "posts:publish" })).status).toBe(409);
    const id = /tokens\/(\d+)\/extend/.exec(extend)?.[1];
    await browser.post(`/app/tokens/${id}/revoke`);
    expect((await wants()).status).toBe(401);
    expect((await browser.get("/app/tokens")).html).not.toContain("1 program");
  });

  test("extends no program of another person", async () => {
    const { access_token } = await program.tokens(browser);
    await send(
      harness,
      "tools/call",
      { name: "create_review_link", arguments: {} },
      bearer(access_token),
    );
    await harness.settle();
    const [extend = ""] = formsOf((await browser.get("/app/tokens")).html).filter((path) =>
      path.includes("/extend"),
    );
    const other = await new Browser(harness).signIn(await createMember());
    const path = extend.split("?")[0] ?? "";
    expect((await other.post(path, { scopes: "posts:publish" })).status).toBe(404);
    expect((await browser.get("/app/tokens")).html).toContain("It asks for: publish posts.");
  });
});

describe("a metadata document", () => {
  let documents = 0;
  let ID = "";
  beforeEach(() => {
    documents += 1;
    ID = `https://client.example/${documents}.json`;
  });
  const document = (more = {}) => ({
    client_id: ID,
    client_name: "Claude",
    redirect_uris: [REDIRECT, "http://localhost/callback"],
    ...more,
  });
  const answer = (body: unknown, init: ResponseInit = {}) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), {
      headers: { "content-type": "application/json" },
      ...init,
    });
  const open = async (more = {}) =>
    browser.get(await program.authorizePath({ client_id: ID, ...more }));

  test("vouches for a program, and is kept while its host is down", async () => {
    let fetched = 0;
    harness.network = async () => {
      fetched += 1;
      return answer(document());
    };
    const page = await open();
    expect(page.html).toContain("Its name is vouched for by <strong>client.example</strong>");
    program.clientId = ID;
    expect((await program.tokens(browser)).scope).toContain("posts:read");
    expect(fetched).toBe(1);
    harness.network = async () => {
      throw new Error("down");
    };
    harness.advance(86_400);
    expect((await open()).status).toBe(200);
  });

  test("lets a program of this computer use any port", async () => {
    harness.network = async () => answer(document());
    const page = await open({ redirect_uri: "http://localhost:3118/callback" });
    expect(page.html).toContain("a program on this computer");
    expect((await open({ redirect_uri: "http://127.0.0.1:3118/callback" })).status).toBe(400);
    expect((await open({ redirect_uri: "http://localhost:3118/other" })).status).toBe(400);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    [
      "that redirects",
      () => new Response(null, { status: 302, headers: { location: "https://x.example/" } }),
    ],
    ["of another type", () => answer(document(), { headers: { "content-type": "text/html" } })],
    ["that is large", () => answer({ ...document(), more: "x".repeat(6_000) })],
    ["that names another id", () => answer(document({ client_id: `${ID}x` }))],
    ["without a name", () => answer(document({ client_name: undefined }))],
    [
      "without an allowed address",
      () => answer(document({ redirect_uris: ["http://x.example/"] })),
    ],
    ["that is no JSON", () => answer("<html>")],
    ["that is not there", () => answer(document(), { status: 404 })],
  ])("%s is refused on the page", async (_, network) => {
    harness.network = async () => network();
    const { status, location, html } = await open();
    expect([status, location]).toEqual([400, null]);
    expect(html).toContain("Nothing was sent to the program.");
  });

  test.each([
    "https://10.0.0.1/x.json",
    "https://localhost/x.json",
    "https://akimbo.test/x.json",
    "https://a.internal/x.json",
    "https://client.example/",
    "https://client.example/x.json#a",
    "https://client.example:8080/x.json",
  ])("at %s is not fetched", async (id) => {
    harness.network = async () => {
      throw new Error("fetched");
    };
    const { status } = await open({ client_id: id });
    expect(status).toBe(400);
  });
});

describe("registration", () => {
  test.each([
    [
      "Cursor's three addresses",
      {
        redirect_uris: [
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback",
          "http://localhost:8787/callback",
        ],
      },
    ],
    ["a program without a name", { client_name: undefined }],
    [
      "what it does not know",
      { grant_types: ["urn:x"], jwks: {}, application_type: "native", scope: "a b" },
    ],
  ])("takes %s", async (_, metadata) => {
    await program.register(metadata);
    expect(program.clientId).toMatch(/^kmx_/);
  });

  test("gives a secret where a method needs one, and asks for it", async () => {
    await program.register({ token_endpoint_auth_method: "client_secret_post" });
    const code = await program.code(browser);
    expect((await program.exchange(code)).body.error).toBe("invalid_client");
    const wrong = await program.exchange(code, { client_secret: "kms_wrong" });
    expect([wrong.status, wrong.body.error]).toEqual([401, "invalid_client"]);
    expect((await program.exchange(code, { client_secret: program.secret ?? "" })).status).toBe(
      200,
    );
  });

  test.each([
    ["no addresses", { redirect_uris: [] }, "invalid_client_metadata"],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["plain http", { redirect_uris: ["http://x.example/"] }, "invalid_redirect_uri"],
    ["a fragment", { redirect_uris: ["https://x.example/#a"] }, "invalid_redirect_uri"],
  ])("refuses %s", async (_, metadata, error) => {
    await expect(program.register(metadata)).rejects.toThrow(error);
  });
});

describe("the night", () => {
  test("ends grants that were not used, and forgets programs without any", async () => {
    const { access_token, refresh_token } = await program.tokens(browser);
    await new Program(harness).register();
    harness.advance(61 * 86_400);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await listTools(access_token)).status).toBe(401);
    while ((await forgetEndedPrograms(harness.deps)) !== null);
    const { results } = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM oauth_clients) AS clients, (SELECT count(*) FROM oauth_access) AS access, (SELECT count(*) FROM tokens WHERE name = 'A program' AND revoked_at IS NULL) AS tokens",
    ).all();
    expect(results).toEqual([{ clients: 0, access: 0, tokens: 0 }]);
  });
});
