import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test } from "vitest";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { connectorOf, connectors } from "../../../src/platforms/registry.ts";
import { walkConsent } from "../../support/consent.ts";
import { createMember, Harness, harnessWith, type Member } from "../../support/harness.ts";
import { FakePds } from "../../support/pds.ts";
import { Browser } from "../../support/person.ts";

async function signedIn(harness = new Harness()) {
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  return { harness, member, browser };
}

const accountsOf = async (harness: Harness, { token }: Member) =>
  (await harness.call("GET", "/accounts", { token })).body.data;

/** Returns the last page. */
async function connectX(browser: Browser, decision = {}) {
  const sent = await browser.post("/app/accounts/connect", { platform: "x", mode: "sandbox" });
  expect(sent.status, sent.html).toBe(303);
  return walkConsent(browser, sent.location ?? "", decision);
}

describe("the accounts page", () => {
  test("has every platform, what each asks, and what is not set up here", async () => {
    const { browser } = await signedIn();
    const { html, headers } = await browser.get("/app/accounts");
    for (const { consent } of connectors()) {
      if (consent) expect(html).toContain(consent.asks.replaceAll("'", "&#39;"));
    }
    for (const platform of PLATFORMS) expect(html).toContain(`<option value="${platform}">`);
    expect(html).toContain("not set up on this instance yet");
    expect(html).not.toContain("Connect X<");
    expect(html).toContain("In the sandbox");
    // Only a live Bluesky account needs a handle.
    expect(html).toMatch(/value="sandbox" formnovalidate/);
    expect(headers.get("content-security-policy")).toContain("form-action 'self' https:");
  });

  test("has a button for a platform that is set up", async () => {
    const appKeys = { x: { clientId: "app", clientSecret: "secret" } };
    const { browser } = await signedIn(harnessWith({ appKeys, sandboxEnabled: false }));
    const { html } = await browser.get("/app/accounts");
    expect(html).toContain("Connect X<");
    expect(html).not.toContain("In the sandbox");
    const sent = await browser.post("/app/accounts/connect", { platform: "x", mode: "live" });
    expect(sent.location).toMatch(/^https:\/\/x\.com\/i\/oauth2\/authorize\?.*client_id=app/);
  });

  test("says what an app without an audit does, until AUDITED_PLATFORMS names it", async () => {
    const account = "Only its creator sees the posts until the audit.";
    const connector = connectorOf("x");
    connector.untilAudit = { post: account, account };
    onTestFinished(() => {
      delete connector.untilAudit;
    });
    const open = async (auditedPlatforms: readonly Platform[]) => {
      const { browser } = await signedIn(harnessWith({ auditedPlatforms }));
      return (await browser.get("/app/accounts")).html;
    };
    expect(await open(["pinterest"])).toContain(account);
    expect(await open(["x"])).not.toContain(account);
  });

  test("leads through the consent page and back, with a word about it", async () => {
    const { harness, member, browser } = await signedIn();
    const back = await connectX(browser, { name: "Ada" });
    expect(back.location).toBe("/app/accounts?done=connected");
    const { html } = await browser.get("/app/accounts?done=connected");
    expect(html).toContain("The account is connected.");
    expect(await accountsOf(harness, member)).toMatchObject([{ accountName: "Ada" }]);
  });

  test("is what a person who said no comes back to", async () => {
    const { harness, member, browser } = await signedIn();
    const no = await connectX(browser, { decision: "refuse" });
    expect(no.status).toBe(200);
    expect(no.html).toContain("Nothing was connected");
    expect(no.html).toContain('href="/app/accounts"');
    expect(await accountsOf(harness, member)).toEqual([]);
  });

  test.each([
    [{ platform: "x", mode: "live" }, "X_CLIENT_ID"],
    [{ platform: "myspace", mode: "sandbox" }, "Choose a platform"],
    [{}, "Choose a platform"],
  ])("refuses %o in words", async (fields, words) => {
    const { browser } = await signedIn();
    const page = await browser.post("/app/accounts/connect", fields as Record<string, string>);
    expect(page.status).toBe(400);
    expect(page.html).toContain(words);
  });

  test("connects by handle and app password", async () => {
    const { harness, member, browser } = await signedIn();
    const pds = new FakePds();
    harness.network = pds.fetch;
    const login = {
      platform: "bluesky",
      identifier: "alice.example.com",
      appPassword: "abcd-efgh-ijkl-mnop",
      service: "https://pds.example.com",
    };
    const done = await browser.post("/app/accounts", login);
    expect(done.location).toBe("/app/accounts?done=connected");
    expect(await accountsOf(harness, member)).toMatchObject([
      { platform: "bluesky", accountName: "alice.example.com", mode: "live" },
    ]);
    const wrong = await browser.post("/app/accounts", { ...login, appPassword: "my secret" });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('value="alice.example.com"');
    expect(wrong.html).not.toContain("my secret");
    const empty = await browser.post("/app/accounts", { ...login, identifier: "" });
    expect(empty.html).toContain("Fill in what is missing: Handle.");
  });
});

