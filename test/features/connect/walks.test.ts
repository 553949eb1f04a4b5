import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import type { Platform } from "../../../src/core/platforms.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import {
  comeBack,
  type Decision,
  openConsentPage,
  pathOf,
  walkConsent,
} from "../../support/consent.ts";
import { createMember, Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser, type Page } from "../../support/person.ts";

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  browser = new Browser(harness);
});

interface Walk {
  platform: Platform;
  /** A required permission. */
  required: string;
  /** An optional permission. */
  optional: string | null;
  /** Accounts to choose from; null when there is only one. */
  choices: string[] | null;
}

const UPLOAD = "https://www.googleapis.com/auth/youtube.upload";

const MANAGE = "https://www.googleapis.com/auth/business.manage";

const WALKS: Walk[] = [
  { platform: "tiktok", required: "video.publish", optional: "video.list", choices: null },
  { platform: "youtube", required: UPLOAD, optional: null, choices: null },
  {
    platform: "linkedin",
    required: "w_member_social",
    optional: "r_organization_social",
    choices: ["Ada", "Ada Works", "Ada Foundation"],
  },
  { platform: "pinterest", required: "pins:write", optional: "pins:read_secret", choices: null },
  { platform: "bluesky", required: "transition:generic", optional: null, choices: null },
  { platform: "x", required: "media.write", optional: null, choices: null },
  { platform: "mastodon", required: "write:statuses", optional: null, choices: null },
  { platform: "google_business", required: MANAGE, optional: null, choices: null },
];

/** Follows the API's answer to the last page or redirect. */
async function walk(platform: Platform, decision: Decision = {}): Promise<Page> {
  const json = { platform, mode: "sandbox", redirectUrl: "https://client.example/done" };
  const start = await harness.call("POST", "/accounts", { token: owner.token, json });
  expect(start.status, JSON.stringify(start.body)).toBe(200);
  return walkConsent(browser, start.body.authorizationUrl, { name: "Ada", ...decision });
}

/** Form values by account name. */
const choicesOf = (html: string): Map<string, string> =>
  new Map(
    [...html.matchAll(/name="account" value="([^"]+)"[^>]*>\s*<span>\s*<bdi>([^<]+?)</g)].map(
      ([, value = "", name = ""]) => [name, value],
    ),
  );

async function choose(page: Page, names: string[]): Promise<Page> {
  expect(page.status).toBe(303);
  const path = page.location ?? "";
  expect(path).toMatch(/^\/oauth\/choose\/\d+$/);
  const choices = choicesOf((await browser.get(path)).html);
  return browser.post(path, { account: names.map((name) => choices.get(name) ?? "none") });
}

async function accounts(): Promise<{ accountName: string; status: string; platform: string }[]> {
  return (await harness.call("GET", "/accounts", { token: owner.token })).body.data;
}

const missingScopes = async (): Promise<(string | null)[]> => {
  const query = env.DB.prepare("SELECT missing_scopes FROM accounts WHERE team_id = ?");
  const { results } = await query.bind(owner.teamId).all<{ missing_scopes: string | null }>();
  return results.map((row) => row.missing_scopes);
};

describe.each(WALKS)("$platform", ({ platform, required, optional, choices }) => {
  async function connect(decision: Decision = {}): Promise<Page> {
    const page = await walk(platform, decision);
    return choices ? choose(page, [choices[0] ?? ""]) : page;
  }

  test("is connected by its consent page, and publishes as the account that agreed", async () => {
    const page = await connect();
    expect(page.location, page.html).toContain(
      `https://client.example/done?status=connected&platform=${platform}&accountId=acc_`,
    );
    expect(await accounts()).toMatchObject([
      { platform, accountName: "Ada", status: "active", mode: "sandbox" },
    ]);
    expect(await missingScopes()).toEqual([null]);
  });

  test("asks for no more than it says", async () => {
    const { consent, needs } = connectorOf(platform);
    expect(consent).toBeDefined();
    const { required: always = [], optional: others = [], usual = others } = consent ?? {};
    expect([...always, ...others]).toEqual(expect.arrayContaining([...needs.scopes]));
    expect(needs.scopes).toEqual(expect.arrayContaining([...always, ...usual]));
    expect(consent?.asks).toMatch(/^[A-Z].*\.$/);
  });

  test("connects nothing for a person who says no", async () => {
    const page = await walk(platform, { decision: "refuse" });
    expect(page.location).toContain(`status=failed&platform=${platform}&error=declined`);
    expect(await accounts()).toEqual([]);
  });

  test("names the permission that is needed and was left out", async () => {
    const page = await walk(platform, { without: [required] });
    const { searchParams } = new URL(page.location ?? "");
    expect(searchParams.get("error"), page.location ?? "").toBe("incomplete");
    expect(searchParams.get("message")).toContain(required);
    expect(await accounts()).toEqual([]);
  });

  test("notes the permission that was left out and may be", async () => {
    if (optional === null) return;
    await connect({ without: [optional] });
    expect(await accounts()).toMatchObject([{ accountName: "Ada", status: "active" }]);
    expect(await missingScopes()).toEqual([optional]);
  });

  test("connects the same account again under its id, with what is granted now", async () => {
    if (optional !== null) await connect({ without: [optional] });
    else await connect();
    await connect();
    expect(await accounts()).toHaveLength(1);
    expect(await missingScopes()).toEqual([null]);
  });

  test("connects as many of those to choose from as are chosen", async () => {
    if (choices === null) return;
    const page = await choose(await walk(platform), choices);
    expect(page.location).toContain("status=connected");
    expect((await accounts()).map(({ accountName }) => accountName).sort()).toEqual(
      [...choices].sort(),
    );
  });
});

