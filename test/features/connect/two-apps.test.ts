import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { comeBack, openConsentPage, pathOf } from "../../support/consent.ts";
import {
  createMember,
  form,
  type Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { Browser, type Page } from "../../support/person.ts";

/** The simulator knows the products of these apps by their ids. */
const PEOPLE = { clientId: "sandbox-people", clientSecret: "secret" };
const PAGES = { clientId: "sandbox-pages", clientSecret: "secret" };

const FOR_PEOPLE = ["openid", "profile", "w_member_social"];
const FOR_PAGES = [
  "r_basicprofile",
  "w_member_social",
  "w_organization_social",
  "r_organization_social",
  "rw_organization_admin",
];
const OPTIONAL = ["r_organization_social_feed", "r_member_postAnalytics"];

const BOTH = { linkedin: PEOPLE, linkedin_pages: PAGES };

interface Call {
  url: URL;
  form: URLSearchParams;
}

interface Scene {
  harness: Harness;
  owner: Member;
  browser: Browser;
  calls: Call[];
  /** A member's id is the same in every team, and an account belongs to one team. */
  name: string;
}

async function open(
  appKeys: Config["appKeys"],
  config: Partial<Config> = {},
  owner?: Member,
): Promise<Scene> {
  const harness = harnessWith({ appKeys, ...config });
  owner ??= await createMember();
  const calls: Call[] = [];
  const network = createSandboxFetch(env.SANDBOX_STATE, {
    teamId: owner.teamId,
    accountId: null,
    uploadId: null,
  });
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    const body = new TextDecoder().decode(await request.clone().arrayBuffer());
    const fields = new URLSearchParams(request.url.includes("/oauth/") ? body : "");
    calls.push({ url: new URL(request.url), form: fields });
    return network(request, init);
  };
  return { harness, owner, browser: new Browser(harness), calls, name: `Ada ${owner.teamId}` };
}

const start = ({ harness, owner }: Scene, json: object) =>
  harness.call("POST", "/accounts", {
    token: owner.token,
    json: { platform: "linkedin", ...json },
  });

/** Agrees at the consent page; returns what was asked for and the page behind the callback. */
async function agree({ harness, browser, name }: Scene, authorizationUrl: string) {
  const address = await openConsentPage(browser, authorizationUrl);
  const { searchParams } = new URL(address);
  const scopes = searchParams.get("scope")?.split(" ") ?? [];
  const body = new URLSearchParams({ name, decision: "allow" });
  for (const scope of scopes) body.append("scope", scope);
  const reply = await harness.network(address, { method: "POST", body, redirect: "manual" });
  const page = await comeBack(browser, pathOf(reply.headers.get("location")));
  return { clientId: searchParams.get("client_id"), scopes, page };
}

async function connect(scene: Scene, json: object = {}) {
  const answer = await start(scene, json);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return agree(scene, answer.body.authorizationUrl);
}

/** The names to choose from, in their order, and the values by name. */
async function choicesOf(browser: Browser, page: Page) {
  expect(page.location, page.html).toMatch(/^\/oauth\/choose\/\d+$/);
  const path = page.location ?? "";
  const { html } = await browser.get(path);
  const pairs = [
    ...html.matchAll(/name="account" value="([^"]+)"[^>]*>\s*<span>\s*<bdi>([^<]+?)</g),
  ];
  const values = new Map(pairs.map(([, value = "", name = ""]) => [name, value]));
  const choose = (...names: string[]) =>
    browser.post(path, { account: names.map((name) => values.get(name) ?? "none") });
  return { names: [...values.keys()], choose };
}

interface Row {
  account_name: string;
  platform_account_id: string;
  platform_user_id: string;
  handle: string | null;
  app: string | null;
  granted_scopes: string | null;
  status: string;
}

const rowsOf = async ({ owner }: Scene): Promise<Row[]> => {
  const query = env.DB.prepare(
    "SELECT * FROM accounts WHERE team_id = ? AND deleted_at IS NULL ORDER BY app, account_name",
  );
  return (await query.bind(owner.teamId).all<Row>()).results;
};

/** Seconds. Access tokens live 60 days. */
const TOKENS_END = 61 * 86_400;

