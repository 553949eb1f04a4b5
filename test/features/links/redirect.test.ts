import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { shortAddressOf } from "../../../src/doors/short-address.ts";
import { appLinksOf } from "../../../src/features/links/app-links.ts";
import { HotLinks } from "../../../src/features/links/hot-links.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Visits } from "../../support/visits.ts";

let harness: Harness;
let owner: Member;
let visits: Visits;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  visits = new Visits(harness);
});

async function make(json: object = {}): Promise<string> {
  const body = { url: "https://example.com/", ...json };
  const answer = await harness.call("POST", "/short-links", { token: owner.token, json: body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.shortUrl;
}

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148";
const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36";
const DESKTOP =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";
const by = (agent: string) => ({ headers: { "user-agent": agent } });

test("rules of every type send visitors where they say", async () => {
  const to = (name: string) => `https://example.com/${name}`;
  const url = await make({
    rules: [
      { type: "geo", countryCodes: "DE,AT", destination: to("geo") },
      { type: "device", devices: "mobile", os: "android", destination: to("device") },
      { type: "language", languages: "pt", destination: to("language") },
      {
        type: "time",
        startTime: "2026-12-24T00:00:00Z",
        endTime: "2026-12-25T00:00:00+01:00",
        destination: to("time"),
      },
      { type: "referer", referers: "news.example.com,coupon", destination: to("referer") },
    ],
  });
  expect(await visits.follow(url)).toBe(to(""));
  expect(await visits.follow(url, { country: "AT" })).toBe(to("geo"));
  expect(await visits.follow(url, by(ANDROID))).toBe(to("device"));
  expect(await visits.follow(url, by(IPHONE))).toBe(to(""));
  expect(await visits.follow(url, { headers: { "accept-language": "pt-BR,en" } })).toBe(
    to("language"),
  );
  expect(await visits.follow(url, { headers: { referer: "https://NEWS.example.com/" } })).toBe(
    to("referer"),
  );
  expect(await visits.follow(url, { headers: { referer: "https://x.test/?q=COUPON" } })).toBe(
    to("referer"),
  );
  const both = { country: "DE", headers: { "accept-language": "pt" } };
  expect(await visits.follow(url, both)).toBe(to("language"));
  harness.advance(23 * 86_400);
  expect(await visits.follow(url, both)).toBe(to("time"));
  harness.advance(86_400);
  expect(await visits.follow(url, both)).toBe(to("language"));
});

test("a link to itself by another name of the instance leads nowhere", async () => {
  const url = await make({ slug: "round" });
  const other = url.replace("akimbo.test", "other.test");
  await env.DB.prepare("UPDATE short_links SET destination = ? WHERE slug_key = 'round'")
    .bind(other)
    .run();
  harness.deps.config = { ...harness.deps.config, publicUrl: "https://other.test" };
  expect(await visits.follow(other)).toBe(404);
});

describe("a place where no link is", () => {
  test.each([
    "nobody-has-this",
    "",
    "api",
    "a%0d%0ab",
    "%E0%A4%A",
    "%00",
    "x".repeat(5_000),
    "ѕale",
    "a/b",
    "..%2f..%2fapi",
  ])("is 404: %j", async (slug) => {
    const answer = await visits.visit(`https://akimbo.test/s/${slug}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await answer.text()).toContain("no such link");
  });

  test("takes no other method", async () => {
    const url = await make();
    const answer = await visits.visit(url, { method: "POST" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("bots", () => {
  const BOT = "Mozilla/5.0 (compatible; SomeScraperBot/1.0)";
  test("are sent to safeUrl and not counted; people are not", async () => {
    const url = await make({ botProtection: true, safeUrl: "https://example.com/safe" });
    expect(await visits.follow(url, by(BOT))).toBe("https://example.com/safe");
    expect(await visits.follow(url, by("curl/8.5.0"))).toBe("https://example.com/safe");
    await visits.settle();
    expect(visits.messages).toEqual([]);
    expect(await visits.follow(url, by(DESKTOP))).toBe("https://example.com/");
  });

  test.each([
    "facebookexternalhit/1.1",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0",
    "WhatsApp/2.23.20.0",
    "LinkedInBot/1.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1)",
  ])("%s is shown the preview, escaped", async (agent) => {
    const url = await make({
      title: '"><script>alert(1)</script>',
      description: "A & B",
      imageUrl: "https://example.com/i.png",
    });
    const answer = await visits.visit(url, by(agent));
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(html).toContain(
      '<meta property="og:title" content="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">',
    );
    expect(html).toContain('<meta property="og:description" content="A &amp; B">');
    expect(html).toContain('<meta property="og:image" content="https://example.com/i.png">');
    expect(html).toContain(`<meta property="og:url" content="${url}">`);
    expect(html).not.toContain("<script>alert");
    expect(await visits.follow(url, by(DESKTOP))).toBe("https://example.com/");
    expect(await visits.follow(url, by("curl/8.5.0"))).toBe("https://example.com/");
  });
});

describe("a link into an app", () => {
  test("opens it on iOS and Android, the web elsewhere", async () => {
    const url = await make({ url: "https://www.instagram.com/akimbo/", useDeeplink: true });
    const phone = await visits.visit(url, by(IPHONE));
    const html = await phone.text();
    expect(phone.status).toBe(200);
    expect(html).toContain('location.href="instagram://user?username=akimbo"');
    expect(html).toContain('location.replace("https://www.instagram.com/akimbo/")');
    expect(phone.headers.get("content-security-policy")).toMatch(/script-src 'nonce-/);
    expect(await (await visits.visit(url, by(ANDROID))).text()).toContain(
      "intent://www.instagram.com/akimbo/#Intent;",
    );
    expect(await visits.follow(url, by(DESKTOP))).toBe("https://www.instagram.com/akimbo/");
    await visits.settle();
    expect(visits.messages.flatMap(({ clicks }) => clicks)).toHaveLength(3);
  });

  test("is a redirect where the destination is on no platform", async () => {
    const url = await make({ useDeeplink: true });
    expect(await visits.follow(url, by(IPHONE))).toBe("https://example.com/");
  });

  test.each([
    [
      "https://www.tiktok.com/@a/video/7301234567890123456",
      "snssdk1233://aweme/detail/7301234567890123456",
    ],
    ["https://www.instagram.com/p/CuZ/", "instagram://media?id=11161"],
    [
      "https://www.facebook.com/a/posts/1",
      "fb://facewebmodal/f?href=https%3A%2F%2Fwww.facebook.com%2Fa%2Fposts%2F1",
    ],
    ["https://youtu.be/abc", "youtube://youtu.be/abc"],
    ["https://www.linkedin.com/in/a", "linkedin://in/a"],
    ["https://www.pinterest.com/pin/1/", "pinterest://pin/1"],
    ["https://bsky.app/profile/a.bsky.social", "bluesky://profile/a.bsky.social"],
    ["https://www.threads.net/@a", "barcelona://user?username=a"],
    ["https://x.com/a/status/1", "twitter://status?id=1"],
    ["https://discord.com/channels/1/2/3", "discord://-/channels/1/2/3"],
    ["https://www.tiktok.com/", null],
    ["https://nottiktok.com/@a/video/1", null],
    ["https://tiktok.com.example.com/@a/video/1", null],
  ])("of %s is %s", (web, app) => {
    expect(appLinksOf(web, "ios")?.app ?? null).toBe(app);
    expect(appLinksOf(web, "windows")).toBeNull();
    if (app)
      expect(appLinksOf(web, "android")?.app).toContain(
        `S.browser_fallback_url=${encodeURIComponent(web)};end`,
      );
  });
});

test.each<[string, Parameters<typeof shortAddressOf>[1] | object, object | null]>([
  ["https://akimbo.test/s/abc", {}, { host: null, slug: "abc" }],
  ["https://akimbo.test/s/abc?x=/y#z", {}, { host: null, slug: "abc" }],
  ["https://akimbo.test/sandbox", {}, null],
  ["https://akimbo.test/", {}, null],
  ["https://go.test/abc", {}, { host: null, slug: "abc" }],
  ["https://go.test/s/abc", {}, { host: null, slug: "s/abc" }],
  ["https://brand.example/abc", {}, { host: "brand.example", slug: "abc" }],
  ["https://brand.example/docs", {}, { host: "brand.example", slug: "docs" }],
  ["https://brand.example/api/v1/upload", {}, { host: "brand.example", slug: "api/v1/upload" }],
  ["https://akimbo.me.workers.dev/docs", {}, null],
  ["https://anything.example/docs", { publicHost: null }, null],
  ["https://anything.example/s/abc", { publicHost: null }, { host: null, slug: "abc" }],
  ["http://localhost:8797/docs", { publicHost: null, isDevelopment: true }, null],
  [
    "http://brand.example/abc",
    { publicHost: null, isDevelopment: true },
    { host: "brand.example", slug: "abc" },
  ],
])("%s is a short link's address or not", (url, own, address) => {
  const hosts = { publicHost: "akimbo.test", shortHost: "go.test", isDevelopment: false, ...own };
  expect(shortAddressOf(url, hosts)).toEqual(address);
});

describe("a hot link", () => {
  function watch(): { reads: number } {
    const watched = { reads: 0 };
    visits.database = {
      prepare: (text: string) => {
        watched.reads++;
        return env.DB.prepare(text);
      },
    };
    return watched;
  }

  test("is read twice, kept for less than a second, and read anew after that", async () => {
    const url = await make();
    const watched = watch();
    for (let i = 0; i < 50; i++) await visits.visit(url);
    expect(watched.reads).toBe(2);
    // Another isolate switches the link off.
    await env.DB.prepare("UPDATE short_links SET is_active = 0 WHERE slug_key = ?")
      .bind(url.split("/s/")[1])
      .run();
    expect(await visits.follow(url)).toBe("https://example.com/");
    harness.advance(0.8);
    expect(await visits.follow(url)).toBe("https://example.com/");
    await visits.settle();
    expect(await visits.follow(url)).toBe(404);
    harness.advance(1.1);
    expect(await visits.follow(url)).toBe(404);
  });

  test("is read anew together with the others that are hot, by one call", async () => {
    const urls = await Promise.all(Array.from({ length: 40 }, () => make()));
    const visitAll = async () => {
      for (const url of urls) expect(await visits.follow(url)).toBe("https://example.com/");
    };
    for (let i = 0; i < 3; i++) await visitAll();
    const watched = watch();
    for (let second = 0; second < 5; second++) {
      harness.advance(0.8);
      await visitAll();
      await visits.settle();
      await visitAll();
    }
    expect(watched.reads).toBe(5);
    const [first = "", second = ""] = urls;
    await env.DB.prepare("UPDATE short_links SET destination = ? WHERE slug_key = ?")
      .bind("https://example.com/new", first.split("/s/")[1])
      .run();
    await env.DB.prepare("UPDATE short_links SET deleted_at = 1 WHERE slug_key = ?")
      .bind(second.split("/s/")[1])
      .run();
    harness.advance(0.8);
    await visits.visit(urls[9] ?? "");
    await visits.settle();
    expect(watched.reads).toBe(6);
    expect(await visits.follow(first)).toBe("https://example.com/new");
    expect(await visits.follow(second)).toBe(404);
    expect(watched.reads).toBe(6);
  });

  test("of one visit a second at most is read each time", async () => {
    const url = await make();
    const watched = watch();
    for (let i = 0; i < 6; i++) {
      await visits.visit(url);
      harness.advance(1.1);
    }
    expect(watched.reads).toBe(6);
  });

  test("is not kept where it was changed while it was read", () => {
    const links = new HotLinks<string>();
    const find = (now: number) => links.find("a", { host: null, slug: "a" }, now);
    for (let i = 0; i < 3; i++) find(0);
    const generation = links.beginRead();
    links.forget("a");
    links.keep("a", { value: "old", characters: 1, readAt: 0, generation });
    expect(find(1)).toBeNull();
    links.keep("a", { value: "new", characters: 1, readAt: 1, generation: links.beginRead() });
    expect(find(2)?.value).toBe("new");
    expect(find(1_001)?.value).toBe("new");
    expect(find(1_002)).toBeNull();
  });
});
