import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { comeBack, decide, openConsentPage, pathOf, walkConsent } from "../../support/consent.ts";
import { createMember, Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  browser = new Browser(harness);
});

/** The address that the API answers for a simulated account. */
async function begin(input: object = {}, token = owner.token): Promise<string> {
  const json = { platform: "x", mode: "sandbox", ...input };
  const { status, body } = await harness.call("POST", "/accounts", { token, json });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.authorizationUrl;
}

const eventsNamed = async (name: string) => {
  const query = "SELECT count(*) AS rows FROM events WHERE team_id = ? AND name = ?";
  const count = await env.DB.prepare(query).bind(owner.teamId, name).first<{ rows: number }>();
  return count ?? { rows: 0 };
};

const accountsOf = async ({ token }: Member) =>
  (await harness.call("GET", "/accounts", { token })).body.data;

const deleteTeam = () =>
  env.DB.prepare("UPDATE teams SET deleted_at = 1 WHERE id = ?").bind(owner.teamId).run();

const countAccounts = () =>
  env.DB.prepare("SELECT count(*) AS n FROM accounts WHERE team_id = ?")
    .bind(owner.teamId)
    .first("n");

describe("connecting by the consent page", () => {
  test("connects the account that agreed, and says so", async () => {
    const page = await walkConsent(browser, await begin(), { name: "Ada" });
    expect(page.status).toBe(200);
    expect(page.html).toContain("Ada is connected");
    expect(await accountsOf(owner)).toMatchObject([
      { platform: "x", accountName: "Ada", status: "active", mode: "sandbox" },
    ]);
  });

  test("leads on to the caller's site with the account's id", async () => {
    const opener = await begin({ redirectUrl: "https://client.example/done?tab=2" });
    const page = await walkConsent(browser, opener, { name: "Ada" });
    const [account] = await accountsOf(owner);
    expect(page.status).toBe(303);
    expect(page.location).toBe(
      `https://client.example/done?tab=2&status=connected&platform=x&accountId=${account.id}`,
    );
  });

  test("connects the same account again under its id", async () => {
    await walkConsent(browser, await begin(), { name: "Ada" });
    const [before] = await accountsOf(owner);
    await walkConsent(browser, await begin(), { name: "Ada" });
    const after = await accountsOf(owner);
    expect(after.map(({ id }: { id: string }) => id)).toEqual([before.id]);
  });

  test("a person who says no connects nothing, and the caller's site is told", async () => {
    const opener = await begin({ redirectUrl: "https://client.example/" });
    const page = await walkConsent(browser, opener, { decision: "refuse" });
    expect(page.location).toContain("status=failed&platform=x&error=declined");
    expect(await accountsOf(owner)).toEqual([]);
  });

  test("a permission that is needed and was not granted is named", async () => {
    const page = await walkConsent(browser, await begin(), { without: ["media.write"] });
    expect(page.status).toBe(400);
    expect(page.html).toContain("media.write");
    expect(await accountsOf(owner)).toEqual([]);
  });
});

