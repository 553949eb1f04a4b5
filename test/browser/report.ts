import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openContext } from "./context.ts";
import { requireSound, watchOrigins, watchPolicy } from "./looks.ts";
import { COLOUR } from "./people.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  /** Of a signed-in person whose browser runs no script. */
  page: Page;
  /** Of the same person, with script. */
  desk: Page;
  origin: string;
  /** For the screenshots. */
  folder: string;
}

const TITLE = "A month of ours";

const isShown = (page: Page, selector: string): Promise<boolean> =>
  page.locator(selector).first().isVisible();

/** The policy of the page lets the workspace's colour through, and a person's own colours leave it. */
async function requireStripe(page: Page): Promise<void> {
  const box = await page.locator(".stripe").boundingBox();
  const fill = await page.evaluate<string>(
    `getComputedStyle(document.querySelector(".stripe rect")).fill`,
  );
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(COLOUR.slice(at, at + 2), 16));
  if (box?.height !== 8 || fill !== `rgb(${red}, ${green}, ${blue})`) {
    throw new Error(`The stripe is ${fill}, ${box?.height} pixels high.`);
  }
}

/** Makes a report link, reads it as a visitor, on screen and on paper, and revokes it. */
export async function checkReport(
  browser: Browser,
  { page, desk, origin, folder }: Visit,
): Promise<string[]> {
  const context = await openContext(browser, { viewport: { width: 1_280, height: 1_000 } });
  const foreign = watchOrigins(context, origin);
  const policy = watchPolicy(context);
  const visitor = await context.newPage();
  let address = "";
  const problems = await walk(page, [
    {
      name: "a report link is made without script",
      shows: "The link is made.",
      act: async () => {
        await page.goto(`${origin}/app/analytics?period=30&split=platform`);
        await page.getByLabel("Title").fill(TITLE);
        await page.getByLabel("These days only").check();
        await page.getByLabel("Days until it expires").fill("7");
        await press(page, "Make the link");
        await page.waitForURL(/done=made/);
        address = (await page.locator("pre.address").first().innerText()).trim();
      },
    },
  ]);
  problems.push(
    ...(await walk(desk, [
      {
        name: "the list of report links is sound",
        shows: TITLE,
        act: async () => {
          await desk.goto(`${origin}/app/analytics?period=7`);
          await requireSound(desk, folder, "report-links");
          for (const width of [360, 1_280]) {
            await desk.setViewportSize({ width, height: 900 });
            const part = desk.locator("section:has(> #reports)");
            await part.screenshot({ path: join(folder, `report-links-part-${width}.png`) });
          }
        },
      },
    ])),
    ...(await walk(visitor, [
      {
        name: "a visitor reads the report",
        shows: "YouTube, beside the others",
        act: async () => {
          const answer = await visitor.goto(address);
          if (answer?.status() !== 200) throw new Error(`The report answers ${answer?.status()}.`);
          await visitor.getByRole("heading", { level: 1, name: TITLE }).waitFor();
          await requireSound(visitor, folder, "report");
          await requireStripe(visitor);
          await visitor.emulateMedia({ forcedColors: "active" });
          await requireStripe(visitor);
          await visitor.emulateMedia({ forcedColors: "none" });
          const inside = await visitor.locator('a[href^="/app"], nav, form, script').count();
          if (inside > 0) throw new Error(`The report has ${inside} ways inside.`);
        },
      },
      {
        name: "the report is printed",
        shows: TITLE,
        act: async () => {
          await visitor.emulateMedia({ media: "print" });
          for (const selector of ["details", ".foot"]) {
            if (await isShown(visitor, selector)) throw new Error(`Paper shows ${selector}.`);
          }
          if (!(await isShown(visitor, ".plot svg"))) throw new Error("Paper shows no chart.");
          await visitor.pdf({ path: join(folder, "report.pdf"), format: "A4" });
          await visitor.screenshot({ path: join(folder, "report-print.png"), fullPage: true });
          await visitor.emulateMedia({ media: null });
        },
      },
    ])),
    ...(await walk(page, [
      {
        name: "a report link is revoked",
        shows: "The link is revoked.",
        act: async () => {
          await press(page, `Revoke the link ${TITLE}`);
          await page.waitForURL(/done=revoked/);
        },
      },
    ])),
    ...(await walk(visitor, [
      {
        name: "a revoked report is gone",
        shows: "Ask the person who sent it to you for a new one.",
        act: async () => {
          const answer = await visitor.reload();
          if (answer?.status() !== 404) throw new Error(`It answers ${answer?.status()}.`);
          await requireSound(visitor, folder, "report-gone");
        },
      },
    ])),
  );
  await context.close();
  return [...problems, ...policy, ...[...foreign].map((one) => `asked elsewhere: ${one}`)];
}
