import type { Browser } from "playwright-core";
import { openContext } from "./context.ts";
import type { SignedIn } from "./looks.ts";
import { press, type Step, walk } from "./steps.ts";

/** Sends forms as a person does, without script; each step that does not show what it should, in words. */
export async function checkForms(
  browser: Browser,
  { origin, owner, failedId }: { origin: string; owner: SignedIn; failedId: number },
): Promise<string[]> {
  const context = await openContext(browser, { storageState: owner, javaScriptEnabled: false });
  const page = await context.newPage();
  const steps: Step[] = [
    {
      name: "the root leads to the pages",
      shows: "Accounts and platforms",
      act: () => page.goto(origin),
    },
    {
      name: "the filter finds a post",
      shows: "1 post",
      act: async () => {
        await page.goto(`${origin}/app/uploads`);
        await page.getByLabel("State").selectOption("failed");
        await page.getByLabel("Text").fill("this one");
        await press(page, "Show");
      },
    },
    {
      name: "a failed post is retried",
      shows: "The post is queued again",
      act: async () => {
        await page.goto(`${origin}/app/uploads/${failedId}`);
        await press(page, "Retry");
      },
    },
    {
      name: "a sandbox account is made",
      shows: "The account is connected.",
      act: async () => {
        await page.goto(`${origin}/app/accounts`);
        await page.getByLabel("Platform").selectOption("pinterest");
        await page.getByLabel("Name").fill("Made in a browser");
        await press(page, "Create a sandbox account");
      },
    },
    {
      name: "it is given tags",
      shows: "The tags are saved.",
      act: async () => {
        await page.getByRole("link", { name: "Made in a browser" }).click();
        await page.getByRole("textbox", { name: "Tags" }).fill("news, fun");
        await press(page, "Save the tags");
      },
    },
    {
      name: "it is disconnected",
      shows: "The account has been disconnected.",
      act: async () => {
        await page.getByRole("link", { name: "Disconnect…" }).click();
        await press(page, "Disconnect the account");
      },
    },
  ];
  const problems = await walk(page, steps);
  await context.close();
  return problems;
}
