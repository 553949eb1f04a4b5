import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createClaimCode, hashClaimCode } from "../../../src/core/claim-code.ts";
import { connect } from "../../../src/db/client.ts";
import type { Deps } from "../../../src/deps.ts";
import { theInstallation } from "../../../src/durable/installation.ts";
import { Harness } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

const EMAIL = "owner@example.com";
const HOUR = 3_600;

/** A new instance, of which this isolate has seen no owner. */
const newInstance = (overrides: Partial<Deps> = {}): Harness =>
  new Harness({ db: connect(env.DB), ownKeys: ["SIGNING_KEY"], ...overrides });

let harness: Harness;

beforeEach(async () => {
  await env.DB.batch(
    ["tokens", "sessions", "members", "teams", "users"].map((table) =>
      env.DB.prepare(`DELETE FROM ${table}`),
    ),
  );
  await runInDurableObject(theInstallation(env.INSTALLATION), (_, state) =>
    state.storage.deleteAll(),
  );
  harness = newInstance();
});

const loggedCodes = ({ logs } = harness): string[] =>
  (logs as { event: string; code?: string }[]).flatMap(({ event, code }) =>
    event === "claim.code" && code ? [code] : [],
  );

async function openPage(one = harness): Promise<string> {
  const page = await new Browser(one).get("/claim");
  expect(page.status).toBe(200);
  return page.html;
}

const send = (fields: { code: string; email?: string }, browser = new Browser(harness)) =>
  browser.sendForm("/claim", { email: EMAIL, ...fields });

const count = (table: string) =>
  env.DB.prepare(`SELECT count(*) AS count FROM ${table}`).first<number>("count");

describe("before the claim", () => {
  test.each(["/", "/sign-in"])("%s leads to the claim", async (path) => {
    const response = await harness.request(path);
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/claim");
  });

  test("the pages behind the sign-in lead to the sign-in, which leads on", async () => {
    const response = await harness.request("/app");
    expect(response.headers.get("location")).toMatch(/^\/sign-in/);
  });

  test("the API refuses every token, and says where to claim the instance", async () => {
    const { status, body } = await harness.call("GET", "/accounts", {
      token: `kmb_${"0".repeat(64)}`,
    });
    expect(status).toBe(401);
    expect(body).toMatchObject({ success: false, code: "UNAUTHORIZED" });
    expect(body.error).toContain("https://akimbo.test/claim");
  });

  test("the agent endpoint says so too", async () => {
    const response = await harness.request("/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer kmb_${"0".repeat(64)}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("https://akimbo.test/claim");
  });

  test("an instance whose deployment made its keys and its owner is never asked for the owner", async () => {
    harness = newInstance({ ownKeys: [] });
    const token = `kmb_${"0".repeat(64)}`;
    const { body } = await harness.call("GET", "/accounts", { token });
    expect(body.error).not.toContain("/claim");
  });

  test("programs learn whether the instance is claimed", async () => {
    const response = await harness.request("/claim", { headers: { accept: "application/json" } });
    expect(await response.json()).toEqual({ success: true, data: { claimed: false } });
  });
});

describe("the code", () => {
  test("is made when the page is first opened, written to the log once, and not shown", async () => {
    const html = await openPage();
    const [code = "", ...others] = loggedCodes();
    expect(others).toEqual([]);
    expect(code).toMatch(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}$/);
    expect(html).not.toContain(code);
    await openPage();
    expect(loggedCodes()).toEqual([code]);
  });

  test("is one code for two people who open the page at once", async () => {
    await Promise.all([openPage(), openPage(), openPage()]);
    expect(loggedCodes()).toHaveLength(1);
  });

  test("ends after 24 hours, and the page makes another", async () => {
    await openPage();
    const [first = ""] = loggedCodes();
    harness.advance(24 * HOUR);
    expect((await send({ code: first })).status).toBe(400);
    await openPage();
    expect(loggedCodes()).toHaveLength(2);
    expect((await send({ code: loggedCodes()[1] ?? "" })).status).toBe(200);
  });

  test("of the deployment works too, and the page makes none beside it", async () => {
    const code = createClaimCode();
    const claim = { hash: await hashClaimCode(code), expiresAt: Date.now() + 24 * HOUR * 1_000 };
    harness = newInstance({ config: { ...harness.deps.config, claim } });
    expect(await openPage()).toContain("The deployment printed it");
    expect(loggedCodes()).toEqual([]);
    expect((await send({ code: "0000-0000-0000-0000" })).status).toBe(400);
    expect((await send({ code: code.toLowerCase().replaceAll("-", " ") })).status).toBe(200);
  });

  test("that is wrong is refused with what was written, and makes nobody an owner", async () => {
    await openPage();
    const page = await send({ code: "AAAA-BBBB-CCCC-DDDD" });
    expect(page.status).toBe(400);
    expect(page.html).toContain("That is not the code of this instance");
    expect(page.html).toContain(EMAIL);
    expect(await count("users")).toBe(0);
  });

  test("may be guessed twenty times in a quarter of an hour from one address", async () => {
    harness = newInstance({ config: { ...harness.deps.config, rateLimits: {} } });
    await openPage();
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) {
      const guess = await harness.request("/claim", {
        method: "POST",
        body: new URLSearchParams({ email: EMAIL, code: "0" }),
        headers: { "cf-connecting-ip": "203.0.113.35", "sec-fetch-site": "same-origin" },
      });
      statuses.push(guess.status);
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(400));
    expect(statuses[20]).toBe(429);
  });

  test("from a page of another site is refused", async () => {
    await openPage();
    const response = await harness.request("/claim", {
      method: "POST",
      headers: {
        origin: "https://elsewhere.example",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ code: loggedCodes()[0] ?? "", email: EMAIL }),
    });
    expect(response.status).toBe(403);
    expect(await count("users")).toBe(0);
  });

  test("needs an e-mail address beside it", async () => {
    await openPage();
    const page = await send({ code: loggedCodes()[0] ?? "", email: "nobody" });
    expect(page.status).toBe(400);
    expect(page.html).toContain("not an e-mail address");
  });
});

