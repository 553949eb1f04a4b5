import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import type { Release } from "../../../src/core/release.ts";
import { VERSION } from "../../../src/core/version.ts";
import { createMember, harnessWith, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { RELEASE, SigningKey, signRelease } from "../../support/release.ts";

const URL = "https://releases.example/release.json";

let owner: Member;
let key: SigningKey;

/** As wrangler keeps them. */
beforeAll(async () => {
  await env.DB.batch(
    [
      "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
      "INSERT INTO d1_migrations (name) VALUES ('0001_first_post.sql'), ('0002_chores.sql')",
    ].map((statement) => env.DB.prepare(statement)),
  );
  owner = await createMember();
  key = await SigningKey.create("r1");
});

test("the version is that of package.json", () => {
  expect(VERSION).toBe(manifest.version);
});

async function show(answer: () => Response | Promise<Response>, releases = true) {
  const harness = harnessWith(
    releases ? { releases: { url: URL, keys: [key.asPublic] } } : { releases: null },
  );
  const asked: string[] = [];
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${request.url}`);
    return answer();
  };
  const browser = await new Browser(harness).signIn(owner);
  const page = await browser.get("/app/settings/version");
  expect(page.status).toBe(200);
  return { text: page.html, asked };
}

/** Says no length, as an answer in chunks does. */
const endless = () =>
  new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(100_000)) });

const answering = (release: Partial<Release>) => async () =>
  new Response(await signRelease({ ...RELEASE, ...release }, key));

describe("/app/settings/version", () => {
  test("shows what runs, and asks nobody unless the owner allows it", async () => {
    const { text, asked } = await show(() => new Response(), false);
    expect(text).toContain(`Akimbo ${VERSION}`);
    expect(text).toContain("2 migrations, the last is <code>0002_chores.sql");
    expect(text).toContain("RELEASES_URL");
    expect(asked).toEqual([]);
  });

  test("shows a newer release with its changes and the size of its migrations", async () => {
    const { text, asked } = await show(
      answering({ version: "99.0.0", changes: ["Posts <b>fly</b>."] }),
    );
    expect(asked).toEqual([`GET ${URL}`]);
    expect(text).toContain("<strong>99.0.0</strong>");
    expect(text).toContain("Posts &lt;b&gt;fly&lt;/b&gt;.");
    expect(text).toMatch(/9999_new\.sql<\/code>, 1,234 bytes/);
    expect(text).toMatch(
      /npm run update<\/code> downloads the release\. Then\s+<code>npm run deploy/,
    );
    expect(text).toMatch(/npm run deploy<\/code>, which backs up first/);
  });

  test("lists no migration that the database has had", async () => {
    const migrations = [{ name: "0001_first_post.sql", bytes: 5_000 }];
    const { text } = await show(answering({ version: "99.0.0", migrations }));
    expect(text).toContain("The database stays as it is.");
  });

  test("says when the newest runs already", async () => {
    const { text } = await show(answering({ version: VERSION }));
    expect(text).toContain("Up to date");
  });

  test("says what has to come first", async () => {
    const { text } = await show(answering({ version: "99.0.0", upgradesFrom: "98.0.0" }));
    expect(text).toContain("Upgrade to 98.0.0 first.");
    expect(text).not.toContain("npm run update");
  });

  test.each<[string, () => Response | Promise<Response>, string]>([
    ["refuses", () => new Response("", { status: 404 }), "answered 404"],
    ["is down", () => Promise.reject(new TypeError("unreachable")), "did not answer"],
    ["answers a page", () => new Response("<html>"), "The release must be valid JSON."],
    ["answers too much", () => new Response("x".repeat(1_000_001)), "The release is too large."],
    ["answers without an end", () => new Response(endless()), "The release is too large."],
    [
      "answers half a signature",
      () => Response.json({ content: "{}", signatures: [{ key: "r1", signature: btoa("short") }] }),
      "is not signed by a key that this instance knows",
    ],
    ["answers nothing", () => new Response(null), "The release must be valid JSON."],
    [
      "answers a release of another",
      async () => new Response(await signRelease(RELEASE, await SigningKey.create("r1"))),
      "is not signed by a key that this instance knows",
    ],
  ])("says so when the address %s", async (_, answer, sentence) => {
    const { text } = await show(answer);
    expect(text).toContain(sentence);
    expect(text).not.toContain("npm run update");
  });
});
