import type { Browser, Page } from "playwright-core";
import { addDays } from "../../src/core/zone.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { requireSound, type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";
import {
  centreOf,
  clock,
  dayCell,
  dragByTouch,
  entryOf,
  fridayBeforeChange,
  requireIn,
  requirePlanned,
  untilMoved,
} from "./planning.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const DAY_MS = 86_400_000;
const DESK = { width: 1_280, height: 1_000 };
const PHONE = { width: 360, height: 800 };
/** Source: the calendar's numbers. */
const MAX_ANSWER_MS = 100;

async function plan(akimbo: Akimbo, title: string, day: string, time: string): Promise<number> {
  const { body } = await akimbo.call<{ data: { id: string; platform: string }[] }>(
    "GET",
    "/accounts",
  );
  const accountId = body.data.find(({ platform }) => platform === "bluesky")?.id ?? "";
  const schedule_date = new Date(clock.instantOf(day, time).at).toISOString();
  const { body: made } = await akimbo.post({ accountId, description: title, schedule_date });
  if (!made.data) throw new Error(made.error);
  return made.data.uploadId;
}

/** Measures from the release of the pointer to the entry's new place. */
const STOPWATCH = `globalThis.answerMs = null;
addEventListener("pointerup", () => {
  const from = performance.now();
  new MutationObserver((_, observer) => {
    globalThis.answerMs ??= performance.now() - from;
    observer.disconnect();
  }).observe(document.querySelector(".days"), { childList: true, subtree: true });
}, { capture: true, once: true });`;

async function dragByMouse(page: Page, id: number, day: string): Promise<void> {
  await page.evaluate(`document.querySelector("#post-${id}").scrollIntoView({ block: "center" })`);
  const from = await centreOf(entryOf(page, id).locator(".open"));
  const to = await centreOf(dayCell(page, day));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.move(to.x, to.y, { steps: 8 });
}

/**
 * Moves posts by mouse, by touch, by keyboard and without script, has moves refused and given up, and reads the
 * calendar's feed. Each step that failed, in words.
 */
