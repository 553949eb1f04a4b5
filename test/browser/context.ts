import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";

/** A machine that does much else answers late: only a page that never comes is a fault. */
export const PATIENCE_MS = 90_000;

/** Opens windows of their own cookies. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