/** Returns the post's status. */
async function publish(
  { harness, owner: { token } }: Scene,
  accountId: string,
  description = `Hello of ${accountId}`,
): Promise<string> {
  const body = form({ accountId, description });
  const post = await harness.call("POST", "/upload", { token, body });
  expect(post.body, JSON.stringify(post.body)).toMatchObject({ success: true });
  await harness.drain();
  const read = await harness.call("GET", `/upload/${post.body.data.uploadId}`, { token });
  return read.body.data.status;
}

const refused = (field: string, ...words: string[]) => ({
  status: 400,
  body: {
    success: false,
    errors: [
      {
        field,
        message: expect.stringMatching(new RegExp(words.map((word) => `(?=.*${word})`).join(""))),
      },
    ],
  },
});

describe("with two pairs of keys", () => {
  test("people connect by the people's app", async () => {
    const scene = await open(BOTH);
    const { clientId, scopes, page } = await connect(scene, { type: "person" });
    expect([clientId, scopes]).toEqual([PEOPLE.clientId, FOR_PEOPLE]);
    expect(page.html).toContain(" is connected");
    expect(await rowsOf(scene)).toMatchObject([
      { account_name: scene.name, app: null, granted_scopes: "", status: "active" },
    ]);
  });

  test("pages connect by the pages' app, with the member whose id differs there", async () => {
    const scene = await open(BOTH);
    const { name } = scene;
    await connect(scene);
    const { clientId, scopes, page } = await connect(scene, { type: "page" });
    expect([clientId, scopes]).toEqual([PAGES.clientId, [...FOR_PAGES, ...OPTIONAL]]);
    const { names, choose } = await choicesOf(scene.browser, page);
    expect(names).toEqual([`${name} Works`, `${name} Foundation`, name]);
    expect((await choose(`${name} Works`, name)).status).toBe(303);
    const [person, ...others] = await rowsOf(scene);
    const app = "linkedin_pages";
    const granted_scopes = OPTIONAL.join(" ");
    expect(others).toMatchObject([
      { account_name: name, handle: expect.stringMatching(/^ada_/), app, granted_scopes },
      {
        account_name: `${name} Works`,
        handle: expect.stringMatching(/_works$/),
        app,
        granted_scopes,
      },
    ]);
    const [member, works] = others;
    expect(works?.platform_account_id).toMatch(/^urn:li:organization:/);
    expect(member?.platform_account_id).not.toBe(person?.platform_account_id);
    expect(works?.platform_user_id).toBe(member?.platform_account_id);
    expect(scene.calls.map(({ url }) => url.pathname)).toContain("/v2/me");
  });

  test("renewing and revoking use the keys of the login's app", async () => {
    const scene = await open(BOTH);
    const { harness, owner, calls } = scene;
    await connect(scene);
    const page = await connect(scene, { type: "page" });
    const { choose } = await choicesOf(scene.browser, page.page);
    await choose(`${scene.name} Works`);
    harness.advance(TOKENS_END);
    const { body } = await harness.call("GET", "/accounts", { token: owner.token });
    calls.length = 0;
    for (const { id } of body.data) expect(await publish(scene, id)).toBe("completed");
    for (const { id } of body.data) {
      await harness.call("DELETE", `/accounts/${id}`, { token: owner.token });
    }
    await harness.settle();
    const logins = calls.filter(({ url }) => url.pathname.startsWith("/oauth/"));
    expect(
      logins.map(({ url, form }) => [url.pathname.split("/").at(-1), form.get("client_id")]).sort(),
    ).toEqual([
      ["accessToken", PAGES.clientId],
      ["accessToken", PEOPLE.clientId],
      ["revoke", PAGES.clientId],
      ["revoke", PEOPLE.clientId],
    ]);
    expect(harness.logs).not.toContainEqual(
      expect.objectContaining({ event: "account.revoke_failed" }),
    );
  });

  test("a post that is refused for a permission names the permissions of the login's app", async () => {
    const scene = await open(BOTH);
    const { harness, owner } = scene;
    const { page } = await connect(scene, { type: "page" });
    await (await choicesOf(scene.browser, page)).choose(scene.name);
    const { network } = harness;
    harness.network = (input, init) =>
      new Request(input, init).url.endsWith("/rest/posts")
        ? Promise.resolve(Response.json({ code: "ACCESS_DENIED", message: "No" }, { status: 403 }))
        : network(input, init);
    const id = await idOf(scene);
    expect(await publish(scene, id)).toBe("failed");
    const { body } = await harness.call("GET", `/upload?accountId=${id}`, { token: owner.token });
    expect(JSON.stringify(body)).toContain(`(${[...FOR_PAGES, ...OPTIONAL].join(", ")})`);
    expect(await rowsOf(scene)).toMatchObject([{ status: "active" }]);
  });

  test("an account is connected again by the app that it came from", async () => {
    const scene = await open(BOTH);
    const { owner } = scene;
    const { page } = await connect(scene, { type: "page" });
    await (await choicesOf(scene.browser, page)).choose(scene.name, `${scene.name} Works`);
    const before = await rowsOf(scene);
    const browser = await new Browser(scene.harness).signIn(owner);
    const { body } = await scene.harness.call("GET", "/accounts", { token: owner.token });
    for (const { id } of body.data) {
      const sent = await browser.post(`/app/accounts/${id}/reconnect`, {});
      expect(new URL(sent.location ?? "").searchParams.get("client_id")).toBe(PAGES.clientId);
      const body = new URLSearchParams({ name: scene.name, decision: "allow" });
      for (const scope of [...FOR_PAGES, ...OPTIONAL]) body.append("scope", scope);
      const init = { method: "POST", body, redirect: "manual" } as const;
      const reply = await scene.harness.network(sent.location ?? "", init);
      const end = await comeBack(browser, pathOf(reply.headers.get("location")));
      expect(end.location, end.html).toContain(`/app/accounts/${id}`);
    }
    const ids = (rows: Row[]) => rows.map((row) => row.platform_account_id);
    expect(ids(await rowsOf(scene))).toEqual(ids(before));
  });

  test("APP_SCOPES chooses the optional permissions of the pages' app", async () => {
    const appScopes = { linkedin_pages: ["r_member_postAnalytics"] };
    const { scopes } = await connect(await open(BOTH, { appScopes }), { type: "page" });
    expect(scopes).toEqual([...FOR_PAGES, "r_member_postAnalytics"]);
  });

  test("a client's link leads to the pages' app", async () => {
    const scene = await open(BOTH);
    const { harness, owner, browser } = scene;
    const json = { platform: "linkedin", type: "page" };
    const made = await harness.call("POST", "/whitelabel/links", { token: owner.token, json });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const path = pathOf(made.body.data.url);
    expect((await browser.get(path)).html).toContain("choose pages, or yourself");
    const opened = await browser.post(path, {});
    expect(new URL(opened.location ?? "").searchParams.get("client_id")).toBe(PAGES.clientId);
  });

  test("the page of accounts and the page of links offer pages", async () => {
    const { browser, owner } = await open(BOTH, { sandboxEnabled: false });
    await browser.signIn(owner);
    expect((await browser.get("/app/accounts")).html).toContain("Connect LinkedIn pages");
    expect((await browser.get("/app/connection-pages")).html).toContain(
      'value="linkedin/live/page"',
    );
    const sent = await browser.post("/app/accounts/connect", {
      platform: "linkedin",
      type: "page",
      mode: "live",
    });
    expect(new URL(sent.location ?? "").searchParams.get("client_id")).toBe(PAGES.clientId);
  });
});