describe("the permission to delete", () => {
  const FORCE_SSL = "https://www.googleapis.com/auth/youtube.force-ssl";
  const grantedScopes = () =>
    env.DB.prepare("SELECT granted_scopes FROM accounts WHERE team_id = ?")
      .bind(owner.teamId)
      .first("granted_scopes");

  test.each<[Platform, string]>([
    ["youtube", ""],
    ["threads", "threads_manage_insights threads_manage_replies threads_read_replies"],
  ])("is not asked for by %s", async (platform, granted) => {
    await walk(platform);
    expect(await grantedScopes()).toBe(granted);
    expect(await missingScopes()).toEqual([null]);
  });

  test.each<[Platform, string[]]>([
    ["youtube", [FORCE_SSL]],
    ["threads", ["threads_manage_insights", "threads_delete"]],
  ])("is asked for by %s once APP_SCOPES names it", async (platform, scopes) => {
    harness = harnessWith({ appScopes: { [platform]: scopes } });
    owner = await createMember();
    browser = new Browser(harness);
    await walk(platform);
    expect(await grantedScopes()).toBe(scopes.join(" "));
    await walk(platform, { without: [scopes.at(-1) ?? ""] });
    expect(await grantedScopes()).toBe(scopes.slice(0, -1).join(" "));
    expect(await missingScopes()).toEqual([scopes.at(-1)]);
  });
});

test("a choice that could not be stored can be made again", async () => {
  const page = await walk("linkedin");
  await env.DB.exec(
    "CREATE TRIGGER no_account BEFORE INSERT ON accounts BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  expect((await choose(page, ["Ada Works"])).status).toBe(500);
  await env.DB.exec("DROP TRIGGER no_account");
  expect((await choose(page, ["Ada Works"])).location).toContain("status=connected");
  expect(await accounts()).toMatchObject([{ accountName: "Ada Works" }]);
});

test("a person who manages a chain chooses locations, without those that may not post", async () => {
  const page = await walk("google_business", { name: "Ada, chain of 3" });
  expect([...choicesOf((await browser.get(page.location ?? "")).html).keys()]).toEqual([
    "Ada, chain of 3",
    "Ada, chain of 3, number 2",
  ]);
  await choose(page, ["Ada, chain of 3, number 2"]);
  expect(await accounts()).toMatchObject([
    { accountName: "Ada, chain of 3, number 2", platform: "google_business" },
  ]);
});

test.each([
  ["no location", "manages no location"],
  ["no posts", "does not let programs publish"],
  ["no quota", "quota is 0"],
])("a person at Google with %s connects nothing, and is told why", async (name, words) => {
  const page = await walk("google_business", { name: `Ada, ${name}` });
  expect(decodeURIComponent(page.location ?? "").replaceAll("+", " ")).toContain(words);
  expect(await accounts()).toEqual([]);
});

test("a LinkedIn member who agrees to no pages connects alone", async () => {
  const page = await walk("linkedin", { without: ["rw_organization_admin"] });
  expect(page.location).toContain("status=connected");
  expect(await accounts()).toMatchObject([{ accountName: "Ada" }]);
  expect(await missingScopes()).toEqual(["rw_organization_admin"]);
});

describe("a live LinkedIn app", () => {
  const appKeys = { linkedin: { clientId: "id", clientSecret: "secret" } };
  const PAGES = ["r_organization_social", "w_organization_social", "rw_organization_admin"];

  /** Returns the requested permissions. */
  async function connectLive(appScopes: Config["appScopes"]) {
    harness = harnessWith({ appKeys, appScopes });
    owner = await createMember();
    browser = new Browser(harness);
    const { teamId } = owner;
    const origin = { teamId, accountId: null, uploadId: null };
    harness.network = createSandboxFetch(env.SANDBOX_STATE, origin);
    const json = { platform: "linkedin" };
    const start = await harness.call("POST", "/accounts", { token: owner.token, json });
    const address = await openConsentPage(browser, start.body.authorizationUrl);
    const scopes = new URL(address).searchParams.get("scope")?.split(" ") ?? [];
    const body = new URLSearchParams({ name: "Ada", decision: "allow" });
    for (const scope of scopes) body.append("scope", scope);
    const init = { method: "POST", body, redirect: "manual" } as const;
    const callback = (await harness.network(address, init)).headers.get("location");
    return { scopes, page: await comeBack(browser, pathOf(callback)) };
  }

  test("of the usual kind connects people, and misses nothing that it cannot ask for", async () => {
    const { scopes, page } = await connectLive({});
    expect(scopes).toEqual(["openid", "profile", "w_member_social"]);
    expect(page.html).toContain("Ada is connected");
    expect(await missingScopes()).toEqual([null]);
  });

  test("with the Community Management API connects pages too", async () => {
    const { scopes, page } = await connectLive({ linkedin: PAGES });
    expect(scopes).toEqual(expect.arrayContaining(PAGES));
    expect(page.location).toMatch(/^\/oauth\/choose\/\d+$/);
  });
});

test("a Google account without a channel is told so", async () => {
  const page = await walk("youtube", { name: "Ada, no channel" });
  const { searchParams } = new URL(page.location ?? "");
  expect(searchParams.get("error")).toBe("no_account");
  expect(searchParams.get("message")).toContain("no YouTube channel");
  expect(await accounts()).toEqual([]);
});
