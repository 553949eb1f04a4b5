import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openContext } from "./context.ts";
import { MAX_SCRIPT_BYTES, scriptBytes } from "./scripts.ts";

/** Ways in which a page is looked at. */
export const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [360, 1_280].map((width) => ({ colorScheme, width })),
);

/** The look in which most goes wrong. */
export const NARROW = LOOKS.slice(0, 1);

const HEIGHT = 800;
/** A finding of axe that keeps somebody from using a page. */
const GRAVE = ["serious", "critical"];

/** Two lines of the navigation, on any screen. */
const MAX_HEADER_HEIGHT = 100;

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
  looks: typeof LOOKS;
}

/** Opens each of the paths in each of the looks; what is wrong, in words. */
export async function lookAt(
  browser: Browser,
  { origin, person, folder, looks }: Visit,
  paths: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { colorScheme, width } of looks) {
    const context = await openContext(browser, {
      colorScheme,
      viewport: { width, height: HEIGHT },
      ...(person ? { storageState: person } : {}),
    });
    const foreign = watchOrigins(context, origin);
    const refused = watchPolicy(context);
    const page = await context.newPage();
    for (const path of paths) {
      const found = await faultsOf(page, origin + path);
      problems.push(...found.map((what) => `${path} (${colorScheme}, ${width}): ${what}`));
      const name = `${person ? "" : "visitor-"}${path.slice(1).replaceAll(/\W+/g, "-") || "front"}-${colorScheme}-${width}.png`;
      await page.screenshot({ path: join(folder, name), fullPage: true });
    }
    problems.push(...[...foreign].map((address) => `asked elsewhere: ${address}`), ...refused);
    await context.close();
  }
  return problems;
}

/** Collects the addresses that pages ask another origin for. */
export function watchOrigins(context: BrowserContext, origin: string): Set<string> {
  const foreign = new Set<string>();
  context.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith("data:") && new URL(address).origin !== origin) foreign.add(address);
  });
  return foreign;
}

/** Collects what the policies of pages refuse, in the browser's words. */
export function watchPolicy(context: BrowserContext): string[] {
  const refused: string[] = [];
  context.on("console", (message) => {
    const text = message.text();
    if (!/content security policy/i.test(text)) return;
    refused.push(`${message.page()?.url()}: ${text}`);
  });
  return refused;
}

/** Looks at the page that is open, however it was reached. @throws Error naming its faults */
export async function requireSound(
  page: Page,
  folder: string,
  name: string,
  looks = LOOKS,
): Promise<void> {
  const before = page.viewportSize();
  const faults: string[] = [];
  await page.waitForLoadState();
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: HEIGHT });
    const found = await faultsShown(page);
    faults.push(...found.map((what) => `(${colorScheme}, ${width}) ${what}`));
    const file = `${name.replaceAll(/\W+/g, "-")}-${colorScheme}-${width}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  if (faults.length > 0) throw new Error(`The page ${faults.join("; ")}`);
}

async function faultsOf(page: Page, address: string): Promise<string[]> {
  const answer = await page.goto(address);
  if (answer?.status() !== 200) return [`answers ${answer?.status()}`];
  const bytes = gzipSync(await answer.body()).length;
  const long = bytes > MAX_COMPRESSED_BYTES ? [`is ${bytes} bytes long, compressed`] : [];
  const shown = await faultsShown(page);
  const script = await scriptBytes(page);
  const heavy = script > MAX_SCRIPT_BYTES ? [`loads ${script} bytes of script`] : [];
  return [...long, ...shown, ...heavy];
}

/** Looks at the page that is open: its width, its header, and what axe finds. */
export async function faultsShown(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  if (wide > 0) faults.push(`is ${wide} pixels too wide`);
  const high = await page.evaluate<number>("document.querySelector('.top')?.offsetHeight ?? 0");
  if (high > MAX_HEADER_HEIGHT) faults.push(`has a header that is ${high} pixels high`);
  // By the debugger's way, which the page's policy does not govern.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  for (const { id, impact, nodes } of violations) {
    if (!GRAVE.includes(impact ?? "")) continue;
    faults.push(`${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  }
  return faults;
}
