import type { Locator, Page } from "playwright-core";

export const accountOn = (page: Page, platform: string): Locator =>
  page.locator(`input[name=accountId][data-platform=${platform.toLowerCase()}]`).first();

export const thereAre = (page: Page, count: number, selector: string): Promise<void> =>
  page
    .locator(selector)
    .nth(count - 1)
    .waitFor({ state: "attached" });

/** Resolves once so many files of the post are stored. */
export const stored = (page: Page, count: number): Promise<void> =>
  thereAre(page, count, "[name=mediaId]");

export const saved = (page: Page): Promise<void> =>
  page.locator("#saved", { hasText: "Saved" }).waitFor();
