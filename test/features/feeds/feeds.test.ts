import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { finishChores } from "../../costs/support.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { rss, rssItem } from "./samples.ts";

const URL = "https://blog.example/feed";

let harness: Harness;
let member: Member;
let accountId: string;
let items: string[];
let requests: { url: string; headers: Headers }[];
let answer: (url: string) => Response | Promise<Response>;

beforeEach(async () => {
  harness = new Harness();
  // Hourly chores begin at 17 minutes past.
  harness.advance(20 * 60);
  await finishChores(harness);
  member = await createMember();
  accountId = await connectSandbox(harness, member);
  items = [rssItem(1)];
  requests = [];
  answer = () => new Response(rss(...items));
  harness.network = async (input, init) => {
    const { url, headers } = new Request(input, init);
    requests.push({ url, headers });
    return answer(url);
  };
  await env.DB.exec("DELETE FROM feeds; DELETE FROM feed_entries;");
});

const call = (method: string, path: string, json?: unknown, { token } = member) =>
  harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });

const add = (fields: object = {}) =>
  call("POST", "/feeds", { url: URL, accountIds: [accountId], ...fields });

const added = async (fields: object = {}): Promise<number> => {
  const { status, body } = await add(fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.id;
};

const posts = async () => (await call("GET", "/upload")).body.data;
const texts = async () =>
  (await posts()).map(({ description }: { description: string }) => description);
const feed = async () => (await call("GET", "/feeds")).body.data[0];

/** An hour later, a chore wakes the feeds, and the queue checks them. */
async function checkLater(hours = 1): Promise<void> {
  harness.advance(hours * 3_600);
  await finishChores(harness);
  await harness.drain();
}

test("what a feed has when it is added makes no posts, and what comes later makes one each", async () => {
  await added();
  await checkLater();
  expect(await posts()).toHaveLength(0);
  items = [rssItem(3), rssItem(2), rssItem(1)];
  await checkLater();
  expect(await texts()).toEqual([
    "Entry 3\nhttps://blog.example/3",
    "Entry 2\nhttps://blog.example/2",
  ]);
  expect((await posts())[0].status).toBe("draft");
  await checkLater();
  expect(await posts()).toHaveLength(2);
});

test("a feed is asked only for what changed", async () => {
  answer = () => new Response(rss(...items), { headers: { etag: '"1"', "last-modified": "then" } });
  await added();
  answer = () => new Response(null, { status: 304 });
  await checkLater();
  const { headers } = requests.at(-1) ?? { headers: new Headers() };
  expect(headers.get("if-none-match")).toBe('"1"');
  expect(headers.get("if-modified-since")).toBe("then");
  expect(await feed()).toMatchObject({ problem: null });
  expect(requests).toHaveLength(2);
});

test("posts go out at once, with a template, blocks and the picture, where that is asked for", async () => {
  await call("PUT", "/blocks/utm", { kind: "utm", text: "utm_source={platform}" });
  await added({ status: null, template: "{title}: {summary}\n{block:utm|{link}}" });
  items = [
    rssItem(2, '<media:content url="https://blog.example/2.jpg" medium="image"/>'),
    ...items,
  ];
  await checkLater();
  const [post] = await posts();
  expect(post.description).toBe(
    "Entry 2: About 2 & more\nhttps://blog.example/2?utm_source=bluesky",
  );
  expect(requests.map(({ url }) => url)).toContain("https://blog.example/2.jpg");
});

test("an entry that changes its id or its address is no new one, and neither is an old one", async () => {
  await added();
  items = [
    rssItem(1).replace("blog-1", "renamed"),
    rssItem(1).replace("blog.example/1<", "blog.example/moved<"),
    rssItem(5).replace(/<pubDate>[^<]*/, "<pubDate>05 Nov 2020 10:00:00 GMT"),
  ];
  await checkLater();
  expect(await posts()).toHaveLength(0);
});

test("two checks at once make each post once", async () => {
  const id = await added();
  items = [rssItem(2), ...items];
  harness.advance(3_600);
  await finishChores(harness);
  await env.DB.prepare("UPDATE feeds SET next_at = 0 WHERE id = ?").bind(id).run();
  await Promise.all([harness.drain(), harness.consume([{ kind: "feeds" } as never])]);
  await env.DB.prepare("UPDATE feeds SET next_at = 0 WHERE id = ?").bind(id).run();
  await env.DB.exec("DELETE FROM feed_entries");
  await checkLater();
  expect((await texts()).filter((text: string) => text.startsWith("Entry 2"))).toHaveLength(1);
});

test("many new entries come a slice at a time, the oldest first", async () => {
  const more = await Promise.all(
    ["b", "c"].map((name) => connectSandbox(harness, member, name, "threads")),
  );
  await added({ accountIds: [accountId, ...more] });
  items = Array.from({ length: 20 }, (_, i) =>
    rssItem(9)
      .replaceAll("blog-9", `n${20 - i}`)
      .replaceAll("blog.example/9", `blog.example/n${20 - i}`)
      .replace("Entry 9", `Number ${20 - i}, which is another one`),
  );
  harness.advance(3_600);
  await finishChores(harness);
  await harness.deliver();
  expect(await posts()).toHaveLength(16 * 3);
  expect((await texts()).at(-1)).toContain("n1");
  await harness.drain();
  expect(await posts()).toHaveLength(20 * 3);
});

const TROUBLES: [what: string, answer: () => Response | Promise<Response>, problem: string][] = [
  ["is not there", () => new Response("", { status: 404 }), "It answered 404."],
  ["is a page", () => new Response("<html></html>"), "It is not a feed."],
  [
    "leads inside",
    () => Response.redirect("http://169.254.169.254/", 302),
    "which must not point at a private network",
  ],
  ["leads around", () => Response.redirect(URL, 302), "redirects more than 3 times"],
  ["is too large", () => new Response("x".repeat(2_100_000)), "larger than 2 MB"],
  [
    "is silent",
    () => Promise.reject(new DOMException("late", "TimeoutError")),
    "within 10 seconds",
  ],
  [
    "breaks off",
    () => new Response(new ReadableStream({ pull: (c) => c.error(new Error("cut")) })),
    "broke off",
  ],
];

test.for(TROUBLES)(
  "a feed that %s is told, and asked again later",
  async ([, trouble, problem]) => {
    await added();
    answer = trouble;
    await checkLater();
    const shown = await feed();
    expect(shown.problem).toContain(problem);
    expect(shown.isActive).toBe(true);
    answer = () => new Response(rss(rssItem(2), ...items));
    await checkLater();
    expect(await posts()).toHaveLength(0);
    await checkLater();
    expect(await posts()).toHaveLength(1);
    expect((await feed()).problem).toBeNull();
  },
);

test.for(TROUBLES)("a feed that %s is refused when it is added", async ([, trouble]) => {
  answer = trouble;
  const { status, body } = await add();
  expect(status).toBe(400);
  expect(body.errors[0].field).toBe("url");
  expect(await feed()).toBeUndefined();
});

test("Retry-After is kept, and a feed that is gone for good is switched off", async () => {
  await added();
  answer = () => new Response("", { status: 429, headers: { "retry-after": "20000" } });
  await checkLater();
  const asked = requests.length;
  await checkLater(5);
  expect(requests).toHaveLength(asked);
  answer = () => new Response("", { status: 410 });
  await checkLater(1);
  expect(await feed()).toMatchObject({
    isActive: false,
    problem: expect.stringContaining("gone for good"),
  });
});

test("the feed that a page names is used, and a YouTube channel has one", async () => {
  answer = (url) =>
    url === URL
      ? new Response(
          '<html><link rel="alternate" type="application/rss+xml" href="/rss?a=1&amp;b=2"></html>',
        )
      : new Response(rss(...items));
  await added();
  expect((await feed()).url).toBe("https://blog.example/rss?a=1&b=2");
  const channel = `https://www.youtube.com/channel/UC${"a".repeat(22)}`;
  await added({ url: channel });
  expect((await feed()).url).toBe(
    `https://www.youtube.com/feeds/videos.xml?channel_id=UC${"a".repeat(22)}`,
  );
});

test("an entry that an account does not take is told, and the others are made", async () => {
  await added({ template: "{title} {summary}" });
  items = [rssItem(3), rssItem(2).replace("Entry 2", "x".repeat(400)), ...items];
  await checkLater();
  expect(await posts()).toHaveLength(1);
  expect((await feed()).problem).toMatch(/^“x{100}” made no post: .*300/);
  await checkLater();
  expect(await posts()).toHaveLength(1);
});

test("posts of a member who needs approval are held, and those of one who left are not made", async () => {
  const other = await createMember();
  await joinTeam(member.teamId, other.userId, "MEMBER");
  const token = await createToken(other.userId, { teamId: member.teamId });
  await call("PATCH", "/settings", { requireMemberApproval: true });
  const json = { url: URL, accountIds: [accountId], status: null };
  await call("POST", "/feeds", json, { ...other, token });
  items = [rssItem(2), ...items];
  await checkLater();
  expect((await posts())[0].status).toBe("pending_approval");
  await env.DB.prepare("UPDATE members SET is_active = 0 WHERE user_id = ? AND team_id = ?")
    .bind(other.userId, member.teamId)
    .run();
  items = [rssItem(3), ...items];
  await checkLater();
  expect(await posts()).toHaveLength(1);
  const { id, problem } = await feed();
  expect(problem).toContain("has left the team");
  await call("PATCH", `/feeds/${id}`, { isActive: true });
  await harness.drain();
  expect(await posts()).toHaveLength(2);
});

test("a feed is changed, switched off and deleted", async () => {
  const id = await added();
  const changed = await call("PATCH", `/feeds/${id}`, { template: "{link}", isActive: false });
  expect(changed.body.data).toMatchObject({ template: "{link}", isActive: false, nextAt: null });
  items = [rssItem(2), ...items];
  await checkLater();
  expect(await posts()).toHaveLength(0);
  expect((await call("DELETE", `/feeds/${id}`)).status).toBe(200);
  expect((await call("DELETE", `/feeds/${id}`)).status).toBe(404);
  const rest = await env.DB.prepare("SELECT COUNT(*) AS n FROM feed_entries").first("n");
  expect(rest).toBe(0);
});

test.each([
  [{ url: "http://10.0.0.1/feed" }, "url"],
  [{ url: "ftp://blog.example/feed" }, "url"],
  [{ accountIds: ["acc_none"] }, "accountIds"],
  [{ accountIds: [] }, "accountIds"],
  [{ status: "published" }, "status"],
])("%j is refused", async (fields, field) => {
  const { status, body } = await add(fields);
  expect(status).toBe(400);
  expect(body.errors[0].field).toBe(field);
});

test("an hour of 1,000 feeds keeps within the free plan's subrequests", async () => {
  await added();
  await env.DB.exec(
    "INSERT INTO feeds SELECT NULL, team_id, url || value, account_ids, template, status, 0, 1, created_by, 1, '', created_at, next_at, NULL, NULL, NULL, 0, NULL FROM feeds, (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 999) SELECT value FROM n)",
  );
  answer = () => new Response(null, { status: 304 });
  requests.length = 0;
  let most = 0;
  let written = 0;
  for (let minute = 0; minute < 120; minute++) {
    harness.advance(60);
    await harness.tick();
    while (harness.sent.length > 0) {
      const { costs } = await measure(harness, () => harness.drain(1));
      written += costs.rowsWritten;
      most = Math.max(
        most,
        costs.roundTrips.length + costs.fetches.length + costs.queueSends.length,
      );
    }
  }
  expect(requests.length).toBeGreaterThanOrEqual(1_000);
  expect(most).toBeLessThanOrEqual(50);
  expect(written).toBeLessThanOrEqual(2 * requests.length);
});

test.each([
  ["once, and then twice", 1, 2],
  ["twice, and then once", 2, 1],
])("an entry that stands %s makes one post", async (_, first, later) => {
  await added();
  const same = (times: number) => Array.from({ length: times }, () => rssItem(2));
  items = [...same(first), rssItem(1)];
  await checkLater();
  items = [...same(later), rssItem(1)];
  await checkLater(96);
  expect(await texts()).toHaveLength(1);
});

test.each([
  ["switched off", { isActive: false }],
  ["deleted", null],
])("a feed that is %s while it answers makes no post", async (_, change) => {
  const id = await added();
  items = [rssItem(2), ...items];
  const before = answer;
  answer = async (url) => {
    await (change ? call("PATCH", `/feeds/${id}`, change) : call("DELETE", `/feeds/${id}`));
    return before(url);
  };
  await checkLater();
  expect(await posts()).toHaveLength(0);
});

test("a feed that is changed while it answers makes its posts as it is then", async () => {
  const id = await added({ status: "draft" });
  items = [rssItem(2), ...items];
  const before = answer;
  answer = async (url) => {
    await call("PATCH", `/feeds/${id}`, { status: "pending_approval" });
    return before(url);
  };
  await checkLater();
  expect(await posts()).toMatchObject([{ status: "pending_approval" }]);
});

const expire = (id: string, status = "expired") =>
  env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?").bind(status, id).run();

test("while an entry waits for one account, the other's post is made once, also when it is deleted", async () => {
  const other = await connectSandbox(harness, member, "Other");
  await added({ accountIds: [accountId, other], status: "draft" });
  await expire(other);
  items = [rssItem(2), ...items];
  await checkLater();
  const [{ id }] = await posts();
  expect(await posts()).toHaveLength(1);
  await call("DELETE", `/upload/${id}`);
  await call("PATCH", `/feeds/${(await feed()).id}`, { isActive: false });
  await call("PATCH", `/feeds/${(await feed()).id}`, { isActive: true });
  items = items.map((item) => item.replace("blog-2<", "blog-new<"));
  await checkLater();
  expect(await posts()).toHaveLength(0);
  await expire(other, "active");
  await checkLater();
  expect(await posts()).toMatchObject([{ connectedAccount: { id: other } }]);
});

test("entries that wait for an account do not hold up those behind them", async () => {
  const accounts = [accountId];
  for (let i = 0; i < 25; i++) accounts.push(await connectSandbox(harness, member, `Name ${i}`));
  await added({ accountIds: accounts, status: "draft" });
  await expire(accountId);
  items = [rssItem(4), rssItem(3), rssItem(2), ...items];
  for (let hours = 0; hours < 6; hours++) await checkLater();
  expect(new Set(await texts()).size).toBe(3);
});

test("a feed is switched off, whatever became of its accounts", async () => {
  const id = await added();
  await call("DELETE", `/accounts/${accountId}`);
  expect((await call("PATCH", `/feeds/${id}`, { isActive: false })).status).toBe(200);
});

test("an entry that is here already makes no post two days later either", async () => {
  await added({ status: null });
  await harness.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, description: "Entry 2\nhttps://blog.example/2" }),
  });
  items = [rssItem(2), ...items];
  await checkLater();
  expect((await feed()).problem).toContain("similar");
  await checkLater(72);
  expect(await posts()).toHaveLength(1);
});

