import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { API, allow, answerOf, Program, programStage, REDIRECT } from "../../support/program.ts";

/**
 * Attacks on requests, pages and answers, by the sections of RFC 9700. Those on tokens are in `rfc9700-tokens.test.ts`.
 * Without a case: 2.2.1 and 4.10.1, because tokens that are bound to a sender are not offered; 4.9.2, because the two
 * resources are parts of this server; 4.11.1, which is about programs; the rest of 4.17, because no page posts messages.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9700
 */

const ORIGIN = "https://akimbo.test";

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, member, browser, program } = await programStage());
});

/** Opens the request and refuses that anything goes to an address that it names. */
async function expectShownToPersonAlone(more: Record<string, string | null>): Promise<void> {
  const { status, location, headers, html } = await browser.get(await program.authorizePath(more));
  expect([status, location, headers.get("refresh")], JSON.stringify(more)).toEqual([
    400,
    null,
    null,
  ]);
  expect(html).toContain("Nothing was sent to the program.");
}

async function expectRefused(more: Record<string, string | null>, error: string): Promise<void> {
  const sent = answerOf(await browser.get(await program.authorizePath(more)));
  expect([sent.get("error"), sent.get("code")], JSON.stringify(more)).toEqual([error, null]);
}

describe("2.1 and 4.1: an answer to an address that only resembles the registered one", () => {
  test.each([
    "https://program.example/callback/",
    "https://program.example/callback/more",
    "https://program.example/callback?a=1",
    "https://program.example/callback#a",
    "https://program.example/Callback",
    "https://program.example/x/../callback",
    "https://program.example/%63allback",
    "https://program.example:444/callback",
    "https://evil.program.example/callback",
    "https://program.example.evil.example/callback",
    "https://program.example@evil.example/callback",
    "http://program.example/callback",
    "//program.example/callback",
    "",
  ])("%s is refused to the person alone", async (uri) => {
    await expectShownToPersonAlone({ redirect_uri: uri });
  });

  test("the ports of this machine alone are free", async () => {
    await program.register({ redirect_uris: ["http://127.0.0.1:5000/callback"] });
    const free = await program.authorizePath({ redirect_uri: "http://127.0.0.1:6000/callback" });
    expect((await browser.get(free)).status).toBe(200);
    for (const uri of [
      "http://127.0.0.1:6000/other",
      "http://127.0.0.1:6000/callback?a=1",
      "http://localhost:6000/callback",
      "https://127.0.0.1:6000/callback",
      "http://127.0.0.1.evil.example:5000/callback",
      "http://127.0.0.1:5000@evil.example/callback",
    ]) {
      await expectShownToPersonAlone({ redirect_uri: uri });
    }
  });

  test("the address is there once", async () => {
    const path = await program.authorizePath();
    const twice = `${path}&redirect_uri=${encodeURIComponent("https://evil.example/")}`;
    const { status, location } = await browser.get(twice);
    expect([status, location]).toEqual([400, null]);
  });
});

describe("2.1.1 and 4.8: PKCE taken out of the request", () => {
  test.each([
    ["no challenge", { code_challenge: null }],
    ["no method, which means plain", { code_challenge_method: null }],
    ["plain", { code_challenge_method: "plain" }],
    ["a short challenge", { code_challenge: "a".repeat(42) }],
    ["an empty challenge", { code_challenge: "" }],
  ])("%s is refused", async (_, more) => {
    await expectRefused(more, "invalid_request");
  });

  test.each([
    ["no verifier", { code_verifier: "" }, "invalid_request"],
    ["another verifier", { code_verifier: "w".repeat(50) }, "invalid_grant"],
    ["a short verifier", { code_verifier: "v".repeat(42) }, "invalid_grant"],
    ["a long verifier", { code_verifier: "v".repeat(129) }, "invalid_grant"],
  ])("%s gets no token", async (_, more, error) => {
    const code = await program.code(browser);
    expect((await program.exchange(code, more)).body.error).toBe(error);
  });
});

describe("2.1.2 and 4.6: tokens in the answer to the browser", () => {
  test.each(["token", "id_token", "code token", "none", ""])(
    "response_type=%s is refused",
    async (type) => {
      await expectRefused({ response_type: type }, "unsupported_response_type");
    },
  );
});

