import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  browser = await new Browser(harness).signIn(owner);
});

const settings = async () =>
  (await harness.call("GET", "/settings", { token: owner.token })).body.data;

const TEAM = { name: "Ada & Co", link: "https://example.com", zone: "Europe/Berlin" };

test.each(["/app/settings", "/app/suggestions"])("%s is read in one round trip", async (path) => {
  const { result: page, costs } = await measure(harness, () => browser.get(path));
  expect(page.status).toBe(200);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsWritten).toBe(0);
});

test("forms change the settings, and show them again", async () => {
  const saved = await browser.post("/app/settings", {
    ...TEAM,
    blocklist: "Secret\r\ntop secret\r\n",
    "own.tiktok": "on",
    "tags.tiktok": "#Foo, bar",
    "tags.x": "not ticked",
  });
  expect(saved).toMatchObject({ status: 303, location: "/app/settings?done=saved" });
  expect(
    (await browser.post("/app/settings/approval", { requireMemberApproval: "on" })).status,
  ).toBe(303);
  await browser.post("/app/settings/notifications", { "failures.email": "on" });
  const off = { email: false, push: false, messaging: false };
  expect(await settings()).toEqual({
    branding: { name: "Ada & Co", link: "https://example.com", color: null, logoUrl: null },
    zone: "Europe/Berlin",
    requireMemberApproval: true,
    blocklist: ["secret", "top secret"],
    bannedHashtags: { tiktok: ["foo", "bar"] },
    notifications: {
      reviewDecisions: off,
      failures: { ...off, email: true },
      disabledWebhooks: off,
      endingLogins: off,
      endingDomains: off,
      fullDatabase: off,
    },
    quietHours: { own: null, team: null },
    messaging: { own: null, team: null },
    push: { publicKey: expect.any(String), browsers: [] },
  });
  const { html } = await browser.get("/app/settings?done=saved");
  expect(html).toContain("The settings are saved.");
  for (const text of ["Ada &amp; Co", "Europe/Berlin", "top secret", "foo, bar"]) {
    expect(html).toContain(text);
  }
  await browser.post("/app/settings", { name: "", link: "", zone: "", blocklist: "" });
  expect(await settings()).toMatchObject({ zone: "UTC", blocklist: [], bannedHashtags: {} });
});

test("a colour is stored, shown and removed, and one that is too light for codes is kept with a warning", async () => {
  const page = async () => (await browser.get("/app/settings")).html;
  const tooLight = "A QR code in this colour is too light to be scanned";
  expect(await page()).toContain("The team has no colour.");
  expect(await page()).not.toMatch(/Remove the colour|<svg class="stripe"/);
  const dark = await browser.post("/app/settings/color", { color: "#0b6b3c" });
  expect(dark).toMatchObject({ status: 303, location: "/app/settings?done=color" });
  expect(await page()).toMatch(/<input id="color" name="color" type="color" value="#0b6b3c"/);
  expect(await page()).toMatch(/<svg class="stripe"[^>]*><rect [^>]*fill="#0b6b3c"/);
  expect(await page()).not.toContain(tooLight);
  await browser.post("/app/settings/color", { color: "#ffd400" });
  expect(await settings()).toMatchObject({ branding: { color: "#ffd400" } });
  expect(await page()).toContain(`${tooLight}: its contrast to white is 1.4 : 1, and 3 : 1`);
  await browser.post("/app/settings", TEAM);
  expect(await settings()).toMatchObject({ branding: { name: "Ada & Co", color: "#ffd400" } });
  const refused = await browser.post("/app/settings/color", { color: "yellow" });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("must be a colour such as #3a46d6");
  const removed = await browser.post("/app/settings/color", { color: "" });
  expect(removed.location).toBe("/app/settings?done=no-color");
  expect(await settings()).toMatchObject({ branding: { color: null } });
});

test("a form that is refused says why and keeps what was typed", async () => {
  const page = await browser.post("/app/settings", { ...TEAM, zone: "Mars", blocklist: "kept" });
  expect(page.status).toBe(400);
  expect(page.html).toContain("must be an IANA time zone");
  for (const text of ["Mars", "kept", "Ada &amp; Co"]) expect(page.html).toContain(text);
  expect(await settings()).toMatchObject({ zone: "UTC" });
});

