import type { Locator, Page } from "playwright-core";
import { addDays, weekdayOf, ZoneClock } from "../../src/core/zone.ts";
import type { Akimbo } from "../peers/akimbo.ts";

/** Of the workspace. */
export const clock = new ZoneClock("Europe/Berlin");

/** A press that lifts an entry. */
const LONG_PRESS_MS = 600;
/** Posts are planned up to six months ahead. */
const IN_REACH_DAYS = 150;

/** The Friday before the next change of the clocks, or of a month ahead where that is out of reach. */
export function fridayBeforeChange(): string {
  const today = clock.dayAt(Date.now());
  const offsetOn = (day: string) => clock.offsetAt(clock.instantOf(day, "12:00").at);
  for (let i = 4; i < IN_REACH_DAYS; i++) {
    const day = addDays(today, i);
    if (offsetOn(day) !== offsetOn(addDays(day, 1))) return addDays(day, -1);
  }
  let day = addDays(today, 30);
  while (weekdayOf(day) !== 5) day = addDays(day, 1);
  return day;
}

async function plannedFor(akimbo: Akimbo, id: number): Promise<string> {
  const { body } = await akimbo.call<{ data: { scheduledFor: string } }>("GET", `/upload/${id}`);
  return clock.wallTimeAt(Date.parse(body.data.scheduledFor));
}

export async function requirePlanned(akimbo: Akimbo, id: number, wall: string): Promise<void> {
  const planned = await plannedFor(akimbo, id);
  if (planned !== wall) throw new Error(`The post is planned for ${planned}, not for ${wall}.`);
}

export const entryOf = (page: Page, id: number): Locator => page.locator(`#post-${id}`);
export const dayCell = (page: Page, day: string): Locator => page.locator(`[data-day="${day}"]`);

export async function centreOf(place: Locator): Promise<{ x: number; y: number }> {
  const box = await place.boundingBox();
  if (!box) throw new Error("What is dragged is not shown.");
  return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20) };
}

/** Does the work, and waits for the answer to the move that it makes. */
export async function untilMoved(
  page: Page,
  id: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse(
      (one) => one.request().method() === "PATCH" && one.url().endsWith(`/api/v1/upload/${id}`),
    ),
    work(),
  ]);
  await answer.finished();
}

export async function dragByTouch(page: Page, id: number, day: string): Promise<void> {
  await page.evaluate(`document.querySelector("#post-${id}").scrollIntoView({ block: "center" })`);
  const from = await centreOf(entryOf(page, id).locator(".open"));
  const debug = await page.context().newCDPSession(page);
  const touch = (type: string, points: object[]) =>
    debug.send("Input.dispatchTouchEvent", { type, touchPoints: points } as never);
  await touch("touchStart", [from]);
  await page.waitForTimeout(LONG_PRESS_MS);
  const to = await centreOf(dayCell(page, day));
  for (let i = 1; i <= 8; i++) {
    const between = (a: number, b: number) => a + ((b - a) * i) / 8;
    await touch("touchMove", [{ x: between(from.x, to.x), y: between(from.y, to.y) }]);
  }
  await touch("touchEnd", []);
}

export async function requireIn(page: Page, id: number, day: string): Promise<void> {
  await dayCell(page, day).locator(`#post-${id}`).waitFor();
}