export async function checkCalendar(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  const friday = fridayBeforeChange();
  const [thursday, saturday, monday] = [-1, 1, 3].map((days) => addDays(friday, days)) as [
    string,
    string,
    string,
  ];
  const month = `/app/calendar?month=${friday.slice(0, 7)}`;
  const mouse = await plan(akimbo, "Dragged by mouse", friday, "10:00");
  const touched = await plan(akimbo, "Dragged by touch", friday, "18:30");
  const typed = await plan(akimbo, "Moved by keyboard", friday, "12:15");
  const refused = await plan(akimbo, "Refused", thursday, "14:00");
  const plain = await plan(akimbo, "Moved without script", thursday, "16:00");
  const contexts = [
    await openContext(browser, { storageState: owner, timezoneId: "Asia/Tokyo", viewport: DESK }),
    await openContext(browser, { storageState: owner, viewport: PHONE, hasTouch: true }),
    await openContext(browser, { storageState: owner, javaScriptEnabled: false }),
  ] as const;
  const policies = contexts.map(watchPolicy);
  const foreign = contexts.map((context) => watchOrigins(context, akimbo.origin));
  const [desk, phone, bare] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!desk || !phone || !bare) throw new Error("No page could be opened.");
  const problems = await walk(desk, [
    {
      name: "the month is shown, with the zones",
      shows: "Your own zone is Asia/Tokyo.",
      act: async () => {
        await desk.goto(akimbo.origin + month);
        await requireSound(desk, folder, "calendar-month");
        await desk.goto(`${akimbo.origin}/app/calendar?week=${friday}`);
        await requireSound(desk, folder, "calendar-week");
        await desk.goto(akimbo.origin + month);
        await desk.keyboard.press("j");
        await desk.waitForURL((url) => !url.href.endsWith(month));
        await desk.keyboard.press("k");
        await desk.waitForURL(akimbo.origin + month);
      },
    },
    {
      name: "a drag by mouse across the change of clocks keeps the hour",
      shows: "Dragged by mouse",
      act: async () => {
        await desk.evaluate(STOPWATCH);
        await untilMoved(desk, mouse, async () => {
          await dragByMouse(desk, mouse, monday);
          await desk.mouse.up();
        });
        await requireIn(desk, mouse, monday);
        const ms = await desk.evaluate<number | null>("globalThis.answerMs");
        if (ms === null || ms > MAX_ANSWER_MS)
          throw new Error(`The drag was shown after ${ms} ms.`);
        await requirePlanned(akimbo, mouse, `${monday}T10:00`);
        await desk.getByText(/^Moved to /).waitFor({ state: "attached" });
        if (desk.url() !== akimbo.origin + month) throw new Error("The drag opened the post.");
      },
    },
    {
      name: "Escape gives a drag up",
      shows: "Refused",
      act: async () => {
        await dragByMouse(desk, refused, monday);
        await desk.keyboard.press("Escape");
        await desk.mouse.up();
        await requireIn(desk, refused, thursday);
        await requirePlanned(akimbo, refused, `${thursday}T14:00`);
      },
    },
    {
      name: "a refused drag returns, and says why",
      shows: "The date of a failed post cannot be edited.",
      act: async () => {
        await akimbo.call("DELETE", `/upload/${refused}`);
        await dragByMouse(desk, refused, monday);
        await desk.mouse.up();
        await entryOf(desk, refused).locator(".refusal").waitFor();
        await requireIn(desk, refused, thursday);
        await desk.getByText(/^The post stays where it was\./).waitFor({ state: "attached" });
        await requireSound(desk, folder, "calendar-refused");
      },
    },
    {
      name: "by keyboard alone: from entry to entry, then Move to…",
      shows: "Moved by keyboard",
      act: async () => {
        await dayCell(desk, friday).locator(".open").first().focus();
        await desk.keyboard.press("ArrowDown");
        const isFocused = () =>
          desk.evaluate<boolean>(`document.activeElement.matches("#post-${typed} .open")`);
        for (let i = 0; i < 4 && !(await isFocused()); i++) await desk.keyboard.press("ArrowUp");
        if (!(await isFocused())) throw new Error("The arrow keys do not reach the entry.");
        await desk.keyboard.press("m");
        const time = entryOf(desk, typed).getByLabel("Time");
        await entryOf(desk, typed).getByLabel("Day").fill(saturday);
        await time.fill("09:45");
        await untilMoved(desk, typed, () => time.press("Enter"));
        await requireIn(desk, typed, saturday);
        await requirePlanned(akimbo, typed, `${saturday}T09:45`);
        if (!(await isFocused())) throw new Error("The focus did not stay with the entry.");
        await desk.keyboard.press("Enter");
        await desk.waitForURL(`**/app/uploads/${typed}`);
      },
    },
    {
      name: "an empty day leads to the composer, and a feed is made",
      shows: "it is shown this once",
      act: async () => {
        await desk.goto(akimbo.origin + month);
        const address = await dayCell(desk, monday).locator(".add").getAttribute("href");
        if (address !== `/app/compose?at=${monday}T10:00`)
          throw new Error(`It leads to ${address}.`);
        await press(desk, "Make an address");
        const feed = await desk.locator("section.notice pre").innerText();
        const text = await (await fetch(feed)).text();
        if (!text.includes("SUMMARY:")) throw new Error(`The feed is: ${text}`);
        await requireSound(desk, folder, "calendar-feed");
      },
    },
  ]);
  problems.push(
    ...(await walk(phone, [
      {
        name: "a drag by touch moves the post, a short touch scrolls",
        shows: "Dragged by touch",
        act: async () => {
          await phone.goto(akimbo.origin + month);
          await untilMoved(phone, touched, () => dragByTouch(phone, touched, saturday));
          await requireIn(phone, touched, saturday);
          await requirePlanned(akimbo, touched, `${saturday}T18:30`);
        },
      },
      {
        name: "Move to… by touch alone",
        shows: "Dragged by touch",
        act: async () => {
          await entryOf(phone, touched).getByText("Move to…").tap();
          await entryOf(phone, touched).getByLabel("Day").fill(monday);
          await untilMoved(phone, touched, () =>
            entryOf(phone, touched).getByRole("button", { name: "Move" }).tap(),
          );
          await requirePlanned(akimbo, touched, `${monday}T18:30`);
        },
      },
    ])),
    ...(await walk(bare, [
      {
        name: "without script, the form moves the post",
        shows: "The post has been moved.",
        act: async () => {
          await bare.goto(akimbo.origin + month);
          await entryOf(bare, plain).getByText("Move to…").click();
          await entryOf(bare, plain).getByLabel("Day").fill(monday);
          await entryOf(bare, plain).getByRole("button", { name: "Move" }).click();
        },
      },
      {
        name: "without script, a refusal stands at the entry",
        shows: "must be in the future",
        act: async () => {
          await requirePlanned(akimbo, plain, `${monday}T16:00`);
          const past = clock.dayAt(Date.now() - 3 * DAY_MS);
          await entryOf(bare, plain).getByText("Move to…").click();
          await entryOf(bare, plain).getByLabel("Day").fill(past);
          await entryOf(bare, plain).getByRole("button", { name: "Move" }).click();
          await entryOf(bare, plain).locator(".refusal").waitFor();
          await requireIn(bare, plain, monday);
          await requirePlanned(akimbo, plain, `${monday}T16:00`);
        },
      },
    ])),
  );
  for (const addresses of foreign) problems.push(...[...addresses].map((one) => `asked: ${one}`));
  problems.push(...policies.flat());
  for (const context of contexts) await context.close();
  return problems;
}
