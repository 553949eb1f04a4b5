import type { Browser, Page } from "playwright-core";
import { openContext } from "./context.ts";
import { LOOKS, NARROW, requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import { press, type Step, walk } from "./steps.ts";

interface Visit {
  origin: string;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const WIDTHS = [360, 1_280];
const HEIGHT = 800;

/** Has a review and an audit, and the longest page. */
const LONGEST = "tiktok";

/**
 * Walks the checklist of a platform as its owner does, without script, at each width; then looks at its page with
 * everything unfolded. Each step that failed, in words.
 */
export async function checkSetup(browser: Browser, visit: Visit): Promise<string[]> {
  const problems: string[] = [];
  for (const width of WIDTHS) {
    const context = await openContext(browser, {
      storageState: visit.owner,
      javaScriptEnabled: false,
      viewport: { width, height: HEIGHT },
    });
    const refused = watchPolicy(context);
    const found = await walk(await context.newPage(), checklist(visit));
    problems.push(...found.map((what) => `${width}: ${what}`), ...refused);
    await context.close();
  }
  return [...problems, ...(await unfolded(browser, visit))];
}

const stepOf = (page: Page, id: string) => page.locator(`li#${id}`);

const DONE = "Mark as done: Register as developer";
const OPEN = "Mark as open: Register as developer";

const checklist = ({ origin }: Visit): Step[] => [
  {
    name: "the accounts lead to the setup",
    shows: "Setup of this instance",
    act: async (page) => {
      await page.goto(`${origin}/app/accounts`);
      await page.getByRole("link", { name: "setup page" }).click();
    },
  },
  {
    name: "the setup leads to a platform",
    shows: "9. Pass the audit of Direct Post",
    act: (page) => page.getByRole("link", { name: "TikTok", exact: true }).click(),
  },
  {
    name: "a step shows the address to paste",
    shows: `${origin}/oauth/callback/tiktok`,
    act: (page) => stepOf(page, "login-kit").scrollIntoViewIfNeeded(),
  },
  {
    name: "a problem leads to the step that mends it",
    shows: "Step 3 mends it: Add Login Kit.",
    act: async (page) => {
      await page.getByRole("link", { name: /does not lead people back/ }).click();
      await page.waitForURL(/#login-kit$/);
    },
  },
  {
    name: "a step is ticked",
    shows: "Mark as open",
    act: async (page) => {
      await press(page, DONE);
      await page.waitForURL(/\/app\/setup\/tiktok#developer$/);
      await page.getByRole("button", { name: OPEN, exact: true }).waitFor();
    },
  },
  {
    name: "the overview counts it",
    shows: "1 of 9 steps are done.",
    act: (page) => page.getByRole("link", { name: "All platforms" }).click(),
  },
  {
    name: "the tick is taken back",
    shows: "1. Register as developer",
    act: async (page) => {
      await page.getByRole("link", { name: "TikTok", exact: true }).click();
      await press(page, OPEN);
      await page.getByRole("button", { name: DONE, exact: true }).waitFor();
    },
  },
];

/** The texts for a review are folded away at first. */
async function unfolded(browser: Browser, { origin, owner, folder }: Visit): Promise<string[]> {
  const context = await openContext(browser, { storageState: owner });
  const page = await context.newPage();
  const problems: string[] = [];
  try {
    await page.goto(`${origin}/app/setup/${LONGEST}`);
    for (const summary of await page.locator("summary").all()) await summary.click();
    await requireSound(page, folder, `setup of ${LONGEST}`, LOOKS);
    await page.goto(`${origin}/app/setup/linkedin`);
    for (const summary of await page.locator("summary").all()) await summary.click();
    await requireSound(page, folder, "setup of linkedin", NARROW);
  } catch (error) {
    problems.push(`unfolded: ${error instanceof Error ? error.message : error}`);
  }
  await context.close();
  return problems;
}