describe("figures of a member", () => {
  const sync = ({ harness, owner }: Scene, id: string) =>
    harness.call("POST", `/analytics/${id}/sync`, { token: owner.token });

  test("are read where the login has the permission, and not twice a day", async () => {
    const scene = await open(BOTH);
    const { harness, calls } = scene;
    const { page } = await connect(scene, { type: "page" });
    await (await choicesOf(scene.browser, page)).choose(scene.name);
    const id = await idOf(scene);
    for (let i = 0; i < 2; i++) expect(await publish(scene, id, `Post ${i}`)).toBe("completed");
    harness.advance(7 * 86_400);
    calls.length = 0;
    const { body } = await sync(scene, id);
    expect(body.data, JSON.stringify(body)).toMatchObject({ syncErrors: [] });
    expect(body.data.videos).toHaveLength(2);
    expect(body.data.overview.totalViews).toBeGreaterThan(0);
    const asked = () => calls.filter(({ url }) => url.pathname.endsWith("PostAnalytics")).length;
    expect(asked()).toBe(8);
    await sync(scene, id);
    expect(asked()).toBe(8);
  });

  test("are not asked for without the permission", async () => {
    const scene = await open(BOTH);
    await connect(scene);
    const id = await idOf(scene);
    expect(await publish(scene, id)).toBe("completed");
    scene.calls.length = 0;
    const { status } = await sync(scene, id);
    expect(status).toBe(200);
    expect(scene.calls).toEqual([]);
  });
});

