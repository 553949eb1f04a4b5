import type { Browser, Page } from "playwright-core";
import { execute, type Place } from "../../src/cli/d1.ts";
import { sql } from "../../src/cli/sql.ts";
import { packSeries } from "../../src/features/analytics/stored.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { requireSound, type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";
import { checkReport } from "./report.ts";
import { walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  place: Place;
  /** For the screenshots. */
  folder: string;
}

const DAY_MS = 86_400_000;
const DAYS = 60;
const POST = "post/1";

interface Account {
  id: string;
  platform: string;
}

/** Stores what 60 nights would have: some were not read. */
export async function plantFigures(akimbo: Akimbo, place: Place): Promise<Account[]> {
  const { body } = await akimbo.call<{ data: Account[] }>("GET", "/accounts");
  const seen = new Set<string>();
  const accounts = body.data.filter(({ platform }) => {
    const isWanted = ["bluesky", "tiktok", "youtube"].includes(platform) && !seen.has(platform);
    seen.add(platform);
    return isWanted;
  });
  const now = Date.now();
  const today = Math.floor(now / DAY_MS);
  const statements = accounts.map(({ id, platform }, at) => {
    const days = Array.from({ length: DAYS }, (_, i) => today - DAYS + i)
      .filter((day) => day % 11 !== 0)
      .map((day) => ({
        day,
        gains: platform === "bluesky" ? [null, day % 7, day % 3, 1] : [day % 97, day % 9, 2, 1],
        ...{ followers: 500 * (at + 1) + day - today, followersAt: day * DAY_MS },
        readAt: [1, 1, 1, 1].map(() => day * DAY_MS),
      }));
    const post = { id: POST, text: "The post that was seen most", url: "https://example.com/1" };
    const published = now - 9 * DAY_MS;
    const counters = platform === "bluesky" ? [null, 40, 5, 1] : [900, 40, 5, 1];
    const shown = { ...post, publishedAt: published, counters, uploadId: null };
    const summary = {
      ...{ posts: 1, totals: counters.map((one) => one ?? 0) },
      recent: { mut: [], external: [shown] },
      ...{ mostViewed: counters[0] === null ? null : shown, mostEngaging: shown },
      hashtags: [{ tag: "harbour", posts: 1, views: counters[0] ?? 0, engagement: 46 }],
      ...{ publishedAfter: [Math.floor(published / 60_000)], views: [counters[0] ?? null] },
    };
    const stored = {
      ...{ ...post, publishedAt: published, at: now, hashtags: ["harbour"], counters },
      ...{ uploadId: null, base: null },
      steps: [6, 4, 1].map((ago) => [today - ago, counters.map((one) => one && one - ago)]),
    };
    return [
      sql`INSERT OR REPLACE INTO analytics (team_id, account_id, version, synced_at, errors, series, summary)
      SELECT team_id, id, 1, ${now}, '[]', ${JSON.stringify(packSeries({ firstAt: 1, days, months: [] }))},
        ${JSON.stringify(summary)} FROM accounts WHERE id = ${id}`,
      sql`INSERT OR REPLACE INTO analytics_posts (team_id, account_id, posts)
      SELECT team_id, id, ${JSON.stringify([stored])} FROM accounts WHERE id = ${id}`,
    ];
  });
  await execute(place, statements.flat());
  return accounts;
}

/** The numbers of a table by its caption. */
const readTable = (page: Page, caption: string): Promise<string[][]> =>
  page.evaluate<string[][]>(
    `[...[...document.querySelectorAll("table")].find((table) => table.caption.textContent === ${JSON.stringify(caption)}).tBodies[0].rows]
      .map((row) => [...row.cells].map((cell) => cell.textContent.trim()))`,
  );

