import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { csvOf } from "../../../src/core/csv-text.ts";
import type { Platform } from "../../../src/core/platforms.ts";
import { DAY, HOUR } from "../../../src/core/time.ts";
import { type Counters, METRICS } from "../../../src/features/analytics/rules/counters.ts";
import { TABLES } from "../../../src/features/dashboard/analytics/tables.ts";
import {
  connectSandbox,
  createMember,
  form,
  type Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { photo } from "../../support/stage.ts";
import { belowBy } from "../analytics/readings.ts";
import { type Cell, dateOf, type Night, type Post, rowsOf, storeNights, TODAY } from "./figures.ts";

/** Both hemispheres, half and quarter hours, with and without summer time. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles"],
  ...["America/Sao_Paulo", "America/St_Johns", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo"],
  ...["Australia/Sydney", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati"],
  ...["Africa/Casablanca", "Africa/Cairo", "America/Asuncion", "Asia/Tehran", "Pacific/Apia"],
  "Antarctica/Troll",
];

let harness: Harness;
let owner: Member;
let browser: Browser;

beforeEach(async () => {
  harness = harnessWith({ derivedMetrics: [] });
  owner = await createMember();
  browser = await new Browser(harness).signIn(owner);
});

const show = async (path = "") => {
  const page = await browser.get(`/app/analytics${path}`);
  expect(page.status, page.html).toBe(200);
  return page.html;
};

/** What stands together, and what stands beside. */
function partsOf(html: string): { together: string; beside: string | null } {
  const [together = "", beside = null] = html.split('<section class="beside"');
  return { together, beside };
}

const store = (
  accountId: string,
  platform: Platform,
  nights: readonly Night[],
  errors: readonly string[] = [],
): Promise<void> =>
  storeNights(harness.deps, owner.teamId, { accountId, platform, nights, errors });

/** A year with nights that read no posts, no followers or nothing at all. */
async function plant(accountId: string, platform: Platform, seed: number, days: number) {
  const below = belowBy(seed);
  const marks = new Map<string, number[]>();
  const nights: Night[] = [];
  for (let ago = days; ago >= 0; ago--) {
    if (below(8) === 0) continue;
    const posts = Array.from({ length: 12 }, (_, i) => i).flatMap((i): Post[] => {
      const publishedAt = (TODAY - 6 * i - 1) * DAY + ((i * 5 + seed * 7) % 24) * HOUR;
      if (publishedAt > (TODAY - ago) * DAY) return [];
      const id = `${accountId}-${i}`;
      const risen = (marks.get(id) ?? [0, 0, 0, 0]).map((mark) => mark + below(900));
      marks.set(id, risen);
      const counters = METRICS.map((metric, at) =>
        platform === "youtube" && metric === "shares" ? null : (risen[at] ?? null),
      );
      return [{ id, counters, publishedAt }];
    });
    const isRead = below(6) > 0;
    const followers = below(4) === 0 ? null : 1_000 + below(300);
    nights.push({ daysAgo: ago, posts: isRead ? posts : null, followers });
  }
  await store(accountId, platform, nights);
}

interface Raw {
  platform: string;
  days: (number | null)[][];
  posts: { id: string; publishedAt: number; counters: Counters }[];
}

async function rawRows(): Promise<Raw[]> {
  const { results } = await env.DB.prepare(
    `SELECT a.platform, n.series, p.posts FROM accounts a JOIN analytics n ON n.account_id = a.id
      JOIN analytics_posts p ON p.account_id = a.id WHERE a.team_id = ?`,
  )
    .bind(owner.teamId)
    .all<Record<"platform" | "series" | "posts", string>>();
  return results.map(({ platform, series, posts }) => ({
    platform,
    days: JSON.parse(series).days,
    posts: JSON.parse(posts),
  }));
}

const sumOf = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

/** The table of views as it must be, from the stored rows alone. */
const rawViews = (rows: readonly Raw[], days: number): Cell[][] =>
  Array.from({ length: days }, (_, i) => TODAY - days + i).map((day) => [
    dateOf(day),
    sumOf(rows.flatMap((row) => row.days.filter(([at]) => at === day).map((one) => one[1]))),
  ]);

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The table of the heat map as it must be, by Intl. */
function rawGrid(rows: readonly Raw[], timeZone: string): Cell[][] {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, weekday: "long", hour: "2-digit", hourCycle: "h23" },
  });
  const places = new Map<string, number[]>();
  for (const { publishedAt, counters } of rows.flatMap(({ posts }) => posts)) {
    const parts = format.formatToParts(publishedAt);
    const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
    const place = `${part("weekday")} ${part("hour")}:00`;
    places.set(place, [...(places.get(place) ?? []), counters[0] ?? 0]);
  }
  const order = ([name = ""]: [string, number[]]) =>
    ((WEEKDAYS.indexOf(name.split(" ")[0] ?? "") + 6) % 7) * 24 +
    Number(name.split(" ")[1]?.slice(0, 2));
  return [...places]
    .sort((a, b) => order(a) - order(b))
    .map(([name, views]) => [
      ...name.split(" "),
      views.length,
      Math.round(((sumOf(views) ?? 0) / views.length) * 100) / 100,
      views.length >= 3 ? "yes" : "no",
    ]);
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Figures = any;

