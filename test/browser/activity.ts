import type { Browser } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { keyTo } from "./keyboard.ts";
import { LOOKS, lookAt, type SignedIn, watchPolicy } from "./looks.ts";
import { walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const PATH = "/app/activity";
const CHANGES = 60;
const MAX_TABS = 120;

/** Makes changes by calls, then reads them by keyboard alone, without script, in every look. */
export async function checkActivity(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  for (let i = 0; i < CHANGES; i++) {
    await akimbo.call("PATCH", "/settings", { zone: i % 2 ? "Europe/Berlin" : "Asia/Tokyo" });
  }
  await akimbo.call("POST", "/pools", { name: "Evergreen", timezone: "Europe/Berlin" });
  await akimbo.call("POST", "/short-links", { url: "https://example.com/spring" });
  const looks = { origin: akimbo.origin, person: owner, folder, looks: LOOKS };
  const problems = await lookAt(browser, looks, [PATH, `${PATH}?type=pool&by=token`]);
  const context = await openContext(browser, {
    storageState: owner,
    viewport: { width: 360, height: 800 },
    javaScriptEnabled: false,
  });
  const refused = watchPolicy(context);
  const page = await context.newPage();
  const tabTo = (name: string) =>
    keyTo(page, page.getByRole("link", { name, exact: true }), "Tab", MAX_TABS);
  problems.push(
    ...(await walk(page, [
      {
        name: "the newest changes stand first",
        shows: "made the pool Evergreen",
        act: async () => {
          await page.goto(akimbo.origin + PATH);
          await takePicture(page, "activity");
        },
      },
      {
        name: "older changes are reached by keyboard",
        shows: "Earlier changes",
        act: async () => {
          await tabTo("Older");
          await page.keyboard.press("Enter");
          await page.waitForURL(/before=/);
        },
      },
      {
        name: "and the newer ones again",
        shows: "made the pool Evergreen",
        act: async () => {
          await tabTo("Newer");
          await page.keyboard.press("Enter");
          await page.waitForURL(/since=/);
        },
      },
      {
        name: "a kind of change is chosen by keyboard",
        shows: "made the short link",
        act: async () => {
          await page.goto(akimbo.origin + PATH);
          await keyTo(page, page.getByLabel("What", { exact: true }), "Tab", MAX_TABS);
          await page.keyboard.type("Short");
          await keyTo(page, page.getByRole("button", { name: "Show", exact: true }), "Tab", 5);
          await page.keyboard.press("Enter");
          await page.waitForURL(/type=short_link/);
          if ((await page.getByText("changed the settings").count()) > 0) {
            throw new Error("Other changes are shown too.");
          }
        },
      },
    ])),
  );
  await context.close();
  return [...problems, ...refused];
}
