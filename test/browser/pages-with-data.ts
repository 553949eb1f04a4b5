import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import type { Place } from "../../src/cli/d1.ts";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { type Akimbo, startAkimbo } from "../peers/akimbo.ts";
import { plantFigures } from "./analytics.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { keyboardWalks } from "./keyboard-walk.ts";
import { LOOKS, lookAt, NARROW, type SignedIn, watchPolicy } from "./looks.ts";
import { press, walk } from "./steps.ts";
import { unreached } from "./wcag/measures.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  place: Place;
  /** For the screenshots. */
  folder: string;
  /** For a service of its own, which the demo has filled. */
  stateDir: string;
  isQuick: boolean;
}

const DESK = { width: 1_280, height: 900 };
const DEMO_DAYS = 40;
const DAY_MS = 86_400_000;
const AREAS =
  /^\/app\/(?:analytics|pools|webhooks|short-links|activity|tokens|connection-pages)(?:[/?]|$)/;
/** What the links of the pages must lead to, with a colon for an id. */
const KINDS = [
  ...["/app/analytics", "/app/analytics/accounts/:", "/app/analytics/posts/:/:"],
  ...["/app/pools", "/app/pools/:", "/app/short-links", "/app/short-links/:"],
  ...["/app/short-links/domains", "/app/webhooks", "/app/webhooks/:", "/app/webhooks/:/delete"],
  ...["/app/webhooks/:/attempts/:", "/app/webhooks/signature", "/app/activity", "/app/tokens"],
  ...["/app/tokens/:/revoke", "/app/connection-pages"],
];
const PICTURE = { width: 640, height: 480, to: [240, 200, 120] } as const;
const GUIDE_PICTURES = ["tokens", "connection-pages"];
const VISITORS = [
  { "cf-ipcountry": "DE", "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:145.0) Firefox/145.0" },
  { "cf-ipcountry": "FR", "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)" },
  { "cf-ipcountry": "US", "user-agent": "Twitterbot/1.0" },
];

