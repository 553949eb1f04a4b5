import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { PICTURES_FOLDER } from "../../src/cli/guides.ts";

const SIZE = { width: 1_280, height: 800 };
const QUALITY = 75;

/** Takes the picture that a guide shows of the open page; guides have it once the assets are built again. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  await mkdir(PICTURES_FOLDER, { recursive: true });
  await page.setViewportSize(SIZE);
  await page.evaluate("scrollTo(0, 0)");
  await page.waitForLoadState("networkidle");
  const path = join(PICTURES_FOLDER, `${name}.jpg`);
  await page.screenshot({ path, type: "jpeg", quality: QUALITY });
  if (before) await page.setViewportSize(before);
}
