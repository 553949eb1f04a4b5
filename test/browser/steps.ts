import type { Page } from "playwright-core";
import { faultsShown } from "./looks.ts";

/** An action of a person on a page, and the text that tells them of its success. */
export interface Step {
  name: string;
  /** Text that the page shows once it is done. */
  shows: string;
  /** Set for a page that only follows a form: no address leads to it. Looking needs a page with script. */
  isLookedAt?: true;
  act(page: Page): Promise<unknown>;
}

/** A click does not wait for the page that it leads to. */
const WAIT = { timeout: 30_000 };

/** Presses the button of that name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();

/**
 * Does the steps in order; each one that does not show what it should, in words. One that cannot be done ends
 * the walk: the next begins where it should have led.
 */
export async function walk(page: Page, steps: readonly Step[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, shows, isLookedAt, act } of steps) {
    try {
      await act(page);
      await page
        .getByRole("main")
        .filter({ hasText: shows })
        .waitFor(WAIT)
        .catch(() => null);
      const text = await page.locator("main").innerText();
      if (!text.includes(shows)) problems.push(`${name}: it does not show "${shows}" but: ${text}`);
      const faults = isLookedAt ? await faultsShown(page) : [];
      problems.push(...faults.map((what) => `${name}: the page ${what}`));
    } catch (error) {
      problems.push(
        `${name}: ${error instanceof Error ? error.message : error} (at ${page.url()})`,
      );
      break;
    }
  }
  return problems;
}