describe("with the people's pair alone", () => {
  const ONE = { linkedin: PEOPLE };

  test("people connect", async () => {
    const { page } = await connect(await open(ONE));
    expect(page.html).toContain(" is connected");
  });

  test("pages are refused, with the variables to set", async () => {
    const scene = await open(ONE);
    const words = ["LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_SECRET"];
    expect(await start(scene, { type: "page" })).toMatchObject(refused("type", ...words));
    const { harness, owner } = scene;
    const json = { platform: "linkedin", type: "page" };
    const link = await harness.call("POST", "/whitelabel/links", { token: owner.token, json });
    expect(link).toMatchObject(refused("type", ...words));
  });

  test("pages are not offered", async () => {
    const { browser, owner } = await open(ONE, { sandboxEnabled: false });
    await browser.signIn(owner);
    expect((await browser.get("/app/accounts")).html).not.toContain("LinkedIn pages");
    expect((await browser.get("/app/connection-pages")).html).not.toContain("/page");
  });

  test("pages that are listed in APP_SCOPES are refused by LinkedIn, and the answer says so", async () => {
    const appScopes = { linkedin: ["w_organization_social", "rw_organization_admin"] };
    const { page } = await connect(await open(ONE, { appScopes }));
    expect(page.html).toContain("the permission w_organization_social");
    expect(page.html).toContain("APP_SCOPES");
  });

  test("an older app with every product goes on to connect pages", async () => {
    const older = { linkedin: { clientId: "older", clientSecret: "secret" } };
    const appScopes = { linkedin: ["w_organization_social", "rw_organization_admin"] };
    const scene = await open(older, { appScopes });
    const { name } = scene;
    const pages = [`${name} Works`, `${name} Foundation`];
    for (const [type, names] of [
      ["person", [name, ...pages]],
      ["page", [...pages, name]],
    ] as const) {
      const { clientId, scopes, page } = await connect(scene, { type });
      expect([clientId, scopes]).toEqual(["older", [...FOR_PEOPLE, ...appScopes.linkedin]]);
      const choices = await choicesOf(scene.browser, page);
      expect(choices.names).toEqual(names);
      await choices.choose(`${name} Works`);
    }
    expect(await rowsOf(scene)).toMatchObject([{ account_name: `${name} Works`, app: null }]);
  });
});

describe("with the pages' pair alone", () => {
  const ONE = { linkedin_pages: PAGES };

  test.each([{}, { type: "person" }])("people connect by it: %j", async (json) => {
    const scene = await open(ONE);
    const { clientId, page } = await connect(scene, json);
    expect(clientId).toBe(PAGES.clientId);
    const { names, choose } = await choicesOf(scene.browser, page);
    expect(names).toEqual([scene.name, `${scene.name} Works`, `${scene.name} Foundation`]);
    await choose(scene.name);
    const [person] = await rowsOf(scene);
    expect(person).toMatchObject({ account_name: scene.name, app: "linkedin_pages" });
    expect(person?.platform_account_id).toMatch(/^urn:li:person:/);
    expect(await publish(scene, await idOf(scene))).toBe("completed");
  });

  test("logins that are given by tokens are asked for at /v2/me", async () => {
    const scene = await open(ONE);
    const credentials = { accessToken: "sandbox.linkedin.Ada" };
    expect(await start(scene, { credentials })).toMatchObject({ status: 200 });
    expect(scene.calls.map(({ url }) => url.pathname)).toEqual(["/v2/me"]);
    expect(await rowsOf(scene)).toMatchObject([{ app: "linkedin_pages", granted_scopes: null }]);
  });
});

