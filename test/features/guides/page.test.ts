import { describe, expect, test } from "vitest";
import {
  GUIDE_GROUPS_PATH,
  type GuideGroup,
  type GuidePage,
  guidePagePath,
  guideTextPath,
} from "../../../src/core/guides.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

const POST =
  'curl http://localhost:8797/api/v1/upload -F accountId=acc_bluesky -F to="acc_x" -F cc=acc_other';

const GROUPS: GuideGroup[] = [
  {
    title: "Publish",
    guides: [
      { name: "first", title: "First post", description: "How to publish." },
      { name: "platforms/x", title: "X", description: "What X takes." },
    ],
  },
  { title: "Run", guides: [{ name: "last", title: "Costs", description: "What it costs." }] },
];

const page = (html: string): GuidePage => ({
  title: "A guide",
  html,
  sections: [{ id: "more", title: "More of it" }],
});

const FILES: Record<string, string> = {
  [GUIDE_GROUPS_PATH]: JSON.stringify(GROUPS),
  [guidePagePath("guides")]: JSON.stringify(page("<p>All of them</p>")),
  [guidePagePath("first")]: JSON.stringify(page(`<pre>${POST}</pre>`)),
  [guidePagePath("platforms/x")]: JSON.stringify(page('<h2 id="more">More of it</h2>')),
  [guideTextPath("first")]: `# A guide\n\n${POST}\n`,
  "/docs/search.js": "search();",
  "/docs/search.json": '[{"text":"http://localhost:8797/docs"}]',
};

/** The service with guides of its own. */
const withGuides = (): Harness => {
  const assets = new Harness().deps.assets;
  const fetch: Fetcher["fetch"] = async (input) => {
    const text = FILES[new URL(new Request(input).url).pathname];
    return text === undefined ? new Response("", { status: 404 }) : new Response(text);
  };
  return new Harness({ assets: { connect: (...given) => assets.connect(...given), fetch } });
};

const textOf = async (harness: Harness, path: string) => (await harness.request(path)).text();

describe("a guide", () => {
  test("is a page of the house that needs no script", async () => {
    const answer = await withGuides().request("/docs/platforms/x");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-.*; script-src 'self'; connect-src 'self'/,
    );
    const html = await answer.text();
    expect(html).toContain('<html lang="en">');
    expect(html).toContain("<h1>A guide</h1>");
    expect(html).toContain('<h2 id="more">More of it</h2>');
    expect(html).toContain('<script type="module" src="/docs/search.js">');
  });

  test("stands in the list of all guides, with its sections", async () => {
    const html = await textOf(withGuides(), "/docs/platforms/x");
    for (const name of ["first", "last"]) expect(html).toContain(`<a href="/docs/${name}">`);
    expect(html).toContain('<a href="/docs/platforms/x" aria-current="page">X</a>');
    expect(html).toContain('<a href="#more">More of it</a>');
    expect(html).toContain('<a href="/docs">API reference</a>');
  });

  test("leads to the guides before and after it", async () => {
    const harness = withGuides();
    const turnOf = async (path: string) =>
      [...(await textOf(harness, path)).matchAll(/<a rel="(\w+)" href="([^"]+)"/g)].map(
        ([, rel, href]) => [rel, href],
      );
    expect(await turnOf("/docs/guides")).toEqual([["next", "/docs/first"]]);
    expect(await turnOf("/docs/first")).toEqual([["next", "/docs/platforms/x"]]);
    expect(await turnOf("/docs/platforms/x")).toEqual([
      ["prev", "/docs/first"],
      ["next", "/docs/last"],
    ]);
  });

  test("names this instance in its examples, as a page, as Markdown and in the search", async () => {
    const harness = withGuides();
    for (const path of ["/docs/first", "/docs/first.md", "/docs/search.json"]) {
      const text = await textOf(harness, path);
      expect(text).toContain("https://akimbo.test/");
      expect(text).not.toContain("localhost");
    }
  });

  test("is Markdown under its name with .md", async () => {
    const answer = await withGuides().request("/docs/first.md");
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await answer.text()).toMatch(/^# A guide\n/);
  });

  test.each(["/docs/nothing", "/docs/platforms/nothing", "/docs/nothing.md", "/docs/a/b/c"])(
    "%s is the house's page for what does not exist",
    async (path) => {
      const answer = await withGuides().request(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toMatch("text/html");
      expect(await answer.text()).toContain("<h1>Nothing is here</h1>");
    },
  );
});

describe("account ids in examples", () => {
  test("are those of the team of the person who is signed in", async () => {
    const harness = withGuides();
    const member = await createMember();
    const account = await harness.call("POST", "/accounts", {
      token: member.token,
      json: { platform: "bluesky", sandbox: true, name: "Demo" },
    });
    const browser = await new Browser(harness).signIn(member);
    const { html } = await browser.get("/docs/first");
    expect(html).toContain(`accountId=${account.body.data.id} `);
    expect(html).toContain('to="acc_x"');
    expect(html).toContain("cc=acc_other");
    expect(html).toContain("It has no account for x.");
  });

  test("stay examples for a visitor, who is told how to see their own", async () => {
    const html = await textOf(withGuides(), "/docs/first");
    expect(html).toContain("accountId=acc_bluesky");
    expect(html).toMatch(/<a href="\/sign-in">Sign in<\/a> to see the ids/);
  });

  test("stay examples for a cookie that is forged, and for a session that has ended", async () => {
    const harness = withGuides();
    const forger = await new Browser(harness).forgeSession();
    const late = await new Browser(harness).signIn(await createMember());
    harness.advance(31 * 86_400);
    for (const browser of [forger, late]) {
      const { status, html } = await browser.get("/docs/first");
      expect(status).toBe(200);
      expect(html).toContain("accountId=acc_bluesky");
    }
  });

  test("cost one round trip, and nothing for a visitor or a guide without examples", async () => {
    const harness = withGuides();
    const visitor = new Browser(harness);
    const person = await new Browser(harness).signIn(await createMember());
    const tripsOf = async (browser: Browser, path: string) =>
      (await measure(harness, () => browser.get(path))).costs.roundTrips.length;
    expect(await tripsOf(visitor, "/docs/first")).toBe(0);
    expect(await tripsOf(person, "/docs/platforms/x")).toBe(0);
    expect(await tripsOf(person, "/docs/first")).toBe(1);
  });
});

test("every guide that the instance lists can be read, as a page and as Markdown", async () => {
  const harness = new Harness();
  const html = await textOf(harness, "/docs/guides");
  const [, side = ""] = html.split('id="guides"');
  const paths = [...side.matchAll(/href="(\/docs\/[a-z0-9/-]+)"/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    for (const address of [path, `${path}.md`]) {
      expect([address, (await harness.request(address)).status]).toEqual([address, 200]);
    }
  }
});
