import { beforeEach, describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import { sandboxHandle } from "../../../src/sandbox/bluesky/identity.ts";
import { decide, openConsentPage, walkConsent } from "../../support/consent.ts";
import { createMember, Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

async function createKey() {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign"])) as CryptoKeyPair;
  const jwk = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const { kty, crv, x, y, d } = jwk;
  const vars = {
    ENVIRONMENT: "production",
    ENCRYPTION_KEYS: `a:${btoa("k".repeat(32))}`,
    SIGNING_KEY: "s".repeat(32),
    BLUESKY_KEY: JSON.stringify({ kty, crv, x, y, d, kid: "the key" }),
  };
  return parseConfig(vars).appKeys;
}

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  browser = new Browser(harness);
});

async function begin(input: object = {}): Promise<string> {
  const json = { platform: "bluesky", mode: "sandbox", ...input };
  const { status, body } = await harness.call("POST", "/accounts", { token: owner.token, json });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.authorizationUrl;
}

const accounts = async () =>
  (await harness.call("GET", "/accounts", { token: owner.token })).body.data;

async function connect(name: string): Promise<{ id: string }> {
  const page = await walkConsent(browser, await begin(), { name });
  expect(page.html).toContain("is connected");
  return (await accounts())[0];
}

async function publish(accountId: string, description: string) {
  const body = new FormData();
  body.set("accountId", accountId);
  body.set("description", description);
  const created = await harness.call("POST", "/upload", { token: owner.token, body });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  await harness.drain();
  const path = `/upload/${created.body.data.uploadId}`;
  return (await harness.call("GET", path, { token: owner.token })).body.data;
}

describe("connecting by the server's own page", () => {
  test("connects the account that agreed, by no name but its server's", async () => {
    await connect("Ada Bluesky");
    expect(await accounts()).toMatchObject([
      { platform: "bluesky", accountName: "Ada Bluesky", status: "active", mode: "sandbox" },
    ]);
  });

  test.each([
    ["its handle", sandboxHandle("Grace")],
    ["its handle with an @, in capitals", `@${sandboxHandle("Grace").toUpperCase()}`],
    ["its server", "https://pds.sandbox.bsky.network"],
    ["an email address", "grace@example.com"],
  ])("finds the server by %s", async (_, identifier) => {
    const page = await walkConsent(browser, await begin({ identifier }), { name: "Grace" });
    expect(page.html).toContain("Grace is connected");
  });

  test("begins the sign-in with the account whose handle was given", async () => {
    const identifier = sandboxHandle("Grace");
    const shown = await browser.get(await openConsentPage(browser, await begin({ identifier })));
    expect(shown.html).toContain(`value="${identifier}"`);
  });

  test("refuses another account than the one whose handle was given", async () => {
    const identifier = sandboxHandle("Grace");
    const page = await walkConsent(browser, await begin({ identifier }), { name: "Ada" });
    expect(page.status).toBe(400);
    expect(page.html).toContain("another account");
    expect(await accounts()).toEqual([]);
  });

  test.each([
    ["nobody's handle", "nobody.example.com", "No Bluesky account has the handle"],
    ["a handle that is cut off", "grace", "whole handle"],
    ["a DID of no kind that there is", "did:key:abc", "not a DID"],
    ["a private address", "https://10.0.0.1", "https address"],
  ])("refuses %s before anybody is sent anywhere", async (_, identifier, words) => {
    const page = await browser.post(new URL(await begin({ identifier })).pathname);
    expect(page.status).toBe(400);
    expect(page.html).toContain(words);
  });

  test("a person who says no connects nothing", async () => {
    const page = await walkConsent(browser, await begin(), { decision: "refuse" });
    expect(page.html).toContain("Nothing was connected");
    expect(await accounts()).toEqual([]);
  });

  test("names the permission that was left out", async () => {
    const page = await walkConsent(browser, await begin(), { without: ["transition:generic"] });
    expect(page.html).toContain("transition:generic");
    expect(await accounts()).toEqual([]);
  });

  test.each([
    ["another issuer", "iss", "https://evil.example.com"],
    ["no issuer", "iss", null],
    ["another code", "code", "0".repeat(64)],
  ])("refuses a callback with %s", async (_, name, value) => {
    const path = await decide(browser, await openConsentPage(browser, await begin()));
    const url = new URL(path, "https://akimbo.test");
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    const page = await browser.get(url.pathname + url.search);
    expect(page.status).toBe(400);
    expect(await accounts()).toEqual([]);
  });
});