test("a logo is stored, shown and removed; one of another type is refused", async () => {
  const svg = new Blob(["<svg></svg>"]);
  expect((await browser.post("/app/settings/logo", { logo: svg })).status).toBe(303);
  const src = /<img src="([^"]+)"/.exec((await browser.get("/app/settings")).html)?.[1] ?? "";
  expect((await harness.request(src)).headers.get("content-type")).toBe("image/svg+xml");
  const refused = await browser.post("/app/settings/logo", { logo: new Blob(["hello"]) });
  expect(refused.status).toBe(415);
  expect(refused.html).toContain("not a PNG, JPEG, WebP or SVG");
  for (const size of [150_001, 450_000]) {
    const large = await browser.post("/app/settings/logo", { logo: new Blob(["x".repeat(size)]) });
    expect(large.status).toBe(413);
    expect(large.html).toContain("The logo is larger than 150 KB.");
    expect(large.html).toContain("Store the logo");
  }
  await browser.post("/app/settings/logo/remove");
  expect((await browser.get("/app/settings")).html).toContain("The team has no logo.");
});

test("a member sees the settings, and changes nothing but their own", async () => {
  const member = await createMember();
  const theirs = await new Browser(harness).signIn(member);
  expect((await theirs.get("/app/settings")).html).toContain("Delete the team");
  await env.DB.prepare("UPDATE members SET role = 'MEMBER' WHERE team_id = ? AND user_id = ?")
    .bind(member.teamId, member.userId)
    .run();
  const { html } = await theirs.get("/app/settings");
  expect(html).not.toContain("Delete the team");
  expect(html).toContain("disabled");
  expect((await theirs.post("/app/settings", TEAM)).status).toBe(403);
  expect((await theirs.post("/app/settings/delete", { confirm: "x" })).status).toBe(403);
  expect((await theirs.post("/app/settings/notifications", {})).status).toBe(303);
});

test("the owner downloads everything as one file", async () => {
  await harness.call("POST", "/suggestions", { token: owner.token, json: { title: "Idea" } });
  const page = await browser.get("/app/settings/export");
  expect(page.headers.get("content-disposition")).toContain("akimbo-export.ndjson");
  const types = page.html
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["team", "member", "suggestion", "activity", "event", "end"]);
});

test("the team is deleted by its typed name alone, and the owner is signed out", async () => {
  const refused = await browser.post("/app/settings/delete", { confirm: "another" });
  expect(refused.status).toBe(400);
  const slug = await env.DB.prepare("SELECT slug FROM teams WHERE id = ?")
    .bind(owner.teamId)
    .first<string>("slug");
  expect(refused.html).toContain(slug);
  const deleted = await browser.post("/app/settings/delete", { confirm: slug ?? "" });
  expect(deleted).toMatchObject({ status: 303, location: "/sign-in" });
  expect((await browser.get("/app/settings")).status).toBe(303);
});

test("a suggestion is sent and listed, its text as text", async () => {
  const sent = await browser.post("/app/suggestions", { title: "<b>Dark</b>", body: "Please" });
  expect(sent).toMatchObject({ status: 303, location: "/app/suggestions?done=sent" });
  const { html } = await browser.get("/app/suggestions?done=sent");
  expect(html).toContain("Thank you");
  expect(html).toContain("&lt;b&gt;Dark&lt;/b&gt;");
  const refused = await browser.post("/app/suggestions", { title: " ", body: "Kept" });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("Kept");
});

test("the privacy page needs no sign-in, and names whoever runs the instance", async () => {
  const first = await env.DB.prepare("SELECT MIN(id) AS id FROM teams").first<number>("id");
  await env.DB.prepare("UPDATE teams SET branding = ? WHERE id = ?")
    .bind(JSON.stringify({ name: "Ada & Co", link: "https://example.com/", logo: null }), first)
    .run();
  const page = await new Browser(harness).get("/privacy");
  expect(page.status).toBe(200);
  expect(page.html).toContain("24 hours");
  expect(page.html).toMatch(
    /Figures of posts of connected accounts.*25 months, of YouTube 30 days</,
  );
  expect(page.html).toMatch(/given for an invite.*30 days after the invite expires/);
  expect(page.html).toContain('<a href="https://example.com/">Ada &amp; Co</a>');
  await env.DB.prepare("UPDATE teams SET branding = NULL WHERE id = ?").bind(first).run();
  expect((await new Browser(harness).get("/privacy")).html).toContain("gave you access");
});

