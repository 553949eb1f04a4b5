import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { LINKS_KEPT_MS, MAX_PENDING_LINKS } from "../../../src/features/connect/rules.ts";
import { decide, openConsentPage, walkConsent } from "../../support/consent.ts";
import { createMember, Harness, harnessWith, type Member, START } from "../../support/harness.ts";
import { Browser, formsOf } from "../../support/person.ts";
import { photo } from "../../support/stage.ts";

let harness: Harness;
let owner: Member;
let client: Browser;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  client = new Browser(harness);
});

interface Made {
  id: number;
  token: string;
  url: string;
  expiresAt: string;
  status: string;
  inviteLink: string;
}

const send = (json: object, { token } = owner) =>
  harness.call("POST", "/whitelabel/links", {
    token,
    json: { platform: "x", mode: "sandbox", ...json },
  });

async function make(json: object = {}): Promise<Made> {
  const { status, body } = await send(json);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

const pathOf = ({ token }: Made): string => `/connect/${token}`;

const list = async ({ token } = owner) =>
  (await harness.call("GET", "/whitelabel/links", { token })).body.data;

const remove = (id: number | string, { token } = owner) =>
  harness.call("DELETE", `/whitelabel/links/${id}`, { token });

const read = (token: string) => harness.call("GET", `/whitelabel/invites/${token}`);

const accountsOf = async ({ token } = owner) =>
  (await harness.call("GET", "/accounts", { token })).body.data;

/** Presses the link page's button. Returns the address it leads to. */
async function press(browser: Browser, link: Made, fields = {}): Promise<string> {
  const page = await browser.post(pathOf(link), fields);
  expect(page.status, page.html).toBe(303);
  return page.location ?? "";
}

const walk = async (browser: Browser, link: Made, decision = {}) =>
  walkConsent(browser, await press(browser, link), decision);

describe("a link", () => {
  test("is made with the address of its page, for a day", async () => {
    const link = await make();
    expect(link).toMatchObject({
      url: `https://akimbo.test/connect/${link.token}`,
      inviteLink: link.url,
      status: "pending",
      expiresAt: "2026-12-02T09:00:00.000Z",
    });
  });

  test.each([
    [1, "2026-12-01T10:00:00.000Z"],
    [1.5, "2026-12-01T10:30:00.000Z"],
    [720, "2026-12-31T09:00:00.000Z"],
  ])("lives for the hours that are asked for: %s", async (expiresInHours, expiresAt) => {
    expect((await make({ expiresInHours })).expiresAt).toBe(expiresAt);
  });

  test("stands in the team's list, newest first, and in nobody else's", async () => {
    const links = [await make(), await make({ title: "Second" })];
    expect(await list()).toEqual(
      links.toReversed().map(({ id, token, expiresAt }) => ({
        id,
        token,
        expiresAt,
        platform: "x",
        status: "pending",
        createdAt: START.toISOString(),
      })),
    );
    expect(await list(await createMember())).toEqual([]);
  });

  test("is deleted while it is pending, and its page says so", async () => {
    const link = await make();
    expect((await remove(link.id)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await remove(link.id)).status).toBe(404);
    const page = await client.get(pathOf(link));
    expect(page.status).toBe(410);
    expect(page.html).toContain("It was withdrawn");
    expect((await client.post(pathOf(link))).status).toBe(410);
  });

  test("of another team is not found", async () => {
    const link = await make();
    const answer = await remove(link.id, await createMember());
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(await list()).toHaveLength(1);
  });

  test.each(["0", "-1", "abc", "1e3", "9".repeat(30)])("%s is not found", async (id) => {
    expect((await remove(id)).status).toBe(404);
  });

  test("that has ended is not deleted (409)", async () => {
    const used = await make();
    await walk(client, used);
    const expired = await make({ expiresInHours: 1 });
    harness.advance(3_600);
    for (const { id } of [used, expired]) {
      expect(await remove(id)).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
    }
    expect((await list()).map(({ status }: Made) => status)).toEqual(["expired", "connected"]);
  });

  test("is one of so many that are pending at most", async () => {
    const { teamId, userId } = owner;
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO connection_links (team_id, platform, mode, tags, created_by, created_at, expires_at)
        SELECT ?, 'x', 'sandbox', '[]', ?, ?, ? + 3600000 FROM n`,
    )
      .bind(MAX_PENDING_LINKS - 1, teamId, userId, START.getTime(), START.getTime())
      .run();
    const both = await Promise.all([send({}), send({})]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      code: "PLAN_LIMIT",
      error: expect.stringContaining("Delete some"),
    });
    expect(await list()).toHaveLength(MAX_PENDING_LINKS);
    harness.advance(3_600);
    expect((await send({})).status).toBe(200);
  });

  test("is forgotten a month after its end", async () => {
    const link = await make({ expiresInHours: 1 });
    harness.advance(3_600 + LINKS_KEPT_MS / 1_000);
    await harness.tick();
    expect(await list()).toHaveLength(1);
    harness.advance(86_400);
    await harness.tick();
    expect(await list()).toEqual([]);
    expect((await client.get(pathOf(link))).html).toContain("ended long ago");
  });
});

describe("what is refused at once", () => {
  test.each([
    ["no platform", { platform: undefined }, "platform"],
    ["a platform that there is not", { platform: "myspace" }, "platform"],
    ["a platform that is not set up here", { mode: "live" }, "platform"],
    ["a redirectUrl with a script", { redirectUrl: "javascript:alert(1)" }, "redirectUrl"],
    ["a redirectUrl over plain http", { redirectUrl: "http://client.example/" }, "redirectUrl"],
    ["a redirectUrl into a network", { redirectUrl: "https://192.168.0.1/" }, "redirectUrl"],
    ["a redirectUrl that ends a policy", { redirectUrl: "https://a;b.example/" }, "redirectUrl"],
    [
      "a redirectUrl that is long",
      { redirectUrl: `https://a.example/${"a".repeat(2_048)}` },
      "redirectUrl",
    ],
    ["a logoUrl with data", { logoUrl: "data:image/svg+xml,<svg/>" }, "logoUrl"],
    ["a logoUrl with a password", { logoUrl: "https://a:b@client.example/l.png" }, "logoUrl"],
    ["a logoUrl of every host", { logoUrl: "https://*/l.png" }, "logoUrl"],
    ["a logoUrl with a comma", { logoUrl: "https://a,b.example/l.png" }, "logoUrl"],
    ["a long title", { title: "a".repeat(101) }, "title"],
    ["an empty title", { title: " " }, "title"],
    ["a broken title", { title: "a\u0000" }, "title"],
    ["a long description", { description: "a".repeat(1_001) }, "description"],
    ["a tag with a comma", { tags: ["a,b"] }, "tags.0"],
    ["a long tag", { tags: ["a".repeat(51)] }, "tags.0"],
    ["many tags", { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, "tags"],
    [
      "tags that are together long",
      { tags: Array.from({ length: 11 }, (_, i) => `${i}`.padEnd(50, "x")) },
      "tags",
    ],
    ["no time at all", { expiresInHours: 0 }, "expiresInHours"],
    ["a long time", { expiresInHours: 721 }, "expiresInHours"],
    ["a field that there is not", { teamId: 1 }, "teamId"],
  ])("%s", async (_, json, field) => {
    const { status, body } = await send(json);
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe(field);
    expect(await list()).toEqual([]);
  });

  test("a platform that is not set up, with the way to try it out", async () => {
    const { body } = await send({ mode: "live" });
    expect(body.errors[0].message).toContain('To try it out, send "mode":"sandbox".');
  });

  test("all addresses that are wrong, together", async () => {
    const { body } = await send({ mode: "live", logoUrl: "x:", redirectUrl: "x:" });
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "platform",
      "logoUrl",
      "redirectUrl",
    ]);
  });
});