describe("an account's page", () => {
  const onlyAccount = async (harness: Harness, member: Member) =>
    (await accountsOf(harness, member))[0];

  test("connects the account again, and comes back to it", async () => {
    const { harness, member, browser } = await signedIn();
    await connectX(browser, { name: "Ada" });
    const { id } = await onlyAccount(harness, member);
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(id).run();
    const sent = await browser.post(`/app/accounts/${id}/reconnect`);
    const back = await walkConsent(browser, sent.location ?? "", { name: "Ada" });
    expect(back.location).toBe(`/app/accounts/${id}?done=connected`);
    expect((await browser.get(back.location ?? "")).html).toContain("connected again");
    expect(await onlyAccount(harness, member)).toMatchObject({ id, status: "active" });
  });

  test("refuses another account than its own", async () => {
    const { harness, member, browser } = await signedIn();
    await connectX(browser, { name: "Ada" });
    const { id } = await onlyAccount(harness, member);
    const sent = await browser.post(`/app/accounts/${id}/reconnect`);
    const page = await walkConsent(browser, sent.location ?? "", { name: "Grace" });
    expect(page.status).toBe(400);
    expect(page.html).toContain("You signed in to X as Grace");
    expect(page.html).toContain(`href="/app/accounts/${id}"`);
    expect(await accountsOf(harness, member)).toHaveLength(1);
  });

  test("names what was not granted", async () => {
    const { harness, member, browser } = await signedIn();
    await connectX(browser);
    const { id } = await onlyAccount(harness, member);
    expect((await browser.get(`/app/accounts/${id}`)).html).not.toContain("did not grant");
    await env.DB.prepare(
      "UPDATE accounts SET missing_scopes = 'gone.read media.write' WHERE id = ?",
    )
      .bind(id)
      .run();
    const { html } = await browser.get(`/app/accounts/${id}`);
    expect(html).toMatch(/X did not grant (?!.*gone\.read)/);
  });

  test("has no button where its platform is not set up", async () => {
    const { harness, member, browser } = await signedIn();
    await connectX(browser);
    const { id } = await onlyAccount(harness, member);
    await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(id).run();
    expect((await browser.get(`/app/accounts/${id}`)).html).not.toContain("/reconnect");
    const refused = await browser.post(`/app/accounts/${id}/reconnect`);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("X_CLIENT_ID");
  });
});

describe("links for clients", () => {
  const FIELDS = { platform: "x/sandbox", title: "For Acme", expiresInHours: "48" };

  test("are made, copied, and deleted", async () => {
    const { harness, member, browser } = await signedIn();
    const fields = { ...FIELDS, tags: " acme, vip,", redirectUrl: "https://client.example/" };
    const made = await browser.post("/app/connection-pages", fields);
    expect(made.location).toBe("/app/connection-pages?done=created");
    const { html } = await browser.get("/app/connection-pages?done=created");
    expect(html).toContain("Copy its address and send it");
    const [, address = ""] = /<pre class="address">https:\/\/akimbo\.test([^<]+)</.exec(html) ?? [];
    const client = new Browser(harness);
    const page = await client.get(address);
    expect(page.html).toContain("For Acme");
    const opener = await client.post(address);
    await walkConsent(client, opener.location ?? "", { name: "Acme" });
    expect(await accountsOf(harness, member)).toMatchObject([
      { accountName: "Acme", tags: "acme,vip" },
    ]);
    const used = await browser.get("/app/connection-pages");
    expect(used.html).toContain("Connected");
    expect(used.html).not.toContain(address);

    await browser.post("/app/connection-pages", FIELDS);
    const [, id = ""] =
      /\/app\/connection-pages\/(\d+)\/delete/.exec(
        (await browser.get("/app/connection-pages")).html,
      ) ?? [];
    const gone = await browser.post(`/app/connection-pages/${id}/delete`);
    expect(gone.location).toBe("/app/connection-pages?done=deleted");
    expect((await browser.post(`/app/connection-pages/${id}/delete`)).status).toBe(404);
  });

  test.each([
    [{ platform: "x/live" }, "X_CLIENT_ID"],
    [{ platform: "myspace" }, "Choose a platform"],
    [{ title: "a".repeat(101) }, "at most 100 characters"],
    [{ expiresInHours: "" }, "1 to 720 hours"],
    [{ expiresInHours: "soon" }, "1 to 720 hours"],
    [{ tags: "a".repeat(51) }, "at most 50 characters"],
    [{ redirectUrl: "javascript:alert(1)" }, "redirectUrl must be an https URL"],
    [{ logoUrl: `https://a.example/${"a".repeat(2_048)}` }, "at most 2,048 characters"],
  ])("refuse %o in words, and keep the fields", async (fields, words) => {
    const { browser } = await signedIn();
    const sent = { ...FIELDS, description: "Kept here", ...fields } as Record<string, string>;
    const page = await browser.post("/app/connection-pages", sent);
    expect(page.status).toBe(400);
    expect(page.html).toContain(words);
    expect(page.html).toContain("Kept here");
    expect(page.html).toContain("0 pages");
  });

  test("of another team are not found", async () => {
    const { harness, browser } = await signedIn();
    await browser.post("/app/connection-pages", FIELDS);
    const [, id] =
      /\/app\/connection-pages\/(\d+)\/delete/.exec(
        (await browser.get("/app/connection-pages")).html,
      ) ?? [];
    const other = await signedIn(harness);
    expect((await other.browser.post(`/app/connection-pages/${id}/delete`)).status).toBe(404);
    expect((await other.browser.get("/app/connection-pages")).html).not.toContain("For Acme");
  });
});