/** What the page's tables must say, by the API's answer. */
function tablesBy(figures: Figures): Record<string, Cell[][]> {
  const { summary, dailyHistory, followerHistory, postingInsights, topHashtags } = figures;
  const window = Array.from({ length: 30 }, (_, i) => dateOf(TODAY - 30 + i));
  const dayOf = (list: Figures[], date: string) => list.find((one) => one.date === date);
  const gained = (date: string) => {
    const { likes = null, comments = null, shares = null } = dayOf(dailyHistory, date) ?? {};
    return [likes, comments, shares, sumOf([likes, comments, shares])];
  };
  const { views, followers, postsPublished } = summary;
  return {
    "Views by day": window.map((date) => [date, dayOf(dailyHistory, date)?.views ?? null]),
    "Engagement by day": window.map((date) => [date, ...gained(date)]),
    "Followers by day": window.map((date) => [
      date,
      dayOf(followerHistory, date)?.followers ?? null,
    ]),
    views: [["Views", views.current, views.previous, views.change, views.changePct]],
    followers: [
      ["Followers", followers.total, followers.previous, followers.change, followers.changePct],
    ],
    posts: [
      ["Posts", postsPublished.current, postsPublished.previous, postsPublished.change, null],
    ],
    "Average views by hour": postingInsights.byHour.map((one: Figures) => [
      ...[`${String(one.hour).padStart(2, "0")}:00`, one.posts],
      ...[one.posts === 0 ? null : one.avgViews, one.ranked ? "yes" : "no"],
    ]),
    "Hashtags of all known posts": topHashtags.map((one: Figures) => [
      ...[`#${one.tag}`, one.posts, one.views, one.engagement],
    ]),
    "All known posts, since they were published": [
      ["Posts", figures.overview.videoCount],
      ["Views", figures.overview.totalViews],
      ["Likes", figures.overview.totalLikes],
      ["Comments", figures.overview.totalComments],
      ["Shares", figures.overview.totalShares],
    ],
  };
}

function tablesOn(html: string): Record<string, Cell[][]> {
  const summary = rowsOf(html, "These 30 days and the 30 before");
  const rowOf = (name: string) => summary.filter(([first]) => first === name);
  const named = [
    ...["Views by day", "Engagement by day", "Followers by day", "Average views by hour"],
    ...["Hashtags of all known posts", "All known posts, since they were published"],
  ];
  return {
    ...Object.fromEntries(named.map((name) => [name, rowsOf(html, name)])),
    views: rowOf("Views"),
    followers: rowOf("Followers"),
    posts: rowOf("Posts"),
  };
}

