import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { setupOf } from "../../../src/features/setup/rules.ts";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { connectors } from "../../../src/platforms/registry.ts";
import { createMember, type Harness, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

const ORIGIN = "https://akimbo.test";
const KEYS = { clientId: "the-client-id", clientSecret: "the-client-secret" };

let owner: Member;
let member: Member;

beforeEach(async () => {
  // The first person owns the instance.
  owner ??= await createMember();
  member ??= await createMember();
});

async function opened(
  config: Parameters<typeof harnessWith>[0] = {},
  who = owner,
): Promise<{ harness: Harness; browser: Browser }> {
  const harness = harnessWith(config);
  return { harness, browser: await new Browser(harness).signIn(who) };
}

const cardOf = (html: string, platform: string): string =>
  /<section[\s\S]*?<\/section>/.exec(
    html.slice(html.indexOf(`aria-labelledby="${platform}"`) - 60),
  )?.[0] ?? "";

const stepOf = (html: string, id: string): string =>
  html.slice(html.indexOf(`<li class="card" id="${id}"`)).split('<li class="card"')[1] ?? "";

describe("the setup pages", () => {
  test("lead from the overview to each platform", async () => {
    const { browser } = await opened();
    const { html, status } = await browser.get("/app/setup");
    expect(status).toBe(200);
    for (const { platform, name } of connectors()) {
      const card = cardOf(html, platform);
      expect(card).toContain(`<a href="/app/setup/${platform}">${name}</a>`);
      expect(card).toMatch(/[01] of (?:the )?\d+ steps (?:for everybody )?are done/);
    }
  });

  test.each(connectors().map((one) => [one.platform, one] as const))(
    "of %s says what to register, what to set, and what is asked for, step by step",
    async (platform, connector) => {
      const { browser } = await opened();
      const { html, status } = await browser.get(`/app/setup/${platform}`);
      expect(status).toBe(200);
      const { variables, addresses, required, optional } = setupOf(connector, ORIGIN);
      for (const name of variables) expect(html).toContain(`<code>${name}</code> is missing`);
      for (const { url } of addresses) expect(html).toContain(`>${url}</code>`);
      for (const scope of [...required, ...optional]) expect(html).toContain(scope);
      expect(html).not.toContain("/check");
      const steps = await connector.setupSteps();
      for (const [index, step] of steps.entries()) {
        const card = stepOf(html, step.id);
        expect(card).toContain(`${index + 1}. ${step.title.replaceAll("'", "&#39;")}`);
        expect(card).toContain(`href="${step.page}"`);
        if (step.submission) expect(card).toContain("What the app does");
      }
    },
  );

  test("show the state of the keys by name, and never a value", async () => {
    const { browser } = await opened({
      appKeys: { x: KEYS },
      halfAppKeys: ["YOUTUBE_CLIENT_ID"],
      appScopes: { linkedin: ["openid", "own_scope"] },
    });
    const overview = await browser.get("/app/setup");
    expect(cardOf(overview.html, "x")).toContain("Keys are set");
    expect(cardOf(overview.html, "youtube")).toContain("To be mended");
    const pages = await Promise.all(
      ["x", "youtube", "linkedin"].map((name) => browser.get(`/app/setup/${name}`)),
    );
    const [x = "", youtube = "", linkedin = ""] = pages.map(({ html }) => html);
    expect(x).toContain("<code>X_CLIENT_SECRET</code> is set");
    expect(x).toContain('action="/app/setup/x/check"');
    expect(youtube).toContain("<code>YOUTUBE_CLIENT_ID</code> is set");
    expect(youtube).toContain("<code>YOUTUBE_CLIENT_SECRET</code> is missing");
    expect(linkedin).toContain("<code>openid</code>, by <code>APP_SCOPES</code>");
    expect(linkedin).toContain("APP_SCOPES asks linkedin for own_scope, which is not");
    expect(cardOf(overview.html, "linkedin")).toContain("To be mended");
    for (const { html } of [overview, ...pages]) {
      expect(html).not.toContain(KEYS.clientId);
      expect(html).not.toContain(KEYS.clientSecret);
    }
  });

  test("say that Bluesky needs no app, and what its key is for", async () => {
    const { browser } = await opened({ appKeys: {} });
    const { html } = await browser.get("/app/setup/bluesky");
    expect(html).toContain("Needs no app");
    expect(html).toContain("<code>BLUESKY_KEY</code> is missing");
    expect(html).toContain("end after two weeks");
    expect(html).toContain(`${ORIGIN}/oauth/bluesky/client-metadata.json`);
    const withKey = await opened({ appKeys: { bluesky: KEYS } });
    const { html: keyed } = await withKey.browser.get("/app/setup/bluesky");
    expect(keyed).toContain("<code>BLUESKY_KEY</code> is set");
    expect(stepOf(keyed, "key")).toContain("Done");
  });

  test("name what is wrong, and lead to the step that mends it", async () => {
    const { browser } = await opened({
      appKeys: {
        facebook: { clientId: "123", clientSecret: "secret" },
        instagram: { clientId: "123", clientSecret: "secret" },
        threads: { clientId: "123", clientSecret: "secret" },
      },
      halfAppKeys: ["X_CLIENT_ID"],
    });
    const { html } = await browser.get("/app/setup");
    expect(cardOf(html, "x")).toMatch(
      /X_CLIENT_SECRET is missing\. Step 4 mends it: Set the keys\./,
    );
    for (const platform of ["instagram", "threads"]) {
      const name = platform.toUpperCase();
      const card = cardOf(html, platform);
      expect(card).toContain(`${name}_CLIENT_ID has the value of FACEBOOK_CLIENT_ID.`);
      expect(card).toContain(`href="/app/setup/${platform}#keys"`);
    }
    expect(cardOf(html, "facebook")).not.toContain("mends it");
    const page = await browser.get("/app/setup/instagram");
    expect(stepOf(page.html, "keys")).toContain("To be mended");
  });

  test("are for nobody but the owner of the instance, who alone is led to them", async () => {
    const { browser } = await opened({}, member);
    for (const path of ["/app/setup", "/app/setup/x", "/app/setup/myspace"]) {
      const refused = await browser.get(path);
      expect(refused.status).toBe(403);
      expect(refused.html).toContain("Only the owner of this instance");
      expect(refused.html).not.toContain("CLIENT_ID");
    }
    expect((await browser.get("/app/accounts")).html).not.toContain("/app/setup");
    const own = await opened();
    expect((await own.browser.get("/app/accounts")).html).toContain('href="/app/setup"');
  });

  test.each(["myspace", "X", "%3Cscript%3E"])("do not exist for %s", async (platform) => {
    const { browser } = await opened();
    expect((await browser.get(`/app/setup/${platform}`)).status).toBe(404);
  });

  test("lead reviewers through pages that exist", async () => {
    const { browser } = await opened();
    const steps = await Promise.all(connectors().map((one) => one.setupSteps()));
    const pages = new Set(
      steps.flat().flatMap(({ submission }) => submission?.recording.map(({ page }) => page) ?? []),
    );
    pages.delete(null);
    expect(pages.size).toBeGreaterThan(4);
    for (const page of pages) {
      const { status, location } = await browser.get(page ?? "");
      expect([page, status === 200 || location === "/app"]).toEqual([page, true]);
    }
    const { html } = await browser.get("/app/accounts");
    expect(html).toContain("Connect an account");
  });
});

describe("what stands before and after the steps", () => {
  test("says how variables are set, who runs the instance, and how reviewers get in", async () => {
    const { browser } = await opened();
    const { html } = await browser.get("/app/setup");
    expect(html).toContain("npx wrangler secret put NAME");
    expect(html).toContain("the two pages do not say it yet");
    expect(html).toContain("This instance sends no mail");
    expect(html).toContain('href="/docs/connect#let-reviewers-in"');
    expect(html).not.toContain("only this computer reaches");
  });

  test("warns of addresses that only this computer reaches", async () => {
    const publicUrl = "http://localhost:8797";
    const browser = await new Browser(harnessWith({ publicUrl })).signIn(owner, publicUrl);
    for (const path of ["/app/setup", "/app/setup/youtube"]) {
      const { html } = await browser.get(path);
      expect(html).toContain("http://localhost:8797, which only this computer reaches");
      expect(html).toContain("<code>.dev.vars</code>, then start <code>npm start</code> again");
    }
  });

  test("shows both apps of LinkedIn", async () => {
    const { browser } = await opened({ appKeys: { linkedin: KEYS } });
    const { html } = await browser.get("/app/setup/linkedin");
    expect(html).toContain("<code>LINKEDIN_CLIENT_ID</code> is set");
    expect(html).toContain("<code>LINKEDIN_PAGES_CLIENT_ID</code> is not set");
    expect(html).toContain("6 more are needed only in the case");
  });

  test("leads on to the first account and to a rehearsal once the keys are set", async () => {
    const { browser } = await opened({ appKeys: { x: KEYS } });
    expect((await browser.get("/app/setup/x")).html).toContain("npm run cli -- rehearse x");
    expect((await browser.get("/app/setup/tiktok")).html).not.toContain("rehearse");
  });

  test("stands on the home page of the owner while no platform has an app", async () => {
    const home = async (who: Member, config = {}) =>
      (await (await opened(config, who)).browser.get("/app")).html;
    expect(await home(owner)).toContain('href="/app/setup"');
    expect(await home(member)).not.toContain("/app/setup");
    expect(await home(owner, { appKeys: { x: KEYS } })).not.toContain("/app/setup");
  });

  test("names mistakes where accounts are connected, to the owner alone", async () => {
    const config = { halfAppKeys: ["X_CLIENT_ID"] };
    const mistake = '<a href="/app/setup/x">Setup of X</a>: X_CLIENT_SECRET is missing.';
    const own = await opened(config);
    expect((await own.browser.get("/app/accounts")).html).toContain(mistake);
    const other = await opened(config, member);
    expect((await other.browser.get("/app/accounts")).html).not.toContain("X_CLIENT_SECRET");
  });
});

describe("a tick", () => {
  const tick = (browser: Browser, step: string, done = "yes", platform = "tiktok") =>
    browser.post(`/app/setup/${platform}/steps`, { step, done });
  const ticks = async () =>
    (await env.DB.prepare("SELECT platform, step, source FROM setup_ticks").all()).results;

  beforeEach(async () => {
    await env.DB.prepare("DELETE FROM setup_ticks").run();
  });

  test("stays, may be set twice, and is taken back", async () => {
    const { browser } = await opened();
    const done = await tick(browser, "app");
    expect([done.status, done.location]).toEqual([303, "/app/setup/tiktok#app"]);
    expect((await tick(browser, "app")).status).toBe(303);
    expect(await ticks()).toEqual([{ platform: "tiktok", step: "app", source: "owner" }]);
    const later = await opened();
    const { html } = await later.browser.get("/app/setup/tiktok");
    expect(stepOf(html, "app")).toContain("Mark as open");
    expect(stepOf(html, "developer")).toContain("Mark as done");
    expect(cardOf((await later.browser.get("/app/setup")).html, "tiktok")).toContain("1 of ");
    expect((await tick(browser, "app", "no")).status).toBe(303);
    expect((await tick(browser, "app", "no")).status).toBe(303);
    expect(await ticks()).toEqual([]);
  });

  test("belongs to one platform", async () => {
    const { browser } = await opened();
    await tick(browser, "app", "yes", "x");
    const { html } = await browser.get("/app/setup/tiktok");
    expect(stepOf(html, "app")).toContain("Mark as done");
  });

  test.each([
    ["tiktok", "no-such-step"],
    ["tiktok", ""],
    ["tiktok", "<script>"],
    ["myspace", "app"],
  ])("of %s, step %o, is refused (404), and nothing is stored", async (platform, step) => {
    const { browser } = await opened();
    expect((await tick(browser, step, "yes", platform)).status).toBe(404);
    expect(await ticks()).toEqual([]);
  });

  test("is refused to anybody but the owner of the instance", async () => {
    const { browser } = await opened({}, member);
    expect((await tick(browser, "app")).status).toBe(403);
    expect(await ticks()).toEqual([]);
  });

  test("is set by the platform that knows the app, and taken back when it does not any more", async () => {
    const { harness, browser } = await opened({ appKeys: { tiktok: KEYS } });
    await tick(browser, "keys");
    harness.network = async () => Response.json({ access_token: "clt.1" });
    const right = await browser.post("/app/setup/tiktok/check");
    expect(right.html).toContain("TikTok knows the app");
    expect(stepOf(right.html, "keys")).toContain("Confirmed by the platform");
    expect(await ticks()).toEqual([{ platform: "tiktok", step: "keys", source: "platform" }]);
    const later = await browser.get("/app/setup/tiktok");
    expect(stepOf(later.html, "keys")).toContain("Confirmed by the platform");
    harness.network = async () => Response.json({ error: "invalid_client" }, { status: 401 });
    const wrong = await browser.post("/app/setup/tiktok/check");
    expect(stepOf(wrong.html, "keys")).toContain("To be mended");
    expect(wrong.html).toContain("Step 7 mends it: Set the keys.");
    expect(await ticks()).toEqual([]);
  });

  test("is not set for an app that is not published yet, and the page says what is missing", async () => {
    const { harness, browser } = await opened({
      appKeys: { tiktok: { clientId: "sb123", clientSecret: "secret" } },
    });
    harness.network = async () => Response.json({ access_token: "clt.1" });
    const { html } = await browser.post("/app/setup/tiktok/check");
    expect(stepOf(html, "review")).toContain("nothing it posts is public");
    expect(stepOf(html, "review")).toContain("Not done yet");
    expect(stepOf(html, "keys")).toContain("Confirmed by the platform");
  });
});

describe("the check of an app", () => {
  beforeEach(() => env.DB.exec("DELETE FROM setup_ticks"));

  const tickedSteps = async (platform: string) => {
    const rows = env.DB.prepare(
      "SELECT step FROM setup_ticks WHERE platform = ? AND source = 'platform'",
    );
    return (await rows.bind(platform).all<{ step: string }>()).results.map(({ step }) => step);
  };

  const check = async (network: Fetch, platform = "x", who = owner) => {
    const { harness, browser } = await opened({ appKeys: { x: KEYS } }, who);
    harness.network = network;
    return browser.post(`/app/setup/${encodeURIComponent(platform)}/check`);
  };
  const silent: Fetch = () => {
    throw new Error("Nobody is to be asked.");
  };

  test.each([
    ["refuses the keys", { error: "unauthorized_client" }, 401, "X does not know this instance"],
    [
      "knows the app",
      {
        error: "invalid_request",
        error_description: "Value passed for the authorization code was invalid.",
      },
      400,
      "X knows the app and its secret",
    ],
    ["has a problem", {}, 503, "X has a problem"],
  ])("tells in words when the platform %s", async (_, body, status, words) => {
    const urls: string[] = [];
    const page = await check(async (input) => {
      urls.push(new Request(input).url);
      return Response.json(body, { status });
    });
    expect(page.status).toBe(200);
    expect(page.html).toContain(words);
    expect(page.html).not.toContain(KEYS.clientSecret);
    expect(urls).toHaveLength(1);
  });

  test("asks about each app of a platform, and keeps what is confirmed of each", async () => {
    const { harness, browser } = await opened({
      appKeys: { linkedin: KEYS, linkedin_pages: KEYS },
    });
    const asked: string[] = [];
    harness.network = async (input) => {
      asked.push(await new Request(input).text());
      return asked.length === 1
        ? Response.json({ error: "access_denied" }, { status: 401 })
        : Response.json({ error: "invalid_client" }, { status: 401 });
    };
    const { html } = await browser.post("/app/setup/linkedin/check");
    expect(asked).toHaveLength(2);
    expect(html).toContain("LINKEDIN_PAGES_CLIENT_ID");
    expect(await tickedSteps("linkedin")).toEqual(["keys"]);
  });

  test("of a second app alone is possible", async () => {
    const { harness, browser } = await opened({ appKeys: { linkedin_pages: KEYS } });
    harness.network = async () => Response.json({ error: "access_denied" }, { status: 401 });
    const { html } = await browser.post("/app/setup/linkedin/check");
    expect(html).toContain("LinkedIn knows the app");
    expect(html).toContain("Keys are set");
    expect(await tickedSteps("linkedin")).toEqual(["pages-keys"]);
  });

  test("names the app that each answer is about", async () => {
    const { harness, browser } = await opened({
      appKeys: { linkedin: KEYS, linkedin_pages: KEYS },
    });
    harness.network = silent;
    const { html } = await browser.post("/app/setup/linkedin/check");
    for (const app of ["LINKEDIN", "LINKEDIN_PAGES"]) {
      expect(html).toContain(`${app}_CLIENT_ID: LinkedIn did not answer.`);
    }
  });

  test("has no button where the platform has no such call, and a reload leads to the page", async () => {
    const { browser } = await opened({ appKeys: { instagram: KEYS } });
    const { html } = await browser.get("/app/setup/instagram");
    expect(html).not.toContain("/check");
    const reload = await browser.get("/app/setup/x/check");
    expect([reload.status, reload.html.includes("Setup of X")]).toEqual([200, true]);
  });

  test("tells in words when nobody answers", async () => {
    expect((await check(silent)).html).toContain("X did not answer");
  });

  test.each([
    ["youtube", "Set YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET first"],
    ["bluesky", "Bluesky needs no app"],
  ])("refuses %o in words, and asks nobody", async (platform, words) => {
    const page = await check(silent, platform);
    expect(page.status).toBe(400);
    expect(page.html).toContain(words);
    expect(page.html).not.toContain("<script>");
  });

  test.each(["myspace", "<script>"])(
    "does not exist for %o (404), and asks nobody",
    async (platform) => {
      expect((await check(silent, platform)).status).toBe(404);
    },
  );

  test("is refused to anybody else, and asks nobody", async () => {
    const page = await check(silent, "x", member);
    expect(page.status).toBe(403);
    expect(page.html).toContain("Only the owner of this instance");
  });
});