/** Makes one of each; returns the address of a report and the pages that no link leads to. */
async function fill({ call, origin, token }: Akimbo): Promise<{ report: string; paths: string[] }> {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many operations
  const make = async (path: string, json: object): Promise<any> => {
    const { status, body } = await call("POST", path, json);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const { body } = await call<{ data: { id: string; platform: string }[] }>("GET", "/accounts");
  const accountIds = body.data
    .filter(({ platform }) => ["bluesky", "x"].includes(platform))
    .map(({ id }) => id);
  const slots = ["07:00", "18:30"].map((time) => ({
    time,
    days: [0, 1, 2, 3, 4, 5, 6],
    accountIds,
  }));
  const { pool } = await make("/pools", { name: "Evergreen", timezone: "America/New_York", slots });
  for (const [i, title] of ["Opening hours", "How we pack", "Behind the counter"].entries()) {
    const form = new FormData();
    form.append("title", title);
    form.append(
      "photo",
      new File([createGradientPng({ ...PICTURE, from: [58, 70 * i, 214] })], "one.png"),
    );
    const address = `${origin}/api/v1/pools/${pool.id}/videos`;
    const added = await fetch(address, {
      method: "POST",
      headers: { "x-api-key": token },
      body: form,
    });
    if (added.status !== 200) throw new Error(await added.text());
  }
  for (const path of ["/sandbox/webhook", "/nowhere"]) {
    const { data } = await make("/webhooks", { url: origin + path, events: ["upload.completed"] });
    await make(`/webhooks/${data.id}/test`, {});
  }
  const rules = [
    { type: "geo", countryCodes: "DE,AT", destination: "https://example.com/de" },
    { type: "device", devices: "mobile", os: "ios", destination: "https://example.com/app" },
  ];
  const link = await make("/short-links", { url: "https://example.com/", slug: "shown", rules });
  for (const headers of [...VISITORS, ...VISITORS]) {
    await fetch(`${origin}/s/shown`, { headers, redirect: "manual" });
  }
  await make("/domains", { domain: "links.harbour-news.example" });
  await make("/whitelabel/links", { platform: "x", mode: "sandbox", title: "For a client" });
  await make("/tokens", { name: "A token of the second page" });
  const { data: report } = await make("/reports", { title: "For a client", days: 30 });
  return {
    report: report.url.slice(origin.length),
    paths: [
      ...["?period=365&split=platform", "?period=90&split=account"].map(
        (one) => `/app/analytics${one}`,
      ),
      `/app/short-links/${link.id}?browser=mobile-ios&country=FR`,
    ],
  };
}

/** A path with a colon for each id. */
const kindOf = (path: string): string =>
  path
    .replace(/[?#].*/, "")
    .split("/")
    .map((part) => (/[\d%:]/.test(part) ? ":" : part))
    .join("/");

/** Follows the links of the pages; a path of each kind. */
async function findPages(page: Page, origin: string): Promise<string[]> {
  const found = new Map<string, string>();
  const open = ["/app"];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    await page.goto(origin + path);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll("a[href^='/app']")].map((one) => one.getAttribute("href"))`,
    );
    for (const link of links) {
      const kind = kindOf(link);
      if (!AREAS.test(link) || /\.\w+$/.test(kind) || found.has(kind)) continue;
      found.set(kind, link);
      open.push(link);
    }
  }
  const missing = KINDS.filter((kind) => !found.has(kind));
  if (missing.length > 0) throw new Error(`No link leads to ${missing.join(", ")}.`);
  return [...found.values()];
}

/** What `npm run demo -- --analytics` leaves, some days of it. */
async function startDemo(stateDir: string): Promise<Akimbo> {
  const { PORT: _, ...env } = process.env;
  const demo = [inProject("src/cli/demo.ts"), "--analytics", "--days", String(DEMO_DAYS)];
  await promisify(execFile)(process.execPath, demo, { env: { ...env, STATE_DIR: stateDir } });
  return startAkimbo(stateDir, {});
}

async function signIn(browser: Browser, { signInLink }: Akimbo): Promise<SignedIn> {
  const context = await openContext(browser);
  const page = await context.newPage();
  await page.goto(signInLink);
  await press(page, "Sign in");
  await page.waitForURL(/\/app/);
  const owner = await context.storageState();
  await context.close();
  return owner;
}

/**
 * Looks at each page of analytics, pools, webhooks, short links, activity, tokens and connection pages with data of the
 * demo, goes through it by keyboard, and does the work of each by keyboard alone. What is wrong, in words. The quick
 * form plants figures instead, and looks once.
 */
export async function checkPagesWithData(browser: Browser, visit: Visit): Promise<string[]> {
  const { folder, isQuick } = visit;
  if (isQuick) await plantFigures(visit.akimbo, visit.place);
  const akimbo = isQuick ? visit.akimbo : await startDemo(visit.stateDir);
  const owner = isQuick ? visit.owner : await signIn(browser, akimbo);
  const { origin } = akimbo;
  const { report, paths: more } = await fill(akimbo);
  if (!isQuick) await akimbo.leapTo(new Date(Date.now() + DAY_MS), 3);
  const context = await openContext(browser, {
    storageState: owner,
    viewport: DESK,
    locale: "en-US",
  });
  const refused = watchPolicy(context);
  const page = await context.newPage();
  const paths = [...(await findPages(page, origin)), ...more];
  const look = { origin, folder, looks: isQuick ? NARROW : LOOKS };
  const problems = [
    ...(await lookAt(browser, { ...look, person: owner }, paths)),
    ...(await lookAt(browser, { ...look, person: null }, [report])),
  ];
  for (const name of isQuick ? [] : GUIDE_PICTURES) {
    await page.goto(`${origin}/app/${name}`);
    await takePicture(page, name);
  }
  for (const path of isQuick ? [] : [...paths, report]) {
    await page.goto(origin + path);
    problems.push(...(await unreached(page)).map((fault) => `${path} ${fault}`));
  }
  for (const steps of isQuick ? [] : keyboardWalks(page, { origin, folder })) {
    problems.push(...(await walk(page, steps)));
  }
  await context.close();
  console.log(`  ${paths.length + 1} pages with data`);
  return [...problems, ...refused];
}