describe("the details of a link", () => {
  test("need no token, and tell nothing of the team", async () => {
    const link = await make({
      title: "Connect us",
      description: "For the campaign.",
      tags: ["secret"],
    });
    const { status, body } = await read(link.token);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      platform: "x",
      mode: "sandbox",
      status: "pending",
      expiresAt: link.expiresAt,
      title: "Connect us",
      description: "For the campaign.",
      logoUrl: null,
      asks: expect.stringMatching(/\.$/),
      identifierLabel: null,
      untilAudit: null,
      terms: null,
    });
  });

  test("have what a platform wants to be shown beside the button", async () => {
    const invite = async (platform: Platform) =>
      (await read((await make({ platform })).token)).body.data;
    expect((await invite("tiktok")).untilAudit).toContain("only its creator sees the posts");
    expect((await invite("youtube")).terms.service.name).toBe("YouTube's Terms of Service");
  });

  test("name the team's own logo where the link has none", async () => {
    const person = await new Browser(harness).signIn(owner);
    await person.post("/app/settings/logo", { logo: photo() });
    const { body } = await read((await make()).token);
    expect(body.data.logoUrl).toMatch(/^https:\/\/akimbo\.test\/branding\/\d+\/[0-9a-f]{32}$/);
  });

  test("say what became of it", async () => {
    const link = await make();
    await walk(client, link);
    expect((await read(link.token)).body.data.status).toBe("connected");
    harness.advance(86_400);
    expect((await read(link.token)).body.data.status).toBe("connected");
    const other = await make({ expiresInHours: 1 });
    harness.advance(3_600);
    expect((await read(other.token)).body.data.status).toBe("expired");
  });

  test("are not found by a forged token, nor by one that was deleted", async () => {
    const link = await make();
    const [id, signature = ""] = link.token.split("-");
    const other = signature.startsWith("0") ? "1" : "0";
    for (const token of [
      `${id}-${other}${signature.slice(1)}`,
      `${Number(id) + 1}-${signature}`,
      `0${id}-${signature}`,
      `${id}-`,
      `${id}`,
      "x",
      `${id}-${signature.toUpperCase()}x`,
    ]) {
      expect([token, (await read(token)).status]).toEqual([token, 404]);
      const page = await client.get(`/connect/${token}`);
      expect([token, page.status]).toEqual([token, 404]);
      expect(page.html).toContain("leads nowhere");
      expect((await client.post(`/connect/${token}`)).status).toBe(404);
    }
    await remove(link.id);
    expect((await read(link.token)).status).toBe(404);
  });
});