describe("a callback", () => {
  test("counts once, and tells the same browser again how it ended", async () => {
    const redirectUrl = "https://client.example/done";
    const opener = await begin({ redirectUrl });
    const callback = await decide(browser, await openConsentPage(browser, opener));
    const first = await browser.get(callback);
    expect(first.location).toContain("status=connected");
    expect((await browser.get(callback)).location).toBe(first.location);
    const { rows } = await eventsNamed("connected_account.connected");
    expect(rows).toBe(1);
  });

  test("counts once of two at the same time", async () => {
    const opener = await begin({ redirectUrl: "https://client.example/done" });
    const callback = await decide(browser, await openConsentPage(browser, opener));
    const pages = await Promise.all([browser.get(callback), browser.get(callback)]);
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(pages.find(({ status }) => status === 400)?.html).toContain("right now");
    expect((await browser.get(callback)).location).toContain("status=connected");
    expect(await accountsOf(owner)).toHaveLength(1);
  });

  test.each(["https://client.example/done", undefined])(
    "leads on to the address of the try alone, whatever stands in the browser's: %s",
    async (redirectUrl) => {
      const evil =
        "redirectUrl=https://evil.example/&next=//evil.example/&returnTo=/%5Cevil.example";
      const path = pathOf(await begin({ redirectUrl }));
      expect((await browser.get(`${path}?${evil}`)).html).not.toContain("evil.example");
      const sent = await browser.post(`${path}?${evil}`, { redirectUrl: "https://evil.example/" });
      const callback = await decide(browser, pathOf(sent.location));
      const back = await browser.get(`${callback}&${evil}`);
      expect(back.status).toBe(303);
      expect(back.location).not.toContain("evil.example");
      const end = await browser.get(`${pathOf(back.location).split("?")[0]}?${evil}`);
      expect(end.location ?? "").not.toContain("evil.example");
    },
  );

  test("tells another browser nothing of the try", async () => {
    const opener = await begin({ redirectUrl: "https://client.example/done" });
    const callback = await decide(browser, await openConsentPage(browser, opener));
    const other = await new Browser(harness).get(callback);
    expect(other.status).toBe(400);
    expect(other.html).not.toContain("client.example");
    await browser.get(callback);
    expect((await new Browser(harness).get(pathOf(opener))).html).not.toContain("client.example");
  });

  test("that broke off in the middle is over with its time, and begins anew", async () => {
    const callback = await decide(browser, await openConsentPage(browser, await begin()));
    await env.DB.prepare("UPDATE consents SET step = 'returned' WHERE team_id = ?")
      .bind(owner.teamId)
      .run();
    expect((await browser.get(callback)).html).toContain("right now");
    harness.advance(600);
    expect((await browser.get(callback)).html).toContain("Look at the accounts");
    expect((await walkConsent(browser, await begin(), { name: "Ada" })).status).toBe(200);
  });

  test("is left alone by a program that only looks", async () => {
    const opener = await begin();
    const callback = await decide(browser, await openConsentPage(browser, opener));
    expect((await browser.send(callback, { method: "HEAD" })).status).toBe(200);
    expect(await accountsOf(owner)).toEqual([]);
    expect((await comeBack(browser, callback)).status).toBe(200);
  });

  test("that finds the platform silent is told so, and no log has the address of the call", async () => {
    harness = harnessWith({ appKeys: { facebook: { clientId: "id", clientSecret: "secret" } } });
    owner = await createMember();
    browser = new Browser(harness);
    const opener = await begin({ platform: "facebook", mode: "live" });
    const state = new URL(await openConsentPage(browser, opener)).searchParams.get("state");
    harness.network = (input) =>
      Promise.reject(new Error(`No answer from ${new Request(input).url}?access_token=EAA1`));
    const page = await browser.get(`/oauth/callback/facebook?code=1&state=${state}`);
    expect(page.status).toBe(503);
    expect(harness.logs).toContainEqual(expect.objectContaining({ event: "consent.failed" }));
    expect(JSON.stringify(harness.logs)).not.toContain("EAA1");
  });

  test("counts in the browser alone that was sent", async () => {
    const callback = await decide(browser, await openConsentPage(browser, await begin()));
    const other = await new Browser(harness).get(callback);
    expect(other.status).toBe(400);
    expect(other.html).toContain("another browser");
    expect((await comeBack(browser, callback)).status).toBe(200);
  });

  test("counts no more once the team is deleted", async () => {
    const callback = await decide(browser, await openConsentPage(browser, await begin()));
    await deleteTeam();
    const page = await browser.get(callback);
    expect(page.status).toBe(400);
    expect(page.html).toContain("leads nowhere");
    expect(await countAccounts()).toBe(0);
  });

  test("counts for ten minutes", async () => {
    const callback = await decide(browser, await openConsentPage(browser, await begin()));
    harness.advance(600);
    const late = await browser.get(callback);
    expect(late.status).toBe(410);
    expect(await accountsOf(owner)).toEqual([]);
  });

  test.each([
    ["no state", "/oauth/callback/x?code=1"],
    ["a forged state", "/oauth/callback/x?code=1&state=00"],
    ["no parameters", "/oauth/callback/x"],
  ])("with %s is refused", async (_, path) => {
    const page = await browser.get(path);
    expect(page.status).toBe(400);
    expect(page.html).toContain("leads nowhere");
  });

  test("with a refusal and no state, as of some servers, says that nothing was connected", async () => {
    const page = await browser.get(
      "/oauth/callback/mastodon?error=access_denied&error_description=Gone",
    );
    expect(page.status).toBe(200);
    expect(page.html).toContain("Nothing was connected");
    expect(page.html).not.toContain("Gone");
  });

  test("of another platform than the state's is refused", async () => {
    const callback = await decide(browser, await openConsentPage(browser, await begin()));
    const page = await browser.get(callback.replace("/callback/x", "/callback/youtube"));
    expect(page.status).toBe(400);
    expect(await accountsOf(owner)).toEqual([]);
  });

  test("of no platform is not found", async () => {
    expect((await browser.get("/oauth/callback/myspace?state=1")).status).toBe(404);
  });
});