describe("the figures of 30 days", () => {
  beforeEach(async () => {
    const all: [string, Platform][] = [
      ["Ada", "bluesky"],
      ["Bob", "tiktok"],
      ["Cleo", "youtube"],
      ["Dan", "youtube"],
    ];
    for (const [seed, [name, platform]] of all.entries()) {
      const id = await connectSandbox(harness, owner, name, platform);
      await plant(id, platform, seed + 1, 70);
    }
  }, 60_000);

  test("equal those of the API and of the raw rows in 20 zones, with YouTube beside", async () => {
    const rows = await rawRows();
    const isBeside = ({ platform }: Raw) => platform === "youtube";
    for (const zone of ZONES) {
      await env.DB.prepare("UPDATE teams SET zone = ? WHERE id = ?").bind(zone, owner.teamId).run();
      const { together, beside } = partsOf(await show("?period=30"));
      const { token } = owner;
      const path = `/analytics/overview?timezone=${encodeURIComponent(zone)}`;
      const { data } = (await harness.call("GET", path, { token })).body;
      expect({ zone, ...tablesOn(together) }).toEqual({ zone, ...tablesBy(data) });
      expect({ zone, ...tablesOn(beside ?? "") }).toEqual({ zone, ...tablesBy(data.apart[0]) });
      for (const [html, own] of [
        [together, rows.filter((row) => !isBeside(row))],
        [beside ?? "", rows.filter(isBeside)],
      ] as const) {
        expect(rowsOf(html, "Views by day")).toEqual(rawViews(own, 30));
        const grid = rowsOf(html, "Average views by weekday and hour of publication");
        expect({ zone, grid }).toEqual({ zone, grid: rawGrid(own, zone) });
      }
    }
  }, 60_000);

  test.each([7, 90, 365])("of %i days are summed from the raw rows too", async (days) => {
    const { together } = partsOf(await show(`?period=${days}`));
    const own = (await rawRows()).filter(({ platform }) => platform !== "youtube");
    const views = rawViews(own, days);
    expect(rowsOf(together, "Views by day")).toEqual(views);
    const [first] = rowsOf(together, `These ${days} days and the ${days} before`);
    expect(first?.[1]).toBe(sumOf(views.map(([, value]) => value as number | null)));
  });

  test("split by platform and account have lines that add up", async () => {
    const whole = rowsOf(partsOf(await show("?period=30")).together, "Views by day");
    for (const split of ["platform", "account"]) {
      const { together } = partsOf(await show(`?period=30&split=${split}`));
      const lines = rowsOf(together, "Views by day");
      expect(lines.map(([date, ...values]) => [date, sumOf(values as number[])])).toEqual(whole);
    }
    const weeks = rowsOf(
      partsOf(await show("?period=365&split=platform")).together,
      "Views by week",
    );
    expect(weeks).toHaveLength(53);
  });

  test("of YouTube are in the sums once Google accepted it", async () => {
    harness = harnessWith({ derivedMetrics: ["youtube"] });
    browser = await new Browser(harness).signIn(owner);
    const { together, beside } = partsOf(await show());
    expect(beside).toBeNull();
    expect(rowsOf(together, "Views by day")).toEqual(rawViews(await rawRows(), 30));
  });

  test("come as CSV, table by table, as the page has them", async () => {
    const { together, beside } = partsOf(await show("?period=30"));
    for (const [html, query] of [
      [together, "?period=30"],
      [beside ?? "", "?period=30&part=youtube"],
    ] as const) {
      const page = await browser.get(`/app/analytics/views.csv${query}`);
      expect(page.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const rows = rowsOf(html, "Views by day");
      expect(page.html).toBe(csvOf([["Day", "Views"], ...rows]));
    }
    for (const name of TABLES) {
      const page = await browser.get(`/app/analytics/${name}.csv`);
      expect([name, page.status, page.html.split("\r\n").length > 2]).toEqual([name, 200, true]);
    }
    expect((await browser.get("/app/analytics/views.csv?part=tiktok")).status).toBe(404);
  });

  test("come as CSV whose names have the period and the choice; a mistake is refused", async () => {
    const nameOf = async (path: string) =>
      (await browser.get(path)).headers.get("content-disposition");
    const days = `${dateOf(TODAY - 7)}-to-${dateOf(TODAY - 1)}`;
    expect(await nameOf("/app/analytics/summary.csv?period=7")).toBe(
      `attachment; filename="analytics-summary-${days}.csv"`,
    );
    expect(await nameOf("/app/analytics/views.csv?period=7&part=youtube")).toBe(
      `attachment; filename="analytics-views-youtube-${days}.csv"`,
    );
    const { html } = await browser.get("/app/analytics");
    const account = /<option value="(acc_[^"]+)"/.exec(html)?.[1] ?? "";
    expect(account).not.toBe("");
    for (const path of [
      `/app/analytics/views.csv?period=7&account=${account}`,
      `/app/analytics/accounts/${account}/views.csv?period=7`,
    ]) {
      expect(await nameOf(path)).toMatch(
        new RegExp(`filename="analytics-views-[a-z0-9-]+-${days}[.]csv"`),
      );
    }
    for (const path of ["", `/accounts/${account}`]) {
      const refused = await browser.get(`/app/analytics${path}/views.csv?period=zz`);
      expect(refused.status).toBe(400);
      expect(refused.html).toContain("Choose a period of 7, ");
    }
  });

  test("of the best posts say by what they are the best", async () => {
    const html = await show("?period=30");
    expect(html).toContain("<h3>Most viewed</h3>");
    const { html: csv } = await browser.get("/app/analytics/posts.csv?period=30");
    const [head = "", ...rows] = csv.trim().split("\r\n");
    expect(head).toMatch(/,Best by$/);
    const kinds = rows.map((row) => row.split(",").at(-1));
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds).toEqual(kinds.toSorted().reverse());
    expect(["views", "engagement"]).toEqual(expect.arrayContaining(kinds));
  });
});

