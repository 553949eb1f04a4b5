import type { Page } from "playwright-core";
import { requireFocusSeen } from "../keyboard.ts";

/** Shared by the measurements, which run in the page. */
const SHARED = `
const nameOf = (element) => element.outerHTML.replace(/\\s+/g, " ").slice(0, 160);
const isShown = (element) =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
  element.closest(".hidden, .skip") === null && getComputedStyle(element).clipPath === "none";
const TARGETS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
const boxOf = (element) => {
  const label = element.matches("[type=checkbox], [type=radio]") ? element.closest("label") : null;
  return (label ?? element).getBoundingClientRect();
};
const targets = () => [...document.querySelectorAll(TARGETS)].filter((element) => {
  const { width, height } = element.getBoundingClientRect();
  return isShown(element) && width > 1 && height > 1;
});
`;

const measured = (page: Page, expression: string): Promise<string[]> =>
  page.evaluate<string[]>(`(() => { ${SHARED} ${expression} })()`);

/** WCAG 1.4.10. What scrolls within its own box, such as the navigation, is not the page. */
export const tooWide = (page: Page): Promise<string[]> =>
  measured(
    page,
    `const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide <= 0) return [];
    const scrolls = (element) => element.parentElement?.closest("pre, .scroll, .nav");
    const out = [...document.querySelectorAll("body *")].filter((element) =>
      isShown(element) && !scrolls(element) && element.getBoundingClientRect().right > innerWidth + 1);
    return ["is " + wide + " pixels too wide: " + out.slice(-3).map(nameOf).join(" | ")];`,
  );

/** WCAG 1.4.4. A text with an ellipsis is whole on the page that its link leads to. */
export const cutOff = (page: Page): Promise<string[]> =>
  measured(
    page,
    `return [...document.querySelectorAll("body *")].filter((element) => {
      const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element);
      if (!isShown(element) || element.matches("select, .nav") || !element.innerText?.trim()) return false;
      if (textOverflow === "ellipsis" || webkitLineClamp !== "none" || element.clientWidth <= 1) return false;
      const isClipped = (overflow) => overflow === "hidden" || overflow === "clip";
      return (isClipped(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
        (isClipped(overflowY) && element.scrollHeight > element.clientHeight + 1);
    }).map((element) => "cuts off " + nameOf(element));`,
  );

/** Controls that something else covers once they are scrolled to. */
export const overlaps = (page: Page): Promise<string[]> =>
  measured(
    page,
    `return targets().flatMap((element) => {
      element.scrollIntoView({ block: "center", inline: "center" });
      const { left, top, width, height } = element.getClientRects()[0];
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const isSeen = hit !== null && (element.contains(hit) || hit.contains(element));
      return isSeen ? [] : ["covers " + nameOf(element) + (hit ? " by " + nameOf(hit) : "")];
    });`,
  );

/**
 * WCAG 2.5.8: targets of at least 24 by 24 pixels, or with a circle of that size around them that meets no other
 * target. Links within a sentence are exempt.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  measured(
    page,
    `const MIN = 24;
    const isInText = (element) => element.matches("a") && getComputedStyle(element).display === "inline" &&
      [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim().length > 1);
    const all = targets().map((element) => ({ element, box: boxOf(element) }));
    const centre = ({ box }) => [box.left + box.width / 2, box.top + box.height / 2];
    const isSmall = ({ box }) => box.width < MIN - .1 || box.height < MIN - .1;
    const away = ([x, y], { box }) => Math.hypot(
      Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
    return all.filter((one) => isSmall(one) && !isInText(one.element)).flatMap((one) => {
      const at = centre(one);
      const close = all.find((other) => other !== one &&
        !other.element.contains(one.element) && !one.element.contains(other.element) &&
        (away(at, other) < MIN / 2 ||
          isSmall(other) && Math.hypot(at[0] - centre(other)[0], at[1] - centre(other)[1]) < MIN));
      const size = Math.round(one.box.width) + " by " + Math.round(one.box.height);
      return close ? ["has a target of " + size + " pixels beside another: " + nameOf(one.element)] : [];
    });`,
  );

const MAX_STOPS = 400;

/** WCAG 2.4.11: goes through the whole page by the Tab key, there and back. */
export async function unseenFocus(page: Page): Promise<string[]> {
  for (const key of ["Tab", "Shift+Tab"]) {
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      await page.keyboard.press(key);
      if (await page.evaluate<boolean>("document.activeElement === document.body")) break;
      try {
        await requireFocusSeen(page);
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)];
      }
    }
  }
  return [];
}

/** WCAG 2.1.1: goes through the page by the Tab key, with all unfolded; the controls that it passes over. */
export async function unreached(page: Page): Promise<string[]> {
  await page.evaluate(
    `reached = new Set(); document.querySelectorAll("details").forEach((one) => { one.open = true; }); undefined`,
  );
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>("document.activeElement === document.body")) break;
    try {
      await requireFocusSeen(page);
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
    await page.evaluate("reached.add(document.activeElement); undefined");
  }
  return measured(
    page,
    `const groups = new Set([...reached].filter((one) => one.type === "radio").map((one) => one.name));
    return targets()
      .filter((one) => !one.disabled && !reached.has(one) && !(one.type === "radio" && groups.has(one.name)))
      .map((one) => "has a control that the Tab key does not reach: " + nameOf(one));`,
  );
}