describe("an address that begins it", () => {
  test.each([
    [{ platform: "x" }, "posts as your X account,"],
    [{ platform: "facebook" }, "posts as a Facebook Page that you manage,"],
    [{ platform: "linkedin", type: "page" }, "posts as a LinkedIn page that you manage,"],
  ])("names what %j publishes as", async (input, words) => {
    const { html } = await browser.get(pathOf(await begin(input)));
    expect(html.replaceAll(/\s+/g, " ")).toContain(words);
  });

  test("says what an app without an audit does, until AUDITED_PLATFORMS names it", async () => {
    const open = async (auditedPlatforms: readonly Platform[]) => {
      harness = harnessWith({ auditedPlatforms });
      return (await new Browser(harness).get(pathOf(await begin({ platform: "tiktok" })))).html;
    };
    expect(await open([])).toContain("only its creator sees the posts");
    expect(await open(["tiktok"])).not.toContain("only its creator sees the posts");
  });

  test("is over after ten minutes", async () => {
    const opener = await begin();
    harness.advance(600);
    expect((await browser.get(new URL(opener).pathname)).status).toBe(410);
  });

  test("leads nowhere once the team is deleted", async () => {
    const opener = await begin();
    await deleteTeam();
    expect((await browser.get(new URL(opener).pathname)).status).toBe(400);
  });

  test("leads nowhere when it is forged", async () => {
    expect((await browser.get(`/oauth/start/${"0".repeat(32)}`)).status).toBe(400);
  });

  test("that was opened twice lets the last browser come back", async () => {
    const opener = await begin();
    const first = await openConsentPage(browser, opener);
    const second = new Browser(harness);
    const page = await openConsentPage(second, opener);
    expect((await browser.get(await decide(browser, first))).status).toBe(400);
    expect((await comeBack(second, await decide(second, page))).status).toBe(200);
  });
});

describe("what is refused at once", () => {
  test.each([
    [{ platform: "linkedin", type: "pages" }, "type: must be person or page"],
    [{ platform: "linkedin", type: "pages", sandbox: true }, "type: must be person or page"],
    [{ platform: "x", mode: "real" }, /^mode: /],
    [{ platform: "myspace" }, /^platform: /],
  ])("a wrong value by its field: %j", async (json, message) => {
    const { status, body } = await harness.call("POST", "/accounts", { token: owner.token, json });
    expect(status).toBe(400);
    expect(body.error).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
    expect(body.errors).toHaveLength(1);
  });

  test.each([
    ["a script", "javascript:alert(1)"],
    ["plain http", "http://client.example/"],
    ["a password", "https://a:b@client.example/"],
    ["a private address", "https://10.0.0.1/"],
    ["no URL", "client.example"],
    ["a hidden script", " javascript:alert(1)"],
    ["a backslash", "https:\\\\client.example"],
  ])("a redirectUrl with %s", async (_, redirectUrl) => {
    const json = { platform: "x", mode: "sandbox", redirectUrl };
    const { status, body } = await harness.call("POST", "/accounts", { token: owner.token, json });
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe("redirectUrl");
  });

  test("a platform whose app is not set up", async () => {
    const { status, body } = await harness.call("POST", "/accounts", {
      token: owner.token,
      json: { platform: "x" },
    });
    expect(status).toBe(400);
    expect(body.error).toContain("X_CLIENT_ID");
    expect(body.error).toContain('To try it out, send "mode":"sandbox".');
    harness = harnessWith({ sandboxEnabled: false });
    const json = { platform: "x" };
    const off = await harness.call("POST", "/accounts", { token: owner.token, json });
    expect(off.body.error).not.toContain("sandbox");
  });
});