const YOUTUBE_ADDRESSES = [
  "https://www.youtube.com/t/terms",
  "http://www.google.com/policies/privacy",
  "https://myaccount.google.com/permissions",
];

test.each(["/terms", "/privacy"])("%s names the terms that YouTube wants named", async (path) => {
  const page = await new Browser(harness).get(path);
  expect(page.status).toBe(200);
  for (const address of YOUTUBE_ADDRESSES) expect(page.html).toContain(`href="${address}"`);
  expect(page.html).toContain("YouTube API Services");
  expect(page.html).toContain('<a href="/terms">Terms</a> <a href="/privacy">Privacy</a>');
});

test("the terms need no sign-in, bind to YouTube's, and name whoever runs the instance", async () => {
  const first = await env.DB.prepare("SELECT MIN(id) AS id FROM teams").first<number>("id");
  const brand = (branding: string | null) =>
    env.DB.prepare("UPDATE teams SET branding = ? WHERE id = ?").bind(branding, first).run();
  await brand(JSON.stringify({ name: "Ada & Co", link: "https://example.com/", logo: null }));
  const page = await new Browser(harness).get("/terms");
  expect(page.html).toMatch(/you agree to be bound by <a href="[^"]+">YouTube&#39;s Terms/);
  expect(page.html).toContain('<a href="https://example.com/">Ada &amp; Co</a>');
  await brand(null);
  expect((await new Browser(harness).get("/terms")).html).toContain("gave you access");
});

test("the terms stand wherever an account of YouTube is connected, and not beside others", async () => {
  const agreed =
    /By using YouTube here you agree to be bound by <a href="https:\/\/www\.youtube\.com/;
  const tied = (html: string) => {
    expect(html).toMatch(agreed);
    for (const address of [...YOUTUBE_ADDRESSES, "/terms", "/privacy"]) {
      expect(html).toContain(`href="${address}"`);
    }
  };
  const { html: accounts } = await browser.get("/app/accounts");
  tied(accounts);
  expect(accounts.match(/By using \w+ here/g)).toEqual(["By using YouTube here"]);

  const visitor = new Browser(harness);
  for (const platform of ["youtube", "x"]) {
    const json = { platform, mode: "sandbox" };
    const { token } = owner;
    const { body: started } = await harness.call("POST", "/accounts", { token, json });
    const { body: link } = await harness.call("POST", "/whitelabel/links", { token, json });
    for (const address of [started.authorizationUrl, link.data.url]) {
      const { html } = await visitor.get(new URL(address).pathname);
      expect(html).toContain("<form");
      if (platform === "youtube") tied(html);
      else expect(html).not.toContain("agree to be bound");
    }
  }
});

test("the privacy page names who came next once the owner of the instance has left", async () => {
  const { results } = await env.DB.prepare(
    `UPDATE teams SET branding = json_object('name', 'Team of ' || owner_id, 'link', NULL, 'logo', NULL)
     RETURNING owner_id AS id`,
  ).all<{ id: number }>();
  const [owner = 0, next = 0] = results.map(({ id }) => id).sort((a, b) => a - b);
  const page = async () => (await new Browser(harness).get("/privacy")).html;
  expect(await page()).toContain(`Team of ${owner}`);
  const close = "UPDATE users SET email = 'deleted-' || id || '@akimbo.invalid'";
  await env.DB.batch([
    env.DB.prepare("UPDATE teams SET deleted_at = 1 WHERE owner_id = ?").bind(owner),
    env.DB.prepare(`${close} WHERE id = ?`).bind(owner),
  ]);
  expect(await page()).toContain(`Team of ${next}`);
  await env.DB.exec(close);
  expect(await page()).toContain("gave you access");
});