describe("the page of a link", () => {
  test("shows its texts as texts, its logo, and one button", async () => {
    const link = await make({
      title: "<script>alert(1)</script>",
      description: "Line one\nLine two",
      logoUrl: "https://cdn.example/logo.png?a=1",
      redirectUrl: "https://client.example/done",
    });
    const { status, html, headers } = await client.get(pathOf(link));
    expect(status).toBe(200);
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toContain("<script");
    expect(html).toContain("Line one\nLine two");
    expect(html).toContain('src="https://cdn.example/logo.png?a=1"');
    expect(html).toContain('referrerpolicy="no-referrer"');
    expect(html).toContain("client.example");
    expect(formsOf(html)).toEqual([pathOf(link)]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("img-src 'self' https://cdn.example;");
    expect(policy).toContain("form-action 'self' https:");
    expect(policy).toContain("default-src 'none'");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("says what an app without an audit does, until AUDITED_PLATFORMS names it", async () => {
    const open = async (auditedPlatforms: readonly Platform[]) => {
      harness = harnessWith({ auditedPlatforms });
      const link = await make({ platform: "tiktok" });
      return (await new Browser(harness).get(pathOf(link))).html;
    };
    expect(await open([])).toContain("only its creator sees the posts");
    expect(await open(["tiktok"])).not.toContain("only its creator sees the posts");
  });

  test("names the brand of the team where the link says nothing", async () => {
    const json = { branding: { name: "Agency", color: "#ffd400" } };
    await harness.call("PATCH", "/settings", { token: owner.token, json });
    const { html } = await client.get(pathOf(await make()));
    expect(html).toContain("Agency wants to publish posts to your X account.");
    expect(html).toContain("Connect X");
    expect(html).toMatch(/<svg class="stripe" aria-hidden="true"><rect [^>]*fill="#ffd400"/);
  });

  test("leads to the account, its tags, and a word of thanks", async () => {
    const link = await make({ tags: ["client", "vip", "client"] });
    const back = await walk(client, link, { name: "Ada" });
    expect(back.status).toBe(303);
    expect(back.location).toBe(`${pathOf(link)}?done=connected`);
    const done = await client.get(back.location ?? "");
    expect(done.status).toBe(200);
    expect(done.html).toContain("X is connected");
    expect(await accountsOf()).toMatchObject([{ accountName: "Ada", tags: "client,vip" }]);
  });

  test("to a simulated server wants no handle, and once used says of what an account was connected", async () => {
    const link = await make({ platform: "bluesky" });
    expect((await client.get(pathOf(link))).html).not.toMatch(/name="identifier"[^>]* required/);
    expect((await walk(client, link, { name: "Ada" })).status).toBe(303);
    const used = await client.get(pathOf(link));
    expect(used.status).toBe(410);
    expect(used.html).toContain("An account of Bluesky was connected by it");
  });

  test("leads on to the address of the link, and to no other", async () => {
    const link = await make({ redirectUrl: "https://client.example/done?tab=2" });
    const opener = await press(client, link, { redirectUrl: "https://evil.example/" });
    const back = await walkConsent(client, opener);
    const [account] = await accountsOf();
    expect(back.location).toBe(
      `https://client.example/done?tab=2&status=connected&platform=x&accountId=${account.id}`,
    );
  });

  test("takes no address from its own, from that of the try, nor from the callback's", async () => {
    const evil =
      "redirectUrl=https://evil.example/&next=https://evil.example/&returnTo=//evil.example/";
    for (const redirectUrl of ["https://client.example/done", undefined]) {
      const link = await make({ redirectUrl });
      const shown = await client.get(`${pathOf(link)}?${evil}`);
      expect(shown.html).not.toContain("evil.example");
      const sent = await client.post(`${pathOf(link)}?${evil}`, { next: "https://evil.example/" });
      const opener = sent.location ?? "";
      expect(opener).not.toContain("evil.example");
      const callback = await decide(client, await openConsentPage(client, opener));
      const back = await client.get(`${callback}&${evil}`);
      expect(back.status).toBe(303);
      expect(back.location).not.toContain("evil.example");
      const done = await client.get(`${pathOf(link)}?done=connected&${evil}`);
      expect(done.html).not.toContain("evil.example");
    }
  });

  test("lets the client choose one of several accounts, and tags it", async () => {
    const redirectUrl = "https://client.example:8443/done";
    const link = await make({ platform: "facebook", tags: ["acme"], redirectUrl });
    const back = await walk(client, link, { name: "Acme" });
    expect(back.location).toMatch(/^\/oauth\/choose\/\d+$/);
    const page = await client.get(back.location ?? "");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("form-action 'self' https://client.example:8443;");
    const choices = [...page.html.matchAll(/name="account" value="([^"]+)"/g)];
    const picks = choices.map(([, pick = ""]) => pick);
    expect(picks.length).toBeGreaterThan(1);
    const none = await client.post(back.location ?? "", {});
    expect(none.status).toBe(400);
    const done = await client.post(back.location ?? "", { account: picks.slice(0, 2) });
    const connected = await accountsOf();
    expect(connected).toMatchObject([{ tags: "acme" }]);
    expect(done.location).toBe(
      `https://client.example:8443/done?status=connected&platform=facebook&accountId=${connected[0].id}`,
    );
    expect((await client.get(pathOf(link))).status).toBe(410);
  });

  test("says that it was used to whoever comes later", async () => {
    const link = await make();
    await walk(client, link);
    const page = await new Browser(harness).get(pathOf(link));
    expect(page.status).toBe(410);
    expect(page.html).toContain("This link was used");
    const sent = await new Browser(harness).post(pathOf(link));
    expect(sent.status).toBe(410);
  });

  test("takes whoever comes back twice to the word of thanks", async () => {
    const link = await make();
    const page = await openConsentPage(client, await press(client, link));
    const callback = await decide(client, page);
    await client.get(callback);
    expect((await client.get(callback)).location).toBe(`${pathOf(link)}?done=connected`);
    expect(await accountsOf()).toHaveLength(1);
  });

  test("says that it has expired", async () => {
    const link = await make();
    harness.advance(86_400);
    const page = await client.get(pathOf(link));
    expect(page.status).toBe(410);
    expect(page.html).toContain("2 December 2026 at 09:00 UTC");
    expect((await client.post(pathOf(link))).status).toBe(410);
  });

  test("lets a person who said no try again, or go on without", async () => {
    const link = await make({ redirectUrl: "https://client.example/done" });
    const no = await walk(client, link, { decision: "refuse" });
    expect(no.status).toBe(200);
    expect(no.html).toContain("Nothing was connected");
    expect(no.html).toContain(`href="${pathOf(link)}"`);
    expect(no.html).toContain(
      "https://client.example/done?status=failed&amp;platform=x&amp;error=declined",
    );
    expect(await accountsOf()).toEqual([]);
    expect((await walk(client, link)).location).toContain("status=connected");
  });

  test("names the permission that was left out, and stays open", async () => {
    const link = await make();
    const less = await walk(client, link, { without: ["tweet.write"] });
    expect(less.status).toBe(400);
    expect(less.html).toContain("tweet.write");
    expect(less.html).toContain("Try again");
    expect((await read(link.token)).body.data.status).toBe("pending");
  });

  test("connects one account, whoever of two is first", async () => {
    const link = await make();
    const people = [client, new Browser(harness)] as const;
    const callbacks = await Promise.all(
      people.map(async (one) => decide(one, await openConsentPage(one, await press(one, link)))),
    );
    const pages = await Promise.all(people.map((one, i) => one.get(callbacks[i] ?? "")));
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 410]);
    const second = pages.find(({ status }) => status === 410);
    expect(second?.html).toContain("was used");
    expect(second?.html).not.toContain("Try again");
    expect(await accountsOf()).toHaveLength(1);
  });

  test.each([
    ["deleted", (link: Made) => remove(link.id)],
    ["expired", async () => harness.advance(20)],
  ])("connects nothing by a try that began before the link was %s", async (_, end) => {
    const link = await make({ expiresInHours: 1 });
    harness.advance(3_590);
    const callback = await decide(client, await openConsentPage(client, await press(client, link)));
    await end(link);
    expect((await client.get(callback)).status).toBe(410);
    expect(await accountsOf()).toEqual([]);
  });

  test("can be used again when storing the account has failed", async () => {
    const link = await make();
    await env.DB.prepare("UPDATE connection_links SET connected_at = ? WHERE id = ?")
      .bind(START.getTime(), link.id)
      .run();
    expect((await walk(client, link)).status).toBe(410);
    expect((await remove(link.id)).status).toBe(409);
    harness.advance(120);
    expect((await walk(client, link)).status).toBe(303);
    expect(await accountsOf()).toHaveLength(1);
  });

  test("of a deleted team is gone", async () => {
    const link = await make();
    const opener = await press(client, link);
    const callback = await decide(client, await openConsentPage(client, opener));
    await env.DB.prepare("UPDATE teams SET deleted_at = ? WHERE id = ?")
      .bind(START.getTime(), owner.teamId)
      .run();
    expect((await client.get(pathOf(link))).status).toBe(410);
    expect((await client.get(callback)).status).toBe(400);
    const count = await env.DB.prepare("SELECT count(*) AS n FROM accounts WHERE team_id = ?")
      .bind(owner.teamId)
      .first();
    expect(count).toEqual({ n: 0 });
  });

  test("refuses a form from another site", async () => {
    const link = await make();
    const headers = { "sec-fetch-site": "cross-site" };
    const page = await client.send(pathOf(link), { method: "POST", headers });
    expect(page.status).toBe(403);
  });
});
