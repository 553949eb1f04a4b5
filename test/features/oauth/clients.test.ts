import { beforeEach, describe, expect, test } from "vitest";
import type { Harness } from "../../support/harness.ts";
import type { Browser } from "../../support/person.ts";
import { type Program, programStage, REDIRECT } from "../../support/program.ts";

let harness: Harness;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, browser, program } = await programStage());
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
    ["with a secret", () => answer(document({ client_secret: "known to all" }))],
    ["that is slow", () => Promise.reject(new DOMException("Too slow.", "TimeoutError"))],
  ])("%s is refused on the page", async (_, network) => {
    harness.network = async () => network();
    const { status, location, html } = await open();
    expect([status, location]).toEqual([400, null]);
    expect(html).toContain("Nothing was sent to the program.");
  });

  test("is fetched for a few seconds at most, and without following", async () => {
    const fetched: (RequestInit | undefined)[] = [];
    harness.network = async (_, init) => {
      fetched.push(init);
      return answer(document());
    };
    await open();
    expect(fetched).toEqual([
      expect.objectContaining({ redirect: "manual", signal: expect.any(AbortSignal) }),
    ]);
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
    [
      "many addresses",
      { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://x.example/${i}`) },
      "invalid_client_metadata",
    ],
    ["a large body", { contacts: ["x".repeat(17_000)] }, "invalid_request"],
    ["a fragment", { redirect_uris: ["https://x.example/#a"] }, "invalid_redirect_uri"],
  ])("refuses %s", async (_, metadata, error) => {
    await expect(program.register(metadata)).rejects.toThrow(error);
  });

  test("shows a name that tries to look like another's as text, beside the host", async () => {
    await program.register({ client_name: "Claude\u202e\u0000 <b>verified</b>\u2028by you" });
    const { html } = await browser.get(await program.authorizePath());
    expect(html).toContain("<h1>Allow Claude &lt;b&gt;verified&lt;/b&gt; by you?</h1>");
    expect(html).toContain("nothing proves its name");
    expect(html).toContain("The answer goes to <strong>program.example</strong>");
  });
});