test("2.6: the metadata say what a program needs to be safe", async () => {
  const { body } = await program.get("/.well-known/oauth-authorization-server");
  expect(body).toMatchObject({
    issuer: ORIGIN,
    response_types_supported: ["code"],
    grant_types_supported: expect.not.arrayContaining(["password", "implicit"]),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
});

test("4.2: pages send no referrer elsewhere, load nothing from elsewhere and are not stored", async () => {
  const page = await browser.get(await program.authorizePath());
  const answer = await allow(browser, page);
  for (const { headers, html } of [page, answer]) {
    expect(headers.get("referrer-policy")).toMatch(/^(same-origin|no-referrer)$/);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';/);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    expect(headers.get("cache-control")).toContain("no-store");
    expect(html).not.toMatch(/(src|srcset)="(https?:)?\/\//);
  }
});

test("4.4: a program that knows several servers can tell whose answer it has", async () => {
  const server = await program.get("/.well-known/oauth-authorization-server");
  const page = await browser.get(await program.authorizePath());
  const allowed = answerOf(await allow(browser, page));
  const denied = answerOf(await allow(browser, page, { decision: "deny" }));
  const wrong = answerOf(await browser.get(await program.authorizePath({ scope: "bogus" })));
  for (const sent of [allowed, denied, wrong]) {
    expect(sent.getAll("iss")).toEqual([server.body.issuer]);
  }
});

describe("4.5: a stolen code put into another sign-in", () => {
  test("of another program, of other addresses and with the thief's own proof is refused", async () => {
    const code = await program.code(browser);
    const thief = await new Program(harness).register();
    expect((await thief.exchange(code)).body.error).toBe("invalid_grant");
    for (const [more, error] of [
      [{ redirect_uri: "https://evil.example/" }, "invalid_grant"],
      [{ code_verifier: "t".repeat(64) }, "invalid_grant"],
      [{ resource: API }, "invalid_target"],
    ] as const) {
      expect((await program.exchange(code, more)).body.error).toBe(error);
    }
    expect((await program.exchange(code)).status).toBe(200);
  });
});

describe("4.7: a person who is made to allow something", () => {
  test("the state comes back as it was sent", async () => {
    for (const state of ["", "a b&c=d#e", "ü".repeat(50), '"><script>']) {
      const page = await browser.get(await program.authorizePath({ state }));
      expect(answerOf(await allow(browser, page)).get("state")).toBe(state);
    }
  });

  test("a form of another site, or without a session, allows nothing", async () => {
    const path = await program.authorizePath();
    const { html } = await browser.get(path);
    const action = /action="(\/authorize\?[^"]*team=[^"]*)"/.exec(html)?.[1] ?? "";
    const fields = { person: String(member.userId), scopes: "posts:read", decision: "allow" };
    const post = (headers: Record<string, string>, by = browser) =>
      by.send(action.replaceAll("&amp;", "&"), {
        method: "POST",
        body: new URLSearchParams(fields),
        headers,
      });
    for (const site of ["cross-site", "same-site", "none"]) {
      const { status, html } = await post({ "sec-fetch-site": site });
      expect([site, status]).toEqual([site, 403]);
      expect(html).not.toContain("kmc_");
    }
    const stranger = await post({}, new Browser(harness));
    expect(stranger.status).not.toBe(200);
    expect(stranger.html).not.toContain("kmc_");
    expect((await post({})).html).toContain("kmc_");
  });

  test("nothing that a page is opened with allows it", async () => {
    const path = await program.authorizePath();
    const { html } = await browser.get(`${path}&decision=allow&scopes=posts:read&prompt=none`);
    expect(html).toContain("<h1>Allow A program?</h1>");
    await program.tokens(browser);
    expect((await browser.get(path)).html).toContain("<h1>Allow A program?</h1>");
  });
});

test("4.11: the server leads nobody elsewhere before it knows the program and its address", async () => {
  await expectShownToPersonAlone({
    client_id: "kmx_unknown",
    redirect_uri: "https://evil.example/",
  });
  await expectShownToPersonAlone({ redirect_uri: "https://evil.example/", response_type: "token" });
  await expectShownToPersonAlone({ redirect_uri: "https://evil.example/", scope: "bogus" });
  const { location } = await new Browser(harness).get(
    await program.authorizePath({ redirect_uri: "https://evil.example/" }),
  );
  expect(location).toMatch(/^\/sign-in\?next=%2Fauthorize%3Frequest%3D[0-9a-f]{32}$/);
});

test("4.12: no form is sent on to the program", async () => {
  const page = await browser.get(await program.authorizePath());
  for (const decision of ["allow", "deny"]) {
    const { status, location } = await allow(browser, page, { decision });
    expect([status, location]).toEqual([200, null]);
  }
  const refused = await browser.get(await program.authorizePath({ scope: "bogus" }));
  expect(refused.status).toBe(303);
});

test("4.13: headers that a visitor can send do not change whose server it is", async () => {
  for (const publicUrl of [ORIGIN, null]) {
    const own = harnessWith({ publicUrl });
    const headers = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example;proto=http",
      "x-original-host": "evil.example",
    };
    const server = await own.request("/.well-known/oauth-authorization-server", { headers });
    expect(await server.text()).not.toContain("evil.example");
    const refused = await own.request("/mcp", { method: "POST", body: "{}", headers });
    expect(refused.headers.get("www-authenticate")).toContain(`"${ORIGIN}/.well-known/`);
  }
});

test("4.16: no page of a sign-in can be framed", async () => {
  const page = await browser.get(await program.authorizePath());
  const pages = [
    page,
    await allow(browser, page),
    await browser.get(await program.authorizePath({ client_id: "kmx_unknown" })),
    await browser.get("/authorize"),
    await new Browser(harness).get("/sign-in?next=%2Fauthorize"),
  ];
  for (const { headers } of pages) {
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});

test("4.17: answers go by the address alone, and no page talks to another window", async () => {
  for (const mode of ["web_message", "form_post", "fragment"]) {
    const path = `${await program.authorizePath()}&response_mode=${mode}`;
    const { headers, html } = await allow(browser, await browser.get(path));
    const to = new URL(/url=(.*)$/.exec(headers.get("refresh") ?? "")?.[1] ?? "");
    expect([to.origin + to.pathname, to.hash]).toEqual([REDIRECT, ""]);
    expect(html).not.toContain("<script");
  }
});

test("a page of a person answers no preflight", async () => {
  for (const path of ["/authorize", "/device"]) {
    const signedIn = await browser.send(path, { method: "OPTIONS" });
    expect([path, signedIn.status]).toEqual([path, 405]);
  }
  const preflight = await harness.request("/token", {
    method: "OPTIONS",
    headers: { origin: "https://agent.example", "access-control-request-method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    "*",
  ]);
});
