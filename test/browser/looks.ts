import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";

/** Ways in which every page is looked at. */
const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [360, 1_280].map((width) => ({ colorScheme, width })),
);

const HEIGHT = 800;
/** A finding of axe that keeps somebody from using a page. */
const GRAVE = ["serious", "critical"];

/** Limit of a page as it travels. */
const MAX_COMPRESSED_BYTES = 30_000;

/** The cookies of a person who is signed in, for other windows of the browser. */
export type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

interface Visit {
  origin: string;
  /** Null for a visitor whom nobody knows. */
  person: SignedIn | null;
  /** For the screenshots. */
  folder: string;
}

/** Opens each of the paths in every look; what is wrong, in words. */
export async function lookAt(
  browser: Browser,
  { origin, person, folder }: Visit,
  paths: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { colorScheme, width } of LOOKS) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: HEIGHT },
      ...(person ? { storageState: person } : {}),
    });
    const foreign = watchOrigins(context, origin);
    const page = await context.newPage();
    for (const path of paths) {
      const found = await faultsOf(page, origin + path);
      problems.push(...found.map((what) => `${path} (${colorScheme}, ${width}): ${what}`));
      const name = `${person ? "" : "visitor-"}${path.slice(1).replaceAll(/\W+/g, "-") || "front"}-${colorScheme}-${width}.png`;
      await page.screenshot({ path: join(folder, name), fullPage: true });
    }
    problems.push(...[...foreign].map((address) => `asked elsewhere: ${address}`));
    await context.close();
  }
  return problems;
}

/** Collects the addresses that pages ask another origin for. */
function watchOrigins(context: BrowserContext, origin: string): Set<string> {
  const foreign = new Set<string>();
  context.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith("data:") && new URL(address).origin !== origin) foreign.add(address);
  });
  return foreign;
}

async function faultsOf(page: Page, address: string): Promise<string[]> {
  const answer = await page.goto(address);
  if (answer?.status() !== 200) return [`answers ${answer?.status()}`];
  const bytes = gzipSync(await answer.body()).length;
  const long = bytes > MAX_COMPRESSED_BYTES ? [`is ${bytes} bytes long, compressed`] : [];
  return [...long, ...(await faultsShown(page))];
}

/** Looks at the page that is open: its width, and what axe finds. */
export async function faultsShown(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  if (wide > 0) faults.push(`is ${wide} pixels too wide`);
  // By the debugger's way, which the page's policy does not govern.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  for (const { id, impact, nodes } of violations) {
    if (!GRAVE.includes(impact ?? "")) continue;
    faults.push(`${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  }
  return faults;
}
