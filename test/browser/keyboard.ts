import type { Locator, Page } from "playwright-core";

const MAX_TABS = 250;

/** What is wrong with the focus, in words; null where a person sees it. WCAG 2.4.7 and 2.4.11. */
const FOCUS_FAULT = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const name = element.outerHTML.slice(0, 200);
  const isSeen = [...element.getClientRects()].some((box) => {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    if (right <= left || bottom <= top) return false;
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  });
  if (!isSeen) return "The focus is covered, or outside the window: " + name;
  const { outlineStyle } = getComputedStyle(element);
  return outlineStyle === "none" ? "The focus is not drawn: " + name : null;
})()`;

/** @throws Error where a person does not see what has the focus */
export async function requireFocusSeen(page: Page): Promise<void> {
  const fault = await page.evaluate<string | null>(FOCUS_FAULT);
  if (fault !== null) throw new Error(fault);
}

export const isFocused = async (page: Page, target: Locator): Promise<boolean> =>
  (await target.and(page.locator(":focus")).count()) > 0;

/** Presses the key until the target has the focus, which is seen on the way. @throws Error where it never does */
export async function keyTo(page: Page, target: Locator, key: string, max: number): Promise<void> {
  for (let pressed = 0; pressed < max; pressed++) {
    if (await isFocused(page, target)) return;
    await page.keyboard.press(key);
    await requireFocusSeen(page);
  }
  throw new Error(`The key ${key} does not lead to ${target}.`);
}

/** What a person reaches by the Tab key, backwards where it stands above. @throws Error where they never do */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const isAbove = await target.evaluate((element) => {
    const { activeElement, body } = element.ownerDocument;
    const { DOCUMENT_POSITION_PRECEDING: preceding } = element;
    if (activeElement === null || activeElement === body) return false;
    return (activeElement.compareDocumentPosition(element) & preceding) !== 0;
  });
  await keyTo(page, target, isAbove ? "Shift+Tab" : "Tab", MAX_TABS);
}