describe("the claim", () => {
  test("makes an owner with a token, signs them in, and works once", async () => {
    await openPage();
    const code = loggedCodes()[0] ?? "";
    const browser = new Browser(harness);
    const page = await send({ code }, browser);
    expect(page.status).toBe(200);
    const token = /kmb_[0-9a-f]{64}/.exec(page.html)?.[0] ?? "";
    expect((await harness.call("GET", "/accounts", { token })).status).toBe(200);
    expect((await browser.get("/app")).status).toBe(200);
    const row = await env.DB.prepare(
      `SELECT users.email, teams.slug, members.role, tokens.scopes, tokens.hint FROM users
        JOIN teams ON teams.owner_id = users.id JOIN members ON members.user_id = users.id
        JOIN tokens ON tokens.user_id = users.id`,
    ).first();
    expect(row).toEqual({
      email: EMAIL,
      slug: "owner",
      role: "OWNER",
      scopes: '["*"]',
      hint: `${token.slice(0, 8)}…${token.slice(-4)}`,
    });

    expect((await send({ code, email: "other@example.com" })).status).toBe(410);
    expect((await new Browser(harness).get("/claim")).status).toBe(410);
    expect(await count("users")).toBe(1);
    expect((await harness.request("/")).status).toBe(200);
    expect((await new Browser(harness).get("/sign-in")).status).toBe(200);
  });

  test.each([
    ["of two people", ["one@example.com", "two@example.com"]],
    ["of one person who sends it twice", [EMAIL, EMAIL]],
  ])("%s at once, one wins", async (_, emails) => {
    await openPage();
    const code = loggedCodes()[0] ?? "";
    const pages = await Promise.all(emails.map((email) => send({ code, email })));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 410]);
    for (const table of ["users", "teams", "members", "tokens"]) expect(await count(table)).toBe(1);
  });

  test("shows the keys that the instance made, and those alone", async () => {
    harness = newInstance({ ownKeys: ["ENCRYPTION_KEYS", "SIGNING_KEY"] });
    await openPage();
    const { html } = await send({ code: loggedCodes()[0] ?? "" });
    const keys = await theInstallation(env.INSTALLATION).keys();
    expect(html).toContain(`ENCRYPTION_KEYS=${keys.ENCRYPTION_KEYS}`);
    expect(html).toContain(`SIGNING_KEY=${keys.SIGNING_KEY}`);
    expect(html).not.toContain(keys.VAPID_PRIVATE_KEY);
    const logged = JSON.stringify(harness.logs);
    for (const key of Object.values(keys)) expect(logged).not.toContain(key);
    expect(logged).not.toContain(/kmb_[0-9a-f]{64}/.exec(html)?.[0] ?? "kmb_");
  });

  test("shows no keys where all of them are secrets", async () => {
    harness = newInstance({ ownKeys: [] });
    await openPage();
    const { html } = await send({ code: loggedCodes()[0] ?? "" });
    expect(html).not.toContain("Keys to keep");
  });
});

describe("what an installation lacks", () => {
  test("is said before the claim, each with what mends it", async () => {
    harness = newInstance({
      hasQueues: false,
      hasStorage: false,
      images: null,
      media: { head: () => Promise.reject(new Error("no")) } as unknown as R2Bucket,
    });
    const html = await openPage();
    for (const text of [
      "This instance has no queues.",
      "asks for a payment method",
      "no Images binding",
      "The timer of this instance has not run yet.",
      "npm install &amp;&amp; npx wrangler login &amp;&amp; npm run deploy",
    ]) {
      expect(html).toContain(text);
    }
  });

  test("is a bucket that does not answer", async () => {
    const media = {
      head: () => Promise.reject(new Error("The specified bucket does not exist.")),
    } as unknown as R2Bucket;
    harness = newInstance({ media });
    const html = await openPage();
    expect(html).toContain("in the line with claim.storage_failed");
    expect(html).not.toContain("The specified bucket does not exist.");
    const reason = "The specified bucket does not exist.";
    expect(harness.logs).toContainEqual({ event: "claim.storage_failed", reason });
  });

  test("is a database that cannot be used", async () => {
    const db = {
      run: () => Promise.reject(new Error("D1_ERROR: the database is away")),
    } as unknown as Deps["db"];
    harness = newInstance({ db });
    const reason = "D1_ERROR: the database is away";
    for (const page of [await new Browser(harness).get("/claim"), await send({ code: "0" })]) {
      expect(page.status).toBe(503);
      expect(page.html).toContain("in the line with claim.database_failed");
      expect(page.html).not.toContain("the database is away");
      expect(page.html).not.toContain("no owner yet");
      expect(page.html).not.toContain('name="code"');
    }
    expect(harness.logs).toContainEqual({ event: "claim.database_failed", reason });
    const asked = await harness.request("/claim", { headers: { accept: "application/json" } });
    expect(asked.status).toBe(503);
    expect(await asked.json()).toMatchObject({ success: false, code: "UNAVAILABLE" });
  });

  test("is among the warnings of /health, which stays up", async () => {
    const health = await newInstance({ hasQueues: false, images: null }).request("/health");
    const { warnings } = (await health.json()) as { warnings: string[] };
    expect(warnings.filter((text) => /no queues|no Images/.test(text))).toHaveLength(2);
  });
});