test.each<[Cell[], string]>([
  [["a", 1, null], "a,1,\r\n"],
  [["=SUM(A1)", -3, "-x"], "'=SUM(A1),-3,'-x\r\n"],
  [["+1", "@x", "\tx"], "'+1,'@x,'\tx\r\n"],
  [['say "hi", you', "a\nb"], '"say ""hi"", you","a\nb"\r\n'],
])("a row of a CSV is %j", (row, text) => {
  expect(csvOf([row])).toBe(text);
});

describe("a workspace", () => {
  test("without accounts is told what to do", async () => {
    expect(await show()).toContain("Connect an account");
  });

  test("prints its figures under its own name", async () => {
    await connectSandbox(harness, owner, "Ada", "bluesky");
    const { token } = owner;
    const json = { branding: { name: "Kranich & Söhne" } };
    await harness.call("PATCH", "/settings", { token, json });
    expect(await show()).toContain('<div class="printed"><p> <strong>Kranich &amp; Söhne</strong>');
  });

  test("that was never read says so, and shows no zero", async () => {
    await connectSandbox(harness, owner, "Ada", "bluesky");
    const html = await show();
    expect(html).toContain("Nothing has been counted so far.");
    for (const row of rowsOf(html, "These 30 days and the 30 before")) {
      expect(row.slice(1)).toEqual([null, null, null, null]);
    }
    expect(html).toContain("Not measured in this period.");
  });

  test("whose reading failed is told why, and where to go", async () => {
    const id = await connectSandbox(harness, owner, "Ada", "bluesky");
    await store(id, "bluesky", [{ daysAgo: 1, posts: [] }], ["Posts: <b>no</b> answer"]);
    const html = await show();
    expect(html).toContain("Some figures could not be read");
    expect(html).toContain("Posts: &lt;b&gt;no&lt;/b&gt; answer");
    expect(html).toContain(`href="/app/accounts/${id}"`);
  });

  test.each<[query: string, mistake: string]>([
    ["?period=31", "Choose a period of 7, 30, 90 or 365 days."],
    ["?platform=orkut", "There is no such platform."],
    ["?split=moon", "There is no such split."],
    [`?tag=${"x".repeat(300)}`, "There is no such tag."],
  ])("is told of a mistake: %s", async (query, mistake) => {
    await connectSandbox(harness, owner, "Ada", "bluesky");
    expect(await show(query)).toContain(mistake);
  });

  test("is narrowed by account, platform and tag", async () => {
    const ada = await connectSandbox(harness, owner, "Ada", "bluesky");
    await connectSandbox(harness, owner, "Bob", "tiktok");
    const { token } = owner;
    await harness.call("PATCH", `/accounts/${ada}`, { token, json: { tags: "news" } });
    for (const query of [`?account=${ada}`, "?platform=bluesky", "?tag=NEWS"]) {
      expect(await show(query)).toContain("One account, ");
    }
    expect(await show("?tag=none")).toContain("No account fits this choice.");
  });
});

