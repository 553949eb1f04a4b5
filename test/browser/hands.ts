import type { Locator, Page } from "playwright-core";
import { isFocused, keyTo, tabTo } from "./keyboard.ts";

/** A person's way to use a page: one of them for the whole of a walk. */
export interface Hands {
  /** A button, or a link. */
  press(target: Locator): Promise<void>;
  write(target: Locator, text: string): Promise<void>;
  /** A checkbox, or a radio button. */
  tick(target: Locator): Promise<void>;
  /** `day` as 2027-03-26. */
  setDay(target: Locator, day: string): Promise<void>;
  /** `time` as 10:00. */
  setTime(target: Locator, time: string): Promise<void>;
  attach(input: Locator, files: readonly string[]): Promise<void>;
}

const MAX_ARROWS = 20;

/** As an American keyboard enters it. */
export function typedDay(day: string): string {
  const [year, month, date] = day.split("-");
  return `${month}${date}${year}`;
}

function typedTime(time: string): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${two(hour % 12 || 12)}${two(minute)}${hour < 12 ? "AM" : "PM"}`;
}

/** No mouse, and no focus but by keys. The page's language must be American English. */
export function keyboardOf(page: Page): Hands {
  const { keyboard } = page;
  const type = async (target: Locator, text: string) => {
    await tabTo(page, target);
    await keyboard.type(text);
  };
  return {
    press: async (target) => {
      await tabTo(page, target);
      await keyboard.press("Enter");
    },
    write: async (target, text) => {
      await tabTo(page, target);
      await keyboard.press("Control+A");
      await keyboard.type(text);
    },
    tick: async (target) => {
      if ((await target.getAttribute("type")) !== "radio") {
        await tabTo(page, target);
        await keyboard.press("Space");
        return;
      }
      const name = await target.getAttribute("name");
      await tabTo(page, page.locator(`input[name="${name}"]:checked`));
      await keyTo(page, target, "ArrowDown", MAX_ARROWS);
    },
    setDay: (target, day) => type(target, typedDay(day)),
    setTime: (target, time) => type(target, typedTime(time)),
    attach: async (input, files) => {
      // The listener must stand before the key is pressed, or the file chooser is missed.
      const choosing = page.waitForEvent("filechooser");
      await tabTo(page, input);
      await keyboard.press("Enter");
      await (await choosing).setFiles([...files]);
      if (!(await isFocused(page, input))) throw new Error("The focus left the file field.");
    },
  };
}

/** Fingers on a phone, whose own parts choose a day and a time. */
export function fingersOf(page: Page): Hands {
  return {
    press: (target) => target.tap(),
    write: async (target, text) => {
      await target.tap();
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
    },
    tick: (target) => target.tap(),
    setDay: (target, day) => target.fill(day),
    setTime: (target, time) => target.fill(time),
    attach: async (input, files) => {
      const choosing = page.waitForEvent("filechooser");
      await input.tap();
      await (await choosing).setFiles([...files]);
    },
  };
}

/** A mouse and a keyboard, as the pages' forms take them. */
export const mouseOf = (): Hands => ({
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
  tick: (target) => target.check(),
  setDay: (target, day) => target.fill(day),
  setTime: (target, time) => target.fill(time),
  attach: (input, files) => input.setInputFiles([...files]),
});
