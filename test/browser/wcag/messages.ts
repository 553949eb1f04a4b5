import { setTimeout as sleep } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { addDays } from "../../../src/core/zone.ts";
import { clock, entryOf, requireIn, untilMoved } from "../planning.ts";
import { press, type Step } from "../steps.ts";

/** What the pages are looked at with. */
export interface Prepared {
  origin: string;
  files: readonly string[];
  /** A scheduled post, and the day of it. */
  postId: number;
  day: string;
  publishedId: number;
  mediaId: string;
  reviewLink: string;
  accountName: string;
}

const DAY_MS = 86_400_000;
/** WCAG 3.3.1. @throws Error where the control is not marked, or what describes it does not say what is wrong */
async function requireRefused(page: Page, control: Locator, words: string): Promise<void> {
  await control.and(page.locator("[aria-invalid=true]")).waitFor();
  const ids = (await control.getAttribute("aria-describedby"))?.split(" ") ?? [];
  const texts = await Promise.all(
    ids.map(async (id) => {
      const place = page.locator(`[id="${id}"]`);
      return (await place.isVisible()) ? place.innerText() : "";
    }),
  );
  if (!texts.some((text) => text.includes(words)))
    throw new Error(`What describes the field is: ${texts.join(" | ")}`);
}

/** Keeps what comes to the places that screen readers follow, however soon something else takes its place. */
export const LISTENER = `globalThis.told = [];
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const element = target instanceof Element ? target : target.parentElement;
    const place = element?.closest("[role=status], [role=alert], [aria-live=polite]");
    if (place) globalThis.told.push(place.textContent.trim());
  }
}).observe(document, { childList: true, subtree: true, characterData: true });`;

const TOLD_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** WCAG 4.1.3. @throws Error where the page does not tell it */
async function isTold(page: Page, words: RegExp): Promise<void> {
  let told: string[] = [];
  for (const end = Date.now() + TOLD_TIMEOUT_MS; Date.now() < end; await sleep(POLL_MS)) {
    told = await page.evaluate<string[]>("globalThis.told");
    if (told.some((one) => words.test(one))) return;
  }
  throw new Error(`The page does not tell ${words}, but: ${told.join(" | ")}`);
}

const accountNamed = (page: Page, name: string): Locator =>
  page.locator(`input[data-account-name="${name}"]`);

async function requireFirst(page: Page, words: string): Promise<void> {
  const first = await page.locator("#alt-0").inputValue();
  if (first !== words) throw new Error(`The first file is ${first}.`);
}

/** What pages say of refusals and of success, and each drag done by single clicks (WCAG 2.5.7). */
export const messageSteps = (prepared: Prepared): Step[] => [
  {
    name: "3.3.1: a form of the composer that is refused",
    shows: "Nothing was sent.",
    act: async (page) => {
      await page.goto(`${prepared.origin}/app/compose`);
      await accountNamed(page, prepared.accountName).check();
      await page.locator("#description").fill("A text");
      await page.getByLabel("At this time").check();
      await page.locator("#date").fill("2020-01-01");
      await page.locator("#time").fill("10:00");
      await press(page, "Publish or schedule");
      await page.getByRole("alert").filter({ hasText: "Nothing was sent." }).waitFor();
      await requireRefused(page, page.locator("#date"), "future");
    },
  },
  {
    name: "3.3.1, 4.1.3: a text that is too long, as it is written",
    shows: "Every chosen account takes this post.",
    act: async (page) => {
      await page.goto(`${prepared.origin}/app/compose?text=A`);
      await page.waitForLoadState("networkidle");
      await accountNamed(page, prepared.accountName).check();
      await page.locator("#description").fill("Long. ".repeat(60));
      await requireRefused(page, page.locator("#description"), "300");
      await isTold(page, /This post would be refused/);
      await page.locator("#description").fill("Short.");
      await isTold(page, /Every chosen account takes this post/);
    },
  },
  {
    name: "4.1.3: what is saved and stored",
    shows: "What file 3 shows",
    act: async (page) => {
      await isTold(page, /^Saved/);
      await page.locator("#photo").setInputFiles([...prepared.files]);
      await page.locator("[name=mediaId]").nth(2).waitFor({ state: "attached" });
      await isTold(page, /Every file is stored/);
    },
  },
  {
    name: "2.5.7, 4.1.3: files are ordered by clicks",
    shows: "What file 3 shows",
    act: async (page) => {
      await page.locator("#alt-1").fill("The second");
      await page.getByRole("button", { name: "Earlier: file 2" }).click();
      await isTold(page, /This file is now number 1 of 3/);
      await requireFirst(page, "The second");
    },
  },
  {
    name: "3.3.1: a file's name that is refused",
    shows: "Name",
    act: async (page) => {
      await page.goto(`${prepared.origin}/app/media/${prepared.mediaId}`);
      const name = page.getByRole("textbox", { name: "Name" });
      await name.fill("   ");
      await press(page, "Rename");
      await requireRefused(page, name, "visible character");
    },
  },
  {
    name: "2.5.7, 4.1.3: a post is moved by clicks",
    shows: "Calendar",
    act: async (page) => {
      const { day, postId } = prepared;
      const next = addDays(day, 1);
      await page.goto(`${prepared.origin}/app/calendar?month=${next.slice(0, 7)}`);
      const entry = entryOf(page, postId);
      await entry.getByText("Move to…").click();
      await entry.getByLabel("Day").fill(next);
      await untilMoved(page, postId, () => entry.getByRole("button", { name: "Move" }).click());
      await requireIn(page, postId, next);
      await isTold(page, /^Moved to /);
    },
  },
  {
    name: "3.3.1, 4.1.3: a move that is refused",
    shows: "The time must be in the future.",
    act: async (page) => {
      const entry = entryOf(page, prepared.postId);
      await entry.getByText("Move to…").click();
      await entry.getByLabel("Day").fill(clock.dayAt(Date.now() - 3 * DAY_MS));
      await entry.getByRole("button", { name: "Move" }).click();
      await requireRefused(page, entry.getByLabel("Day"), "The time must be in the future.");
      await isTold(page, /The post stays where it was/);
    },
  },
];