describe("an account that was connected so", () => {
  test("publishes, and again after its login was renewed", async () => {
    const { id } = await connect("Poster");
    expect(await publish(id, "First")).toMatchObject({ status: "completed" });
    harness.advance(3_700);
    expect(await publish(id, "Second")).toMatchObject({ status: "completed" });
    harness.advance(3_700);
    expect(await publish(id, "Third")).toMatchObject({ status: "completed" });
  });

  test("ends after two weeks where this instance has no key, however often it was renewed", async () => {
    const { id } = await connect("Short");
    harness.advance(10 * 86_400);
    expect(await publish(id, "In time")).toMatchObject({ status: "completed" });
    harness.advance(5 * 86_400);
    expect(await publish(id, "Too late")).toMatchObject({
      status: "failed",
      failure: { code: "account_disconnected" },
    });
    expect(await accounts()).toMatchObject([{ status: "expired" }]);
  });

  test("lives on where this instance has a key", async () => {
    const appKeys = await createKey();
    harness = harnessWith({ appKeys });
    browser = new Browser(harness);
    const { id } = await connect("Long");
    for (const days of [20, 80, 80]) {
      harness.advance(days * 86_400);
      expect(await publish(id, `After ${days}`)).toMatchObject({ status: "completed" });
    }
    // Replaces the key.
    const { bluesky } = await createKey();
    if (!bluesky?.privateKey) throw new Error("There is a key.");
    const other = { ...bluesky, privateKey: { ...bluesky.privateKey, kid: "another key" } };
    const at = Date.now();
    harness = harnessWith({ appKeys: { bluesky: other } });
    harness.advance((at - Date.now()) / 1_000 + 3_700);
    expect((await publish(id, "Too late")).status).not.toBe("completed");
    // Restores the old key.
    expect(await accounts()).toMatchObject([{ status: "active" }]);
  });

  test("is connected again under its id, by its handle", async () => {
    const { id } = await connect("Again");
    const handle = sandboxHandle("Again");
    await walkConsent(browser, await begin({ identifier: handle }), { name: "Again" });
    expect(await accounts()).toMatchObject([{ id, status: "active" }]);
  });
});

describe("the document that stands for this instance", () => {
  const path = "/oauth/bluesky/client-metadata.json";

  test("names its own address, and where people are sent back to", async () => {
    const reply = await harness.request(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await reply.json()).toEqual({
      client_id: `https://akimbo.test${path}`,
      application_type: "web",
      client_name: "Akimbo",
      client_uri: "https://akimbo.test",
      redirect_uris: ["https://akimbo.test/oauth/callback/bluesky"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "atproto transition:generic",
      dpop_bound_access_tokens: true,
      token_endpoint_auth_method: "none",
    });
  });

  test("has the public half of the key, and nothing of the other", async () => {
    const reply = await harnessWith({ appKeys: await createKey() }).request(path);
    const document = await reply.json<{ jwks: { keys: object[] } }>();
    expect(document).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
    });
    expect(Object.keys(document.jwks.keys[0] ?? {}).sort()).toEqual(
      ["alg", "crv", "kid", "kty", "use", "x", "y"].sort(),
    );
  });

  test("is there for no platform that has no use for it", async () => {
    expect((await harness.request("/oauth/x/client-metadata.json")).status).toBe(404);
  });
});