async function requireEqual(what: string, found: unknown, expected: unknown): Promise<void> {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: the page has ${a}, and the API ${b}`);
}

interface Figures {
  dailyHistory: { date: string; views: number | null }[];
  apart: Figures[];
}

/** Compares charts with the API's numbers, and reads them by keyboard, by pointer and without script. */
export async function checkAnalytics(
  browser: Browser,
  { akimbo, owner, place, folder }: Visit,
): Promise<string[]> {
  const accounts = await plantFigures(akimbo, place);
  const contexts = [
    await openContext(browser, { storageState: owner, viewport: { width: 1_280, height: 1_000 } }),
    await openContext(browser, { storageState: owner, javaScriptEnabled: false }),
  ] as const;
  const policies = contexts.map(watchPolicy);
  const foreign = contexts.map((context) => watchOrigins(context, akimbo.origin));
  const [page, bare] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!page || !bare) throw new Error("No page could be opened.");
  const { body } = await akimbo.call<{ data: Figures }>("GET", "/analytics/overview");
  const today = Math.floor(Date.now() / DAY_MS);
  const expected = Array.from({ length: 30 }, (_, i) => {
    const date = new Date((today - 30 + i) * DAY_MS).toISOString().slice(0, 10);
    const views = body.data.dailyHistory.find((one) => one.date === date)?.views ?? null;
    return [date, views === null ? "not measured" : String(views)];
  });
  const chart = page.locator("[data-chart]").first();
  const reader = chart.getByRole("slider");
  const bluesky = accounts.find(({ platform }) => platform === "bluesky")?.id ?? "";
  const first = `${akimbo.origin}/app/analytics`;
  const problems = await walk(page, [
    {
      name: "the charts have the API's numbers",
      shows: "YouTube, beside the others",
      act: async () => {
        await page.goto(first);
        await requireSound(page, folder, "analytics");
        await takePicture(page, "analytics");
        await requireEqual("Views", await readTable(page, "Views by day"), expected);
        const points = await chart.locator("path.line").first().getAttribute("d");
        const drawn = (points?.match(/\d+(?:\.\d+)? \d+(?:\.\d+)?/g) ?? []).length;
        const measured = expected.filter(([, views]) => views !== "not measured").length;
        await requireEqual("Points of the chart", drawn, measured);
      },
    },
    {
      name: "a chart is read by keyboard alone",
      shows: "Analytics",
      act: async () => {
        await reader.focus();
        await page.keyboard.press("Home");
        for (const [date, views] of expected.slice(0, 5)) {
          const text = await chart.locator("[data-readout]").innerText();
          await requireEqual("The day read", text, `${date}: Views ${views}`);
          await requireEqual("The slider", await reader.getAttribute("aria-valuetext"), text);
          await page.keyboard.press("ArrowRight");
        }
        await page.keyboard.press("End");
        const last = expected.at(-1) ?? [];
        const text = await chart.locator("[data-readout]").innerText();
        await requireEqual("The last day", text, `${last[0]}: Views ${last[1]}`);
      },
    },
    {
      name: "a chart is read by pointer",
      shows: "Analytics",
      act: async () => {
        await page.locator("h1").click();
        await page.evaluate("document.activeElement?.blur()");
        await reader.scrollIntoViewIfNeeded();
        const box = await reader.boundingBox();
        if (!box) throw new Error("The chart cannot be pointed at.");
        await page.mouse.move(box.x + 1, box.y + box.height / 2);
        const text = await chart.locator("[data-readout]").innerText();
        await requireEqual("The day", text, `${expected[0]?.[0]}: Views ${expected[0]?.[1]}`);
      },
    },
    ...["?period=365&split=platform", "?period=90&split=account", "?period=7"].map((query) => ({
      name: `the page ${query} is sound`,
      shows: "Best posts of this period",
      act: async () => {
        await page.goto(first + query);
        await requireSound(page, folder, `analytics ${query}`);
      },
    })),
    {
      name: "an account and a post have pages",
      shows: "Single days of a post are kept for two weeks",
      act: async () => {
        await page.goto(`${first}/accounts/${bluesky}`);
        await requireSound(page, folder, "analytics account");
        await page.getByRole("link", { name: "The post that was seen most" }).last().click();
        await page.waitForURL(/\/posts\//);
        await requireSound(page, folder, "analytics post");
      },
    },
  ]);
  problems.push(
    ...(await walk(bare, [
      {
        name: "the filters and tables work without script",
        shows: "accounts on TikTok.",
        act: async () => {
          await bare.goto(first);
          await bare.getByLabel("Platform", { exact: true }).selectOption("tiktok");
          await bare.getByRole("button", { name: "Show", exact: true }).click();
          await bare.waitForURL(/platform=tiktok/);
          await bare.getByText("Table: Views by day").click();
          await bare.getByRole("table", { name: "Views by day" }).waitFor();
        },
      },
    ])),
  );
  problems.push(
    ...(await checkReport(browser, { page: bare, desk: page, origin: akimbo.origin, folder })),
  );
  for (const context of contexts) await context.close();
  return [
    ...problems,
    ...policies.flat(),
    ...foreign.flatMap((addresses) => [...addresses].map((one) => `asked elsewhere: ${one}`)),
  ];
}
