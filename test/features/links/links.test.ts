import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { eraseTeams } from "../../../src/features/leaving/erase.ts";
import { ClickLog, type ClickStore } from "../../../src/features/links/click-log.ts";
import { forgetOldClicks } from "../../../src/features/links/expiry.ts";
import { MAX_KEPT_A_MINUTE } from "../../../src/features/links/statistics.ts";
import type { ClicksMessage } from "../../../src/queue/messages.ts";
import {
  createMember,
  createToken,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { queueTo } from "../../support/queue.ts";
import { Visits } from "../../support/visits.ts";

let harness: Harness;
let owner: Member;
let visits: Visits;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  visits = new Visits(harness);
});

const URL_A = "https://example.com/a";
const URL_B = "https://example.com/b";

const call = (method: string, path: string, json?: unknown, { token } = owner, headers = {}) =>
  harness.call(method, path, { token, headers, ...(json === undefined ? {} : { json }) });

async function make(json: object = {}, member = owner) {
  const { status, body } = await call("POST", "/short-links", { url: URL_A, ...json }, member);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { id: number; slug: string; shortUrl: string; destination: string };
}

const read = async (id: number) => (await call("GET", `/short-links/${id}`)).body;

describe("a short link", () => {
  test("is made with a slug of its own, and leads to its destination", async () => {
    const link = await make();
    expect(link).toEqual({
      success: true,
      id: link.id,
      slug: expect.stringMatching(/^[2-9a-z]{7}$/),
      shortUrl: `https://akimbo.test/s/${link.slug}`,
      destination: URL_A,
      isActive: true,
    });
    const answer = await visits.visit(link.shortUrl);
    expect([
      answer.status,
      answer.headers.get("location"),
      answer.headers.get("cache-control"),
    ]).toEqual([302, URL_A, "no-store"]);
  });

  test("stands in the list, newest first, page by page, and in nobody else's", async () => {
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await make());
    const page = await call("GET", "/short-links?limit=2");
    expect(page.body.pagination).toEqual({ page: 1, limit: 2, total: 3 });
    expect(page.body.data.map(({ id }: { id: number }) => id)).toEqual([made[2]?.id, made[1]?.id]);
    expect(page.body.data[0]).toMatchObject({
      slug: made[2]?.slug,
      shortUrl: made[2]?.shortUrl,
      destination: URL_A,
      clicks: 0,
      isActive: true,
      createdAt: "2026-12-01T09:00:00.000Z",
      domainId: null,
    });
    const second = await call("GET", "/short-links?limit=2&page=2");
    expect(second.body.data.map(({ id }: { id: number }) => id)).toEqual([made[0]?.id]);
    const others = await call("GET", "/short-links", undefined, await createMember());
    expect(others.body).toMatchObject({ data: [], pagination: { page: 1, limit: 50, total: 0 } });
  });

  test("is changed field by field; the next visit sees it", async () => {
    const { id, shortUrl } = await make({
      title: "Before",
      rules: [{ type: "geo", countryCodes: "DE", destination: URL_B }],
    });
    for (let i = 0; i < 5; i++)
      expect(await visits.follow(shortUrl, { country: "DE" })).toBe(URL_B);
    const changed = await call("PUT", `/short-links/${id}`, {
      destination: "https://example.com/new",
    });
    expect(changed.body).toMatchObject({
      success: true,
      id,
      destination: "https://example.com/new",
      title: "Before",
    });
    expect(changed.body.rules).toHaveLength(1);
    expect(await visits.follow(shortUrl)).toBe("https://example.com/new");
    await call("PUT", `/short-links/${id}`, { rules: [], title: null });
    expect(await visits.follow(shortUrl, { country: "DE" })).toBe("https://example.com/new");
    expect(await read(id)).toMatchObject({ rules: [], title: null });
    await call("PUT", `/short-links/${id}`, { isActive: false });
    expect(await visits.follow(shortUrl)).toBe(404);
    await call("PUT", `/short-links/${id}`, { isActive: true, url: URL_A });
    expect(await visits.follow(shortUrl)).toBe(URL_A);
    expect((await call("PUT", `/short-links/${id}`, {})).body).toMatchObject({
      destination: URL_A,
    });
  });

  test("is deleted: 404 for visitors and callers, and its slug is the team's still", async () => {
    const { id, shortUrl } = await make({ slug: "gone-soon" });
    await visits.follow(shortUrl);
    expect((await call("DELETE", `/short-links/${id}`)).body).toMatchObject({
      success: true,
      message: expect.any(String),
    });
    expect(await visits.follow(shortUrl)).toBe(404);
    for (const method of ["GET", "DELETE"]) {
      expect((await call(method, `/short-links/${id}`)).status).toBe(404);
    }
    expect((await call("PUT", `/short-links/${id}`, { isActive: true })).status).toBe(404);
    const stranger = await createMember();
    const taken = await call("POST", "/short-links", { url: URL_B, slug: "gone-soon" }, stranger);
    expect(taken).toMatchObject({ status: 409, body: { code: "SLUG_TAKEN" } });
    const again = await make({ url: URL_B, slug: "gone-soon" });
    expect(again.id).toBeGreaterThan(id);
    expect(await visits.follow(shortUrl)).toBe(URL_B);
  });

  test("keeps the slug that it is given; capitals and full-width letters are the same", async () => {
    const { id, slug, shortUrl } = await make({ slug: "Summer-Sale" });
    expect(slug).toBe("Summer-Sale");
    for (const other of ["summer-sale", "SUMMER-SALE", "Ｓummer-sale"]) {
      expect(await visits.follow(shortUrl.replace(slug, encodeURIComponent(other)))).toBe(URL_A);
      const answer = await call("POST", "/short-links", { url: URL_B, slug: other });
      expect(answer).toMatchObject({ status: 409, body: { code: "SLUG_TAKEN" } });
    }
    const { id: second } = await make({ slug: "winter-sale" });
    expect(await call("PUT", `/short-links/${second}`, { slug: "SUMMER-sale" })).toMatchObject({
      status: 409,
      body: { code: "SLUG_TAKEN" },
    });
    expect((await call("PUT", `/short-links/${id}`, { slug: "" })).body.slug).toBe("Summer-Sale");
    expect((await call("PUT", `/short-links/${id}`, { slug: "autumn-sale" })).body.slug).toBe(
      "autumn-sale",
    );
    expect(await visits.follow(shortUrl)).toBe(404);
    expect(await visits.follow("https://akimbo.test/s/autumn-sale")).toBe(URL_A);
  });

  test("of another team is not found", async () => {
    const { id } = await make();
    const stranger = await createMember();
    for (const [method, json] of [["GET"], ["PUT", { url: URL_B }], ["DELETE"]] as const) {
      expect((await call(method, `/short-links/${id}`, json, stranger)).status).toBe(404);
    }
    expect((await call("GET", `/short-links/${id}/qr`, undefined, stranger)).status).toBe(404);
  });

  test("wants links:read and links:write", async () => {
    const { id } = await make();
    const token = await createToken(owner.userId, { scopes: ["links:read"] });
    const reader = { ...owner, token };
    expect((await call("GET", `/short-links/${id}`, undefined, reader)).status).toBe(200);
    expect(await call("POST", "/short-links", { url: URL_A }, reader)).toMatchObject({
      status: 403,
      body: { code: "INSUFFICIENT_SCOPE", requiredScope: "links:write" },
    });
  });

  test("is made once for one Idempotency-Key", async () => {
    const headers = { "idempotency-key": "poster" };
    const send = (url: string) => call("POST", "/short-links", { url }, owner, headers);
    const answers = await Promise.all([send(URL_A), send(URL_A), send(URL_A)]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await send(URL_B)).status).toBe(422);
    expect((await call("GET", "/short-links")).body.pagination.total).toBe(1);
  });

  test("races for a slug have one winner", async () => {
    const others = await Promise.all([createMember(), createMember(), createMember()]);
    const answers = await Promise.all(
      others.map((member) => call("POST", "/short-links", { url: URL_A, slug: "the-one" }, member)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test("stands on SHORT_DOMAIN where there is one, and under /s/ as well", async () => {
    harness = harnessWith({ shortDomain: "go.example" });
    visits = new Visits(harness);
    const { shortUrl, slug } = await make();
    expect(shortUrl).toBe(`https://go.example/${slug}`);
    expect(await visits.follow(shortUrl)).toBe(URL_A);
    expect(await visits.follow(`https://akimbo.test/s/${slug}`)).toBe(URL_A);
    expect(await visits.follow(`https://go.example/s/${slug}`)).toBe(404);
    expect(await visits.follow("https://go.example/")).toBe(404);
    const refused = await call("POST", "/short-links", { url: shortUrl });
    expect(refused.body.errors[0].field).toBe("url");
  });

  test("has a QR code", async () => {
    const { id } = await make();
    const answer = await harness.request(`/api/v1/short-links/${id}/qr`, {
      headers: { "x-api-key": owner.token },
    });
    expect(answer.headers.get("content-type")).toBe("image/svg+xml");
    expect(await answer.text()).toMatch(/^<svg .+<\/svg>$/s);
  });
});

describe("an address that was shared", () => {
  const take = (slug: string, member: Member) =>
    call("POST", "/short-links", { url: URL_B, slug }, member);

  test("stays the team's when its link is renamed, and the team can take it back", async () => {
    const { id, shortUrl } = await make({ slug: "Printed-1" });
    await call("PUT", `/short-links/${id}`, { slug: "renamed-1" });
    const stranger = await createMember();
    const taken = await take("printed-1", stranger);
    expect(taken).toMatchObject({ status: 409, body: { code: "SLUG_TAKEN" } });
    const { body: other } = await take("other-1", stranger);
    const renamed = await call("PUT", `/short-links/${other.id}`, { slug: "printed-1" }, stranger);
    expect(renamed).toMatchObject({ status: 409, body: { code: "SLUG_TAKEN" } });
    expect(await visits.follow(shortUrl)).toBe(404);
    expect((await take("printed-1", owner)).status).toBe(200);
    expect(await visits.follow(shortUrl)).toBe(URL_B);
  });

  test("stays the team's when its link moves to a domain", async () => {
    await env.DB.prepare(
      `INSERT INTO domains (id, team_id, user_id, is_shared, host, txt_name, txt_value, cname_target,
        verified_at, created_at, updated_at) VALUES (901, ?, ?, 0, 'moved.example', 'a', 'b', 'c', 1, 0, 0)`,
    )
      .bind(owner.teamId, owner.userId)
      .run();
    const { id, shortUrl } = await make({ slug: "printed-2" });
    await call("PUT", `/short-links/${id}`, { domainId: 901 });
    expect((await take("printed-2", await createMember())).status).toBe(409);
    expect((await call("PUT", `/short-links/${id}`, { domainId: null })).status).toBe(200);
    expect(await visits.follow(shortUrl)).toBe(URL_A);
  });

  test("is given to no other team once its own is erased; nothing else of the team is kept", async () => {
    const { shortUrl, id } = await make({ slug: "printed-3" });
    await call("PUT", `/short-links/${id}`, { slug: "printed-4" });
    const confirm = await env.DB.prepare("SELECT slug FROM teams WHERE id = ?")
      .bind(owner.teamId)
      .first("slug");
    expect((await call("DELETE", `/teams/${owner.teamId}`, { confirm })).status).toBe(200);
    harness.advance(86_400);
    for (let cursor: string | null = null, pages = 0; pages < 9; pages++) {
      cursor = await eraseTeams(harness.deps, cursor);
    }
    const stranger = await createMember();
    for (const slug of ["printed-3", "printed-4"]) {
      expect(await take(slug, stranger)).toMatchObject({ status: 409 });
    }
    expect(await visits.follow(shortUrl)).toBe(404);
    const { results } = await env.DB.prepare("SELECT * FROM slug_owners WHERE team_id = ?")
      .bind(owner.teamId)
      .all();
    expect(results).toEqual([
      { slug_key: "printed-3", team_id: owner.teamId },
      { slug_key: "printed-4", team_id: owner.teamId },
    ]);
  });
});

describe("what is refused", () => {
  const early = { type: "time", startTime: "0000-01-01T00:00:00+14:00", destination: URL_B };
  const rule = (own: object) => ({
    rules: [{ type: "geo", countryCodes: "DE", destination: URL_B, ...own }],
  });
  test.each<[string, object, string]>([
    ["no URL", { url: undefined }, "url"],
    ["javascript:", { url: "javascript:alert(1)" }, "url"],
    ["data:", { url: "data:text/html,x" }, "url"],
    ["file:", { url: "file:///etc/passwd" }, "url"],
    ["a line break", { url: "https://example.com/\r\nX: y" }, "url"],
    ["a short link of ours", { url: "https://akimbo.test/s/abc" }, "url"],
    ["javascript: in a rule", rule({ destination: "javascript:alert(1)" }), "rules.0.destination"],
    [
      "a short link of ours in a rule",
      rule({ destination: "https://akimbo.test/s/abc" }),
      "rules.0.destination",
    ],
    ["a short link of ours as safeUrl", { safeUrl: "https://akimbo.test/s/abc" }, "safeUrl"],
    ["javascript: as image", { imageUrl: "javascript:alert(1)" }, "imageUrl"],
    ["protection without safeUrl", { botProtection: true }, "safeUrl"],
    ["a homograph slug", { slug: "ѕale" }, "slug"],
    ["a reserved slug", { slug: "Api" }, "slug"],
    ["1,001 rules", { rules: Array(1_001).fill(rule({}).rules[0]) }, "rules"],
    ["priority 1001", rule({ priority: 1_001 }), "rules.0.priority"],
    ["a country that does not exist", rule({ countryCodes: "ZZ" }), "rules.0.countryCodes"],
    ["a time before the year 1", { rules: [early] }, "rules.0.startTime"],
    ["a domain that does not exist", { domainId: 999_999 }, "domainId"],
    ["an unknown field", { colour: "red" }, "colour"],
  ])("%s", async (_, json, field) => {
    const { status, body } = await call("POST", "/short-links", { url: URL_A, ...json });
    expect([status, body.errors?.map((one: { field: string }) => one.field)]).toEqual([
      400,
      [field],
    ]);
    const { id } = await make();
    const { url, ...change } = { url: undefined, ...json };
    if (url === undefined && Object.keys(change).length === 0) return;
    const put = await call("PUT", `/short-links/${id}`, { ...change, ...(url ? { url } : {}) });
    expect(put.status).toBe(400);
  });

  test("two addresses at once, and rules that push each other over 1,000", async () => {
    const { id } = await make();
    expect(
      (await call("PUT", `/short-links/${id}`, { url: URL_A, destination: URL_B })).status,
    ).toBe(400);
    const top = { type: "geo", countryCodes: "DE", destination: URL_B, priority: 1_000 };
    const answer = await call("PUT", `/short-links/${id}`, { rules: [top, top] });
    expect(answer.body.errors).toEqual([
      { field: "rules", message: expect.stringContaining("1000") },
    ]);
  });

  test("a way round: no link ever leads to another", async () => {
    const first = await make();
    const second = await call("POST", "/short-links", { url: first.shortUrl });
    expect(second.status).toBe(400);
  });
});

test("1,000 rules are stored and asked, the highest first", async () => {
  const rules = Array.from({ length: 1_000 }, (_, i) => ({
    type: "geo",
    countryCodes: i === 0 ? "JP" : "DE",
    destination: `https://example.com/${i}`,
  }));
  const { id, shortUrl } = await make({ rules });
  const stored = await read(id);
  expect(stored.rules.map(({ priority }: { priority: number }) => priority)).toEqual(
    Array.from({ length: 1_000 }, (_, i) => 999 - i),
  );
  expect(await visits.follow(shortUrl, { country: "DE" })).toBe("https://example.com/999");
  expect(await visits.follow(shortUrl, { country: "JP" })).toBe("https://example.com/0");
  expect(await visits.follow(shortUrl, { country: "FR" })).toBe(URL_A);
});

describe("clicks", () => {
  const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Mobile/15E148";

  test("are counted once, though each message comes twice, with country, device and day", async () => {
    const { id, shortUrl } = await make();
    await Promise.all(Array.from({ length: 30 }, () => visits.visit(shortUrl, { country: "DE" })));
    await Promise.all(
      Array.from({ length: 10 }, () =>
        visits.visit(shortUrl, { country: "JP", headers: { "user-agent": PHONE } }),
      ),
    );
    await visits.visit(shortUrl, { method: "HEAD" });
    await visits.settle();
    expect(visits.messages).toHaveLength(1);
    await visits.deliver(2);
    harness.advance(86_400);
    await visits.visit(shortUrl);
    await visits.deliver(2);
    const link = await read(id);
    expect(link.clicks).toBe(41);
    expect(link.linkClicks).toHaveLength(41);
    expect(link.linkClicks[0]).toEqual({
      country: null,
      device: "desktop",
      clickedAt: "2026-12-02T09:00:00.000Z",
    });
    expect(link.statistics).toEqual({
      days: [
        { day: "2026-12-02", clicks: 1 },
        { day: "2026-12-01", clicks: 40 },
      ],
      countries: [
        { country: "DE", clicks: 30 },
        { country: "JP", clicks: 10 },
        { country: null, clicks: 1 },
      ],
      devices: [
        { device: "desktop", clicks: 31 },
        { device: "mobile", clicks: 10 },
      ],
      countedOnly: 0,
    });
    const { results } = await env.DB.prepare(
      "SELECT sum(count) AS n FROM link_clicks WHERE link_id = ?",
    )
      .bind(id)
      .all();
    expect(results).toEqual([{ n: 41 }]);
  });

  test("of bots stand apart, with the rule of a person left alone", async () => {
    const { id, shortUrl } = await make({
      rules: [{ type: "geo", countryCodes: "DE", destination: "https://de.example/", priority: 1 }],
    });
    for (const agent of [PHONE, "curl/8.5.0", "Mozilla/5.0 (compatible; Googlebot/2.1)"]) {
      await visits.visit(shortUrl, { country: "DE", headers: { "user-agent": agent } });
      await visits.visit(shortUrl, { country: "DE", headers: { "user-agent": agent } });
    }
    await visits.deliver(2);
    await visits.visit(shortUrl, { country: "US", headers: { "user-agent": "Slurp bot" } });
    await visits.deliver(2);
    const { clicks, linkClicks, statistics } = await read(id);
    expect(clicks).toBe(7);
    expect(linkClicks.map(({ device }: { device: string }) => device).toSorted()).toEqual([
      ...Array(5).fill("bot"),
      ...Array(2).fill("mobile"),
    ]);
    expect(statistics).toMatchObject({
      days: [{ day: "2026-12-01", clicks: 7 }],
      countries: [{ country: "DE", clicks: 2 }],
      devices: [
        { device: "bot", clicks: 5 },
        { device: "mobile", clicks: 2 },
      ],
    });
    const day = await env.DB.prepare("SELECT rules, quarters FROM link_days WHERE link_id = ?")
      .bind(id)
      .first<{ rules: string; quarters: string }>();
    expect(Object.values(JSON.parse(day?.rules ?? "{}"))).toEqual([2]);
    expect(Object.values(JSON.parse(day?.quarters ?? "{}"))).toEqual([2]);
  });

  const CROWD = loadOf(400, 2_000);

  test(`of ${CROWD} visitors at once are few messages, and all of them`, async () => {
    const links = [await make(), await make()];
    await Promise.all(
      Array.from({ length: CROWD }, (_, i) =>
        visits.visit(links[i % 2]?.shortUrl ?? "", { country: "DE" }),
      ),
    );
    await visits.settle();
    expect(visits.messages.length).toBeLessThanOrEqual(10 + CROWD / 50);
    await visits.deliver(2);
    for (const { id } of links) expect((await read(id)).clicks).toBe(CROWD / 2);
  });

  test("beyond 100 of a link in a minute are counted alone, each once, and the statistics say so", async () => {
    const { id, shortUrl } = await make();
    const flood = async (count: number, times = 2) => {
      for (let i = 0; i < count; i++) await visits.visit(shortUrl, { country: "DE" });
      await visits.deliver(times);
    };
    const rows = async () => {
      const [kept, alone] = await env.DB.batch<{ n: number; rows: number }>([
        env.DB.prepare(
          "SELECT sum(json_array_length(clicks)) n, count(*) rows FROM link_clicks WHERE link_id = ?",
        ).bind(id),
        env.DB.prepare("SELECT count(*) rows FROM counted_messages WHERE link_id = ?").bind(id),
      ]);
      return [kept?.results[0]?.n, kept?.results[0]?.rows, alone?.results[0]?.rows];
    };
    await flood(90);
    await flood(30);
    expect(await rows()).toEqual([MAX_KEPT_A_MINUTE, 2, 0]);
    await flood(25, 3);
    await flood(25);
    expect(await rows()).toEqual([100, 2, 2]);
    expect(await read(id)).toMatchObject({
      clicks: 170,
      statistics: {
        days: [{ day: "2026-12-01", clicks: 170 }],
        countries: [{ country: "DE", clicks: 170 }],
        countedOnly: 70,
      },
    });
    harness.advance(60);
    await flood(10);
    const link = await read(id);
    expect(link).toMatchObject({ clicks: 180, statistics: { countedOnly: 70 } });
    expect(link.linkClicks).toHaveLength(110);
    harness.advance(6 * 86_400);
    expect(await forgetOldClicks(harness.deps, null)).toBeNull();
    expect(await rows()).toEqual([110, 3, 0]);
    expect((await read(id)).clicks).toBe(180);
  });

  test("are with the queue after one window of 50 ms, however many come in it", async () => {
    const windows: { ms: number; end: () => void }[] = [];
    const sent: ClicksMessage[] = [];
    const store: ClickStore = {
      queue: queueTo<ClicksMessage>((all) => {
        sent.push(...all.map(({ message }) => message));
      }),
      database: env.DB,
      wait: (ms) => new Promise((end) => windows.push({ ms, end })),
      log: () => {},
    };
    const log = new ClickLog();
    const work = [0, 10, 49].map((at) =>
      log.add(store, { click: [1, at, null, "desktop"], agent: "" }, at),
    );
    expect(windows.map(({ ms }) => ms)).toEqual([50]);
    windows[0]?.end();
    await Promise.all(work);
    expect(sent.map(({ clicks }) => clicks.length)).toEqual([3]);
    log.add(store, { click: [1, 51, null, "desktop"], agent: "" }, 51);
    expect(windows.map(({ ms }) => ms)).toEqual([50, 50]);
  });

  test("are stored at once where the queue takes none", async () => {
    const { id, shortUrl } = await make();
    visits.isQueueDown = true;
    for (let i = 0; i < 3; i++) await visits.visit(shortUrl);
    await visits.settle();
    expect((await read(id)).clicks).toBe(3);
  });

  test("come again when the database is out of order", async () => {
    const { id, shortUrl } = await make();
    await visits.visit(shortUrl);
    await visits.settle();
    const messages = visits.messages.splice(0);
    const { db } = harness.deps;
    harness.deps.db = { ...db, run: () => Promise.reject(new Error("Out of order")) };
    expect(await harness.consume(messages, "akimbo-webhooks")).toEqual(messages);
    harness.deps.db = db;
    expect(await harness.consume(messages, "akimbo-dead-letters")).toEqual([]);
    expect((await read(id)).clicks).toBe(1);
  });

  test("hold no address and no user agent", async () => {
    const { shortUrl } = await make();
    await visits.visit(shortUrl, {
      headers: { "cf-connecting-ip": "203.0.113.9", "user-agent": PHONE },
    });
    await visits.settle();
    expect(JSON.stringify(visits.messages)).not.toMatch(/203\.0\.113|iPhone/);
  });
});