describe("a post", () => {
  const ID = "at://did:plc:x/app.bsky.feed.post/3k?a=1";

  const plantPost = async (uploadId = 0) => {
    const id = await connectSandbox(harness, owner, "Ada", "bluesky");
    const publishedAt = (TODAY - 3) * DAY + HOUR;
    const more = { ...(uploadId ? { uploadId } : {}), text: "<i>Hello</i>" };
    const liked = [
      [3, 5],
      [2, 9],
      [1, 20],
    ] as const;
    await store(
      id,
      "bluesky",
      liked.map(([daysAgo, likes]) => ({
        daysAgo,
        posts: [{ id: ID, counters: [null, likes, 1, 0], publishedAt, ...more }],
      })),
    );
    return id;
  };

  const pathOf = (id: string) => `/posts/${id}/${encodeURIComponent(ID)}`;

  test("has its figures since publication, day by day", async () => {
    const id = await plantPost();
    const html = await show(pathOf(id));
    expect(html).toContain("&lt;i&gt;Hello&lt;/i&gt;");
    expect(html).toMatch(/<dt>Views<\/dt><dd class="value none">not measured/);
    expect(html).toMatch(/<dt>Likes<\/dt><dd class="value">20</);
    expect(rowsOf(html, "Engagement at the end of each day")).toEqual([
      [dateOf(TODAY - 3), 5, 1, 0, 6],
      [dateOf(TODAY - 2), 9, 1, 0, 10],
      [dateOf(TODAY - 1), 20, 1, 0, 21],
    ]);
    const { html: csv } = await browser.get(`/app/analytics${pathOf(id)}/engagement.csv`);
    expect(csv.split("\r\n")[3]).toBe(`${dateOf(TODAY - 1)},20,1,0,21`);
    const account = await show(`/accounts/${id}`);
    expect(account).toContain(`href="/app/analytics${pathOf(id)}"`);
  });

  test("that is unknown, and one of another team, is refused", async () => {
    const id = await plantPost();
    expect((await browser.get(`/app/analytics/posts/${id}/none`)).status).toBe(404);
    const stranger = await new Browser(harness).signIn(await createMember());
    expect((await stranger.get(`/app/analytics${pathOf(id)}`)).status).toBe(403);
    expect((await stranger.get(`/app/analytics/accounts/${id}`)).status).toBe(403);
  });

  test("of ours has its picture, one without has a drawing, and another team's has none", async () => {
    const accountId = await connectSandbox(harness, owner, "Bob", "bluesky");
    const { token } = owner;
    const upload = async (fields: Record<string, string | Blob>) => {
      const body = form({ accountId, description: "Hi", status: "draft", ...fields });
      return (await harness.call("POST", "/upload", { token, body })).body.data.uploadId;
    };
    const [pictured, plain] = [
      await upload({ photo: photo() }),
      await upload({ description: "Other" }),
    ];
    await plantPost(pictured);
    expect(await show()).toContain(`src="/app/analytics/pictures/${pictured}"`);
    const picture = await browser.get(`/app/analytics/pictures/${pictured}`);
    expect([picture.status, picture.location]).toEqual([303, expect.stringMatching(/^\/media\//)]);
    expect((await browser.get(`/app/analytics/pictures/${plain}`)).html).toContain("<svg");
    const stranger = await new Browser(harness).signIn(await createMember());
    expect((await stranger.get(`/app/analytics/pictures/${pictured}`)).status).toBe(404);
  });
});