const idOf = async ({ harness, owner }: Scene): Promise<string> =>
  (await harness.call("GET", "/accounts", { token: owner.token })).body.data[0].id;

describe("with the pairs swapped", () => {
  const SWAPPED = { linkedin: PAGES, linkedin_pages: PEOPLE };

  test.each([
    ["person", "openid", "LINKEDIN_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_ID"],
    ["page", "r_basicprofile", "LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_CLIENT_ID"],
  ])("a %s is refused, and the answer names both variables", async (type, scope, own, other) => {
    const scene = await open(SWAPPED);
    const answer = await start(scene, { type, redirectUrl: "https://client.example/done" });
    const { page } = await agree(scene, answer.body.authorizationUrl);
    const { searchParams } = new URL(page.location ?? "");
    expect(searchParams.get("error")).toBe("refused");
    const message = searchParams.get("message") ?? "";
    expect(message).toMatch(
      new RegExp(`^LinkedIn does not let the app of ${own} ask for the permission ${scope}\\.`),
    );
    expect(message).toMatch(new RegExp(`\\b${other}\\b`));
    expect(await rowsOf(scene)).toEqual([]);
  });

  test("a login of the other app is not renewed", async () => {
    const scene = await open(BOTH);
    await connect(scene);
    const swapped = await open(SWAPPED, {}, scene.owner);
    swapped.harness.advance(TOKENS_END);
    expect(await publish(swapped, await idOf(scene))).not.toBe("completed");
    expect(swapped.calls.map(({ form }) => form.get("client_id"))).toContain(PAGES.clientId);
  });
});

describe("bad input", () => {
  test.each([
    ["LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_SECRET"],
    ["LINKEDIN_PAGES_CLIENT_SECRET", "LINKEDIN_PAGES_CLIENT_ID"],
  ])("of a pair with %s alone, the other is named", async (set, missing) => {
    const scene = await open({ linkedin: PEOPLE }, { halfAppKeys: [set] });
    expect(await start(scene, { type: "page" })).toMatchObject(
      refused("type", `${set} is set`, `has to set ${missing} too`),
    );
  });

  test("a half-set pair of the people's app is not replaced by the pages' app", async () => {
    const scene = await open({ linkedin_pages: PAGES }, { halfAppKeys: ["LINKEDIN_CLIENT_ID"] });
    expect(await start(scene, {})).toMatchObject(
      refused("platform", "LINKEDIN_CLIENT_ID is set", "has to set LINKEDIN_CLIENT_SECRET too"),
    );
  });

  test.each(["facebook", "x"])("a page of %s is refused", async (platform) => {
    const scene = await open(BOTH);
    expect(await start(scene, { platform, type: "page" })).toMatchObject(
      refused("type", "for linkedin alone"),
    );
    const { harness, owner } = scene;
    const json = { platform, type: "page" };
    const link = await harness.call("POST", "/whitelabel/links", { token: owner.token, json });
    expect(link).toMatchObject(refused("type", "for linkedin alone"));
  });

  test("another type is refused", async () => {
    expect(await start(await open(BOTH), { type: "group" })).toMatchObject({ status: 400 });
  });

  test("a page's tokens without the page are refused", async () => {
    const credentials = { accessToken: "sandbox.linkedin.Ada" };
    expect(await start(await open(BOTH), { type: "page", credentials })).toMatchObject(
      refused("pageId", "which page"),
    );
  });
});

test("in the sandbox, pages are connected by a simulated app for pages", async () => {
  const { harness, owner, browser } = await open({});
  const json = { platform: "linkedin", type: "page", mode: "sandbox" };
  const answer = await harness.call("POST", "/accounts", { token: owner.token, json });
  const address = await openConsentPage(browser, answer.body.authorizationUrl);
  const { html } = await browser.get(address);
  expect(html).toContain("r_basicprofile");
  expect(html).not.toContain("openid");
});
