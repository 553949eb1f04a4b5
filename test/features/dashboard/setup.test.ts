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

describe("the setup page", () => {
  test("says of every platform what to register, what to set, and what is asked for", async () => {
    const { browser } = await opened();
    const { html, status } = await browser.get("/app/setup");
    expect(status).toBe(200);
    for (const connector of connectors()) {
      const { platform, variables, addresses, required, optional } = setupOf(connector, ORIGIN);
      const card = cardOf(html, platform);
      for (const name of variables) expect(card).toContain(`<code>${name}</code> is missing`);
      for (const { field, url } of addresses) {
        expect(card).toContain(field);
        expect(card).toContain(`>${url}</code>`);
      }
      for (const scope of [...required, ...optional]) expect(card).toContain(scope);
      expect(card).not.toContain("<button");
    }
    expect(cardOf(html, "facebook")).toContain(`${ORIGIN}/oauth/data-deletion/facebook`);
    expect(cardOf(html, "tiktok")).toContain(`${ORIGIN}/oauth/withdrawn/tiktok`);
    expect(cardOf(html, "tiktok")).not.toContain("data-deletion");
  });

  test("shows the state of the keys by name, and never a value", async () => {
    const { browser } = await opened({
      appKeys: { x: KEYS },
      halfAppKeys: ["YOUTUBE_CLIENT_ID"],
      appScopes: { linkedin: ["openid", "own_scope"] },
    });
    const { html } = await browser.get("/app/setup");
    const x = cardOf(html, "x");
    expect(x).toContain("Set up");
    expect(x).toContain("<code>X_CLIENT_SECRET</code> is set");
    expect(x).toContain('value="x"');
    const youtube = cardOf(html, "youtube");
    expect(youtube).toContain("Half set up");
    expect(youtube).toContain("<code>YOUTUBE_CLIENT_ID</code> is set");
    expect(youtube).toContain("<code>YOUTUBE_CLIENT_SECRET</code> is missing");
    expect(cardOf(html, "linkedin")).toContain("openid own_scope");
    expect(html).not.toContain(KEYS.clientId);
    expect(html).not.toContain(KEYS.clientSecret);
  });

  test("says that Bluesky needs no app, and what its key is for", async () => {
    const { browser } = await opened({ appKeys: {} });
    const without = cardOf((await browser.get("/app/setup")).html, "bluesky");
    expect(without).toContain("Needs no app");
    expect(without).toContain("<code>BLUESKY_KEY</code> is missing");
    expect(without).toContain("end after two weeks");
    expect(without).toContain(`${ORIGIN}/oauth/bluesky/client-metadata.json`);
    const withKey = await opened({ appKeys: { bluesky: KEYS } });
    const card = cardOf((await withKey.browser.get("/app/setup")).html, "bluesky");
    expect(card).toContain("<code>BLUESKY_KEY</code> is set");
    expect(card).not.toContain("two weeks");
  });

  test("is for nobody but the owner of the instance, who alone is led to it", async () => {
    const { browser } = await opened({}, member);
    const refused = await browser.get("/app/setup");
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("Only the owner of this instance");
    expect(refused.html).not.toContain("CLIENT_ID");
    expect((await browser.get("/app/accounts")).html).not.toContain("/app/setup");
    const own = await opened();
    expect((await own.browser.get("/app/accounts")).html).toContain('href="/app/setup"');
  });
});

describe("the check of an app", () => {
  const check = async (network: Fetch, platform = "x", who = owner) => {
    const { harness, browser } = await opened({ appKeys: { x: KEYS } }, who);
    harness.network = network;
    return browser.post("/app/setup/check", { platform });
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

  test("tells in words when nobody answers", async () => {
    expect((await check(silent)).html).toContain("X did not answer");
  });

  test.each([
    ["youtube", "Set YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET first"],
    ["bluesky", "Bluesky needs no app"],
    ["myspace", "Choose a platform"],
    ["<script>", "Choose a platform"],
    ["", "Choose a platform"],
  ])("refuses %o in words, and asks nobody", async (platform, words) => {
    const page = await check(silent, platform);
    expect(page.status).toBe(400);
    expect(page.html).toContain(words);
    expect(page.html).not.toContain("<script");
  });

  test("is refused to anybody else, and asks nobody", async () => {
    const page = await check(silent, "x", member);
    expect(page.status).toBe(403);
    expect(page.html).toContain("Only the owner of this instance");
  });
});
