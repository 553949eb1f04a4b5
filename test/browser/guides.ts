import type { Browser } from "playwright-core";
import { readGroups, readGuides } from "../../src/cli/guides.ts";
import { openContext } from "./context.ts";
import { lookAt, watchOrigins, watchPolicy } from "./looks.ts";

/** One look of each width and of each scheme: guides differ in their texts alone. */
const GUIDE_LOOKS = [
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 1_280 },
] as const;

/** Looks at every guide; what is wrong, in words. */
export async function checkGuides(
  browser: Browser,
  origin: string,
  folder: string,
): Promise<string[]> {
  const groups = readGroups(await readGuides());
  const paths = groups.flatMap((group) => group.guides.map(({ name }) => `/docs/${name}`));
  return lookAt(browser, { origin, person: null, folder, looks: [...GUIDE_LOOKS] }, paths);
}

/** Searches the guides as a reader would, and follows what is found; what is wrong, in words. */
export async function checkGuideSearch(browser: Browser, origin: string): Promise<string[]> {
  const context = await openContext(browser);
  const refused = watchPolicy(context);
  const foreign = watchOrigins(context, origin);
  const faults: string[] = [];
  const page = await context.newPage();
  await page.goto(`${origin}/docs/guides`);
  const field = page.getByLabel("Search the guides");
  await field.fill("signature secret");
  await page.locator("#results a").first().click();
  await page.waitForURL(/\/docs\/webhooks#/);
  const anchor = new URL(page.url()).hash;
  if (!(await page.locator(`h2${anchor}, h3${anchor}`).isVisible())) {
    faults.push(`The search leads to ${anchor} of the webhooks, which is not there.`);
  }
  await field.fill("xyzzy plugh");
  await page.getByText("Nothing has all of these words.").waitFor();
  await context.close();

  const plain = await openContext(browser, { javaScriptEnabled: false });
  const unscripted = await plain.newPage();
  await unscripted.goto(`${origin}/docs/guides`);
  if (await unscripted.locator("#search").isVisible()) {
    faults.push("Without script, the guides show a search that does nothing.");
  }
  await unscripted.getByRole("link", { name: "Webhooks" }).first().click();
  await unscripted.waitForURL(/\/docs\/webhooks$/);
  await plain.close();
  return [...faults, ...refused, ...[...foreign].map((address) => `asked elsewhere: ${address}`)];
}