test("an address feeds an account once", async () => {
  const id = await added();
  const twin = await add({ url: `${URL}#now`, template: "{title}" });
  expect(twin.status).toBe(400);
  expect(twin.body.error).toContain(`feed ${id} brings it to one of these accounts already`);
});

test("an entry that is listed twice makes one post, and so do two of one id", async () => {
  await added({ accountIds: [accountId, accountId] });
  const twin = rssItem(3).replace("blog-3", "blog-2").replace("Entry 3", "Entry 3, of the id of 2");
  items = [rssItem(2), rssItem(2), twin, ...items];
  await checkLater();
  expect(await texts()).toHaveLength(2);
});

test("a feed whose entries all have one id is told apart by their addresses", async () => {
  const one = (n: number) => rssItem(n).replace(`blog-${n}`, "the-same");
  items = [one(2), one(1)];
  await added();
  items = [one(4), one(3), one(2), one(1)];
  await checkLater();
  expect(await posts()).toHaveLength(2);
});

test("an entry waits for an account that is disconnected, and comes when it is back", async () => {
  await added();
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(accountId).run();
  items = [rssItem(2), ...items];
  await checkLater();
  expect(await posts()).toHaveLength(0);
  expect((await feed()).problem).toContain("Reconnect");
  await checkLater();
  await env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?").bind(accountId).run();
  await checkLater();
  expect(await posts()).toHaveLength(1);
  expect((await feed()).problem).toBeNull();
});

test("what an account can never take is refused when the feed is added", async () => {
  const youtube = await connectSandbox(harness, member, "Films", "youtube");
  const { status, body } = await add({ accountIds: [youtube] });
  expect(status).toBe(400);
  expect(body.errors[0]).toMatchObject({ field: "accountIds" });
});

test("a feed of more entries than a check looks at posts the newest, wherever they stand", async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const at = new Date(Date.UTC(2026, 11, 1) + i * 60_000).toUTCString();
      return rssItem(1)
        .replaceAll("blog-1", `n${i}`)
        .replaceAll("blog.example/1", `blog.example/n${i}`)
        .replace("Entry 1", `Number ${i}`)
        .replace(/<pubDate>[^<]*/, `<pubDate>${at}`);
    });
  items = many(150);
  await added();
  items = many(1_000).slice(0, 150).concat(many(1_000).slice(900, 901));
  await checkLater();
  expect(await texts()).toEqual(["Number 900\nhttps://blog.example/n900"]);
});
