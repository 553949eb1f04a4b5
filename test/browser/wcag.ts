import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import type { SignedIn } from "./looks.ts";
import { pictures } from "./pictures.ts";
import { clock } from "./planning.ts";
import { walk } from "./steps.ts";
import { cutOff, overlaps, smallTargets, tooWide, unseenFocus } from "./wcag/measures.ts";
import { LISTENER, messageSteps, type Prepared } from "./wcag/messages.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For files. */
  folder: string;
  publishedId: number;
}

const DAY_MS = 86_400_000;
const ACCOUNT = "Looked at";

async function prepare({ akimbo, folder, publishedId }: Visit): Promise<Prepared> {
  const { body: account } = await akimbo.call<{ data: { id: string } }>("POST", "/accounts", {
    platform: "bluesky",
    sandbox: true,
    name: ACCOUNT,
  });
  const at = Date.now() + 2 * DAY_MS;
  const { body: made } = await akimbo.post({
    accountId: account.data.id,
    description: "Waits for a client, and for the day after tomorrow",
    schedule_date: new Date(at).toISOString(),
    status: "pending_approval",
  });
  if (!made.data) throw new Error(made.error);
  const postId = made.data.uploadId;
  const { body: link } = await akimbo.call<{ data: { url: string } }>(
    "POST",
    "/upload/review-links",
    { uploadIds: [postId] },
  );
  const { body: media } = await akimbo.call<{ data: { mediaId: string }[] }>("GET", "/media");
  return {
    origin: akimbo.origin,
    files: await pictures(folder),
    postId,
    day: clock.dayAt(at),
    publishedId,
    mediaId: media.data[0]?.mediaId ?? "",
    reviewLink: link.data.url,
    accountName: ACCOUNT,
  };
}

interface Place {
  name: string;
  open(page: Page): Promise<unknown>;
}

const placesOf = (prepared: Prepared): Place[] => [
  ...[
    "/app",
    `/app/calendar?month=${prepared.day.slice(0, 7)}`,
    `/app/calendar?week=${prepared.day}`,
    "/app/import",
    "/app/feeds",
    "/app/blocks",
    "/app/media",
    `/app/media/${prepared.mediaId}`,
    `/app/uploads/${prepared.publishedId}`,
    `/app/uploads/${prepared.postId}`,
    "/sign-in",
  ].map((path) => ({ name: path, open: (page: Page) => page.goto(prepared.origin + path) })),
  { name: "the review", open: (page) => page.goto(prepared.reviewLink) },
  { name: "the composer, filled", open: (page) => openFilled(page, prepared) },
];

/** The composer with an account and a file, and everything unfolded that can be. */
async function openFilled(page: Page, { origin, accountName, files }: Prepared): Promise<void> {
  await page.goto(`${origin}/app/compose?text=Looked+at`);
  await page.waitForLoadState("networkidle");
  await page.locator(`input[data-account-name="${accountName}"]`).check();
  await page.locator("#photo").setInputFiles([...files]);
  await page.locator("[name=mediaId]").nth(2).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Add a post" }).click();
  await page.locator("li.preview").waitFor();
}

async function targetSizes(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run({ runOnly: { type: "rule", values: ["target-size"] } })',
  );
  return violations.flatMap(({ nodes }) =>
    nodes.map(({ html }) => `has a target that is too small: ${html.slice(0, 160)}`),
  );
}

const DOUBLE_TEXT = 'document.documentElement.style.fontSize = "200%"';

interface Look {
  name: string;
  options: BrowserContextOptions;
  measure(page: Page): Promise<string[]>;
}

async function layoutOf(page: Page): Promise<string[]> {
  return [...(await tooWide(page)), ...(await cutOff(page)), ...(await overlaps(page))];
}

const LOOKS: readonly Look[] = [
  {
    name: "1.4.10 and 2.5.8, at 320 pixels",
    options: { viewport: { width: 320, height: 640 } },
    measure: async (page) => [
      ...(await layoutOf(page)),
      ...(await targetSizes(page)),
      ...(await smallTargets(page)),
    ],
  },
  {
    name: "1.4.4 and 2.4.11, zoomed to 200 %",
    options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
    measure: async (page) => [...(await layoutOf(page)), ...(await unseenFocus(page))],
  },
  {
    name: "1.4.4, text of 200 %",
    options: { viewport: { width: 1_280, height: 800 } },
    measure: async (page) => {
      const before = await page.evaluate<string>("getComputedStyle(document.body).fontSize");
      await page.evaluate(DOUBLE_TEXT);
      const after = await page.evaluate<string>("getComputedStyle(document.body).fontSize");
      const grows = Number.parseFloat(after) === 2 * Number.parseFloat(before);
      return [...(grows ? [] : [`keeps its text at ${after}`]), ...(await layoutOf(page))];
    },
  },
  {
    name: "2.5.8, at 1280 pixels",
    options: { viewport: { width: 1_280, height: 800 } },
    measure: async (page) => [...(await targetSizes(page)), ...(await smallTargets(page))],
  },
];

/** Measures pages by the rows of WCAG 2.2 AA that axe does not decide. What is wrong, in words. */
export async function checkWcag(browser: Browser, visit: Visit): Promise<string[]> {
  const prepared = await prepare(visit);
  const problems: string[] = [];
  for (const { name, options, measure } of LOOKS) {
    const context = await openContext(browser, { storageState: visit.owner, ...options });
    const page = await context.newPage();
    for (const place of placesOf(prepared)) {
      await place.open(page);
      await page.waitForLoadState("networkidle");
      const faults = await measure(page);
      problems.push(...faults.map((fault) => `${place.name} (${name}) ${fault}`));
    }
    await context.close();
  }
  const context = await openContext(browser, { storageState: visit.owner });
  const page = await context.newPage();
  await page.addInitScript(LISTENER);
  problems.push(...(await walk(page, messageSteps(prepared))));
  await context.close();
  return problems;
}
