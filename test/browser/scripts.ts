import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";

/** Of a page's scripts as they travel, whatever is done on the page. */
export const MAX_SCRIPT_BYTES = 30_000;

const sizes = new Map<string, Promise<number>>();

async function readSize(page: Page, address: string): Promise<number> {
  const answer = await page.request.get(address);
  return gzipSync(await answer.body(), { level: 9 }).length;
}

/** What the scripts that the page has loaded so far weigh on the way; 0 where it loaded none. */
export async function scriptBytes(page: Page): Promise<number> {
  const loaded = await page.evaluate<string[]>(
    `performance.getEntriesByType("resource").map((entry) => entry.name)`,
  );
  let sum = 0;
  for (const address of loaded.filter((one) => new URL(one).pathname.endsWith(".js"))) {
    const size = sizes.get(address) ?? readSize(page, address);
    sizes.set(address, size);
    sum += await size;
  }
  return sum;
}
