import type { Page } from "playwright-core";
import type { Akimbo } from "../../peers/akimbo.ts";
import { type Hands, typedDay } from "../hands.ts";
import { isFocused, keyTo, tabTo } from "../keyboard.ts";
import {
  dayCell,
  dragByTouch,
  entryOf,
  requireIn,
  requirePlanned,
  untilMoved,
} from "../planning.ts";
import type { Step } from "../steps.ts";
import type { Found } from "./composed.ts";

interface Moving {
  akimbo: Akimbo;
  hands: Hands;
  found: Found;
  friday: string;
  monday: string;
  time: string;
}

/** From any page of the team to posts that are planned for Monday, at the same hour. */
export type Mover = (moving: Moving) => Step[];

/** A month shows three entries of a day; the others are on the day's own page. */
const SHOWN = 3;
const MAX_MONTHS = 7;
const MAX_ARROWS = 50;

const showsMonth = (page: Page, month: string): boolean => page.url().includes(`month=${month}`);

/** Leafs through the months until the day's comes. */
async function openMonth(page: Page, hands: Hands, day: string): Promise<void> {
  const month = day.slice(0, 7);
  for (let i = 0; i < MAX_MONTHS && !showsMonth(page, month); i++) {
    const before = page.url();
    await hands.press(page.getByRole("link", { name: "Next month" }));
    await page.waitForURL((url) => url.href !== before);
  }
  await dayCell(page, day).waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}

/** From the focused entry, or another one of its day. */
async function moveFocused(page: Page, { found, friday, monday }: Moving, id: number) {
  const entry = entryOf(page, id).locator(".open");
  await keyTo(page, entry, "ArrowDown", found.ids.length + 1);
  await page.keyboard.press("m");
  await page.keyboard.type(typedDay(monday));
  await untilMoved(page, id, () => page.keyboard.press("Enter"));
  if (await dayCell(page, friday).locator(`#post-${id}`).count()) throw new Error("It stayed.");
}

const allPlanned = async ({ akimbo, found, monday, time }: Moving): Promise<void> => {
  for (const id of found.ids) await requirePlanned(akimbo, id, `${monday}T${time}`);
};

export const moveByKeys: Mover = (moving) => {
  const { hands, found, friday, monday } = moving;
  return [
    {
      name: "the calendar is opened, and leafed to the month",
      shows: "Three from the coast",
      act: async (page) => {
        await page.waitForLoadState("networkidle");
        await page.keyboard.press("g");
        await page.keyboard.press("c");
        await page.waitForURL("**/app/calendar");
        await openMonth(page, hands, friday);
      },
    },
    {
      name: "Move to… takes the entries across the change of clocks",
      shows: "Three from the coast",
      act: async (page) => {
        await tabTo(page, page.locator(".open, .add").first());
        const firstOfDay = dayCell(page, friday).locator(".open").first();
        await keyTo(page, firstOfDay, "ArrowRight", MAX_ARROWS);
        const shown = found.ids.slice(0, SHOWN);
        for (const [i, id] of shown.entries()) {
          await moveFocused(page, moving, id);
          await requireIn(page, id, monday);
          if (!(await isFocused(page, entryOf(page, id).locator(".open")))) {
            throw new Error("The focus did not stay with the entry.");
          }
          if (i < shown.length - 1) await keyTo(page, firstOfDay, "ArrowLeft", MAX_ARROWS);
        }
      },
    },
    {
      name: "the others are on the day's own page",
      shows: "Calendar",
      act: async (page) => {
        await hands.press(page.getByRole("link", { name: /^\d+ more on/ }).first());
        await page.waitForURL("**day=**");
        await page.waitForLoadState("networkidle");
        for (const id of found.ids.slice(SHOWN)) {
          await tabTo(page, page.locator(".open").first());
          await moveFocused(page, moving, id);
        }
        await allPlanned(moving);
      },
    },
  ];
};

export const moveByDrag: Mover = (moving) => {
  const { akimbo, hands, found, friday, monday } = moving;
  return [
    {
      name: "the calendar is opened at the month of the post",
      shows: "Three from the coast",
      act: async (page) => {
        await hands.press(page.getByRole("link", { name: "See it in the calendar" }));
        await page.waitForURL("**/app/calendar?month=*");
        await openMonth(page, hands, friday);
      },
    },
    {
      name: "a drag by a finger takes the entries across the change of clocks",
      shows: "Three from the coast",
      act: async (page) => {
        for (const id of found.ids.slice(0, SHOWN)) {
          await untilMoved(page, id, () => dragByTouch(page, id, monday));
          await requireIn(page, id, monday);
        }
      },
    },
    {
      name: "the others are moved by their form",
      shows: "Calendar",
      act: async (page) => {
        await hands.press(page.getByRole("link", { name: /^\d+ more on/ }).first());
        await page.waitForURL("**day=**");
        await page.waitForLoadState("networkidle");
        for (const id of found.ids.slice(SHOWN)) {
          const entry = entryOf(page, id);
          await hands.press(entry.getByText("Move to…"));
          await hands.setDay(entry.getByLabel("Day"), monday);
          await untilMoved(page, id, () =>
            hands.press(entry.getByRole("button", { name: "Move" })),
          );
        }
        for (const id of found.ids) await requirePlanned(akimbo, id, `${monday}T${moving.time}`);
      },
    },
  ];
};

export const moveByForm: Mover = (moving) => {
  const { hands, found, friday, monday } = moving;
  return [
    {
      name: "the calendar is opened, and leafed to the month",
      shows: "Three from the coast",
      act: async (page) => {
        await hands.press(page.getByRole("navigation", { name: "Pages" }).getByText("Calendar"));
        await openMonth(page, hands, friday);
      },
    },
    {
      name: "the form takes the entries across the change of clocks",
      shows: "The post has been moved.",
      act: async (page) => {
        for (const id of found.ids) {
          const entry = entryOf(page, id);
          await hands.press(entry.getByText("Move to…"));
          await hands.setDay(entry.getByLabel("Day"), monday);
          await hands.press(entry.getByRole("button", { name: "Move" }));
          await page.waitForURL((url) => url.hash === `#post-${id}`);
        }
        await allPlanned(moving);
      },
    },
  ];
};
