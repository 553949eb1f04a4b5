import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { openTry } from "../../../src/features/connect/service.ts";
import { connectors } from "../../../src/platforms/registry.ts";
import { decide, openConsentPage, walkConsent } from "../../support/consent.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  browser = new Browser(harness);
});

const begin = async (platform: string): Promise<string> => {
  const json = { platform, mode: "sandbox" };
  const { status, body } = await harness.call("POST", "/accounts", { token: owner.token, json });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.authorizationUrl;
};

const accountsOf = async ({ token }: Member) =>
  (await harness.call("GET", "/accounts", { token })).body.data;

interface Row {
  platform: string;
  name: string;
  /** A required permission. */
  needed: string;
  /** An optional permission. */
  spare: string;
}

const ROWS: Row[] = [
  {
    platform: "facebook",
    name: "Ada with one page",
    needed: "pages_manage_posts",
    spare: "read_insights",
  },
  {
    platform: "instagram",
    name: "Ada",
    needed: "instagram_business_content_publish",
    spare: "instagram_business_manage_insights",
  },
  {
    platform: "threads",
    name: "Ada",
    needed: "threads_content_publish",
    spare: "threads_manage_insights",
  },
];

describe.each(ROWS)("$platform", ({ platform, name, needed, spare }) => {
  test("connects the account of a person who agrees", async () => {
    const page = await walkConsent(browser, await begin(platform), { name });
    expect(page.status, page.html).toBe(200);
    expect(page.html).toContain(`${name} is connected`);
    expect(await accountsOf(owner)).toMatchObject([
      { platform, accountName: name, status: "active", mode: "sandbox" },
    ]);
  });

  test("keeps the person who gave the login", async () => {
    await walkConsent(browser, await begin(platform), { name });
    const row = await env.DB.prepare(
      "SELECT platform_user_id AS person, platform_account_id AS id FROM accounts WHERE team_id = ?",
    )
      .bind(owner.teamId)
      .first<{ person: string | null; id: string }>();
    if (platform === "threads") expect(row?.person).toBe(row?.id);
    else expect(row?.person).not.toBe(row?.id);
    expect(row?.person).toMatch(/^\d{16,18}$/);
  });

  test("connects it again under its id", async () => {
    await walkConsent(browser, await begin(platform), { name });
    const [{ id }] = await accountsOf(owner);
    await walkConsent(browser, await begin(platform), { name });
    expect(await accountsOf(owner)).toMatchObject([{ id }]);
  });

  test("connects nothing where the person says no", async () => {
    const page = await walkConsent(browser, await begin(platform), { name, decision: "refuse" });
    expect(page.status).toBe(200);
    expect(page.html).toContain("Nothing was connected");
    expect(await accountsOf(owner)).toEqual([]);
  });

  test("names a permission that is needed and was left out", async () => {
    const decision = { name, without: [needed] };
    const page = await walkConsent(browser, await begin(platform), decision);
    expect(page.status).toBe(400);
    expect(page.html).toContain(needed);
    expect(await accountsOf(owner)).toEqual([]);
  });

  test("connects without a permission that can be spared", async () => {
    const decision = { name, without: [spare] };
    const page = await walkConsent(browser, await begin(platform), decision);
    expect(page.status, page.html).toBe(200);
    expect(await accountsOf(owner)).toHaveLength(1);
  });
});

describe("Pages of Facebook", () => {
  const choose = async (name: string) => {
    const page = await walkConsent(browser, await begin("facebook"), { name });
    expect(page.status, page.html).toBe(303);
    const path = page.location ?? "";
    const choices = (await browser.get(path)).html;
    const ids = [...choices.matchAll(/name="account" value="(\d+)"/g)].map(([, id]) => id ?? "");
    return { path, choices, ids };
  };

  test("are chosen from, but for those that the person may not publish as", async () => {
    const { path, choices, ids } = await choose("Ada");
    expect(ids).toHaveLength(2);
    expect(choices).toContain("Ada Studio");
    expect(choices).not.toContain("read only");
    expect((await browser.post(path, { account: ids })).location).toMatch(/^\/oauth\/done\/\d+$/);
    expect(await accountsOf(owner)).toMatchObject([
      expect.objectContaining({ status: "active" }),
      expect.objectContaining({ status: "active" }),
    ]);
  });

  test("of a portfolio are found though the list of accounts is empty", async () => {
    const { ids } = await choose("Ada of the portfolio");
    expect(ids).toHaveLength(2);
  });

  test("of a portfolio are found without the permission for it, by the ids that are named", async () => {
    const decision = { name: "Ada of the portfolio", without: ["business_management"] };
    const page = await walkConsent(browser, await begin("facebook"), decision);
    expect(page.status, page.html).toBe(303);
  });

  test("are connected again without a choice", async () => {
    const { path, ids } = await choose("Ada");
    await browser.post(path, { account: ids[1] ?? "" });
    const [{ id }] = await accountsOf(owner);
    const { path: opener } = await openTry(harness.deps, {
      teamId: owner.teamId,
      platform: "facebook",
      mode: "sandbox",
      identifier: null,
      returnTo: "/app/accounts",
      accountId: id,
    });
    const page = await walkConsent(browser, opener, { name: "Ada" });
    expect(page.location).toBe("/app/accounts?done=connected");
    expect(await accountsOf(owner)).toMatchObject([{ id, status: "active" }]);
  });

  test("are wanted: a person who has none is told what to do", async () => {
    const page = await walkConsent(browser, await begin("facebook"), { name: "Ada with no page" });
    expect(page.status).toBe(400);
    expect(page.html).toContain("choose a Page");
    expect(await accountsOf(owner)).toEqual([]);
  });
});

test("a personal account of Instagram is refused with what to do", async () => {
  const page = await walkConsent(browser, await begin("instagram"), { name: "My personal one" });
  expect(page.status).toBe(400);
  expect(page.html).toContain("professional");
});

test.each([
  ["facebook", "#_=_"],
  ["instagram", "#_"],
])("%s sends people back with an end that no server sees", async (platform, end) => {
  const callback = await decide(browser, await openConsentPage(browser, await begin(platform)));
  expect(callback.endsWith(end)).toBe(true);
});

test.each(connectors().flatMap(({ platform, consent }) => (consent ? [platform] : [])))(
  "nothing is connected at %s where every permission was left out",
  async (platform) => {
    const consentPage = await openConsentPage(browser, await begin(platform));
    const callback = await decide(browser, consentPage, { withoutAll: true });
    const page = await browser.get(callback);
    expect(page.status).toBe(400);
    expect(page.html).toContain("did not grant");
    expect(await accountsOf(owner)).toEqual([]);
  },
);

test("the page of an account that is connected again suggests its name", async () => {
  await walkConsent(browser, await begin("x"), { name: "Ada & Co <3" });
  const [{ id }] = await accountsOf(owner);
  const { path } = await openTry(harness.deps, {
    teamId: owner.teamId,
    platform: "x",
    mode: "sandbox",
    identifier: null,
    returnTo: null,
    accountId: id,
  });
  const consentPage = await openConsentPage(browser, path);
  expect((await browser.get(consentPage)).html).toContain('value="Ada &amp; Co &lt;3"');
  const forged = consentPage.replace("name=Ada", "name=Eve");
  expect(forged).not.toBe(consentPage);
  expect((await browser.get(forged)).status).toBe(404);
});
