import type { Browser, Page } from "playwright-core";

interface Step {
  name: string;
  /** Text that the page shows once it is done. */
  shows: string;
  act(page: Page): Promise<unknown>;
}

/** Sends forms as a person does, without script; each step that does not show what it should, in words. */
export async function checkForms(
  browser: Browser,
  {
    origin,
    cookie,
    failedId,
  }: { origin: string; cookie: Parameters<Cookies>[0][number]; failedId: number },
): Promise<string[]> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const steps: Step[] = [
    {
      name: "the root leads to the pages",
      shows: "Needs a person",
      act: () => page.goto(origin),
    },
    {
      name: "the filter finds a post",
      shows: "1 upload",
      act: async () => {
        await page.goto(`${origin}/app/uploads`);
        await page.getByLabel("State").selectOption("failed");
        await page.getByLabel("Text").fill("this one");
        await press("Show");
      },
    },
    {
      name: "a failed post is retried",
      shows: "The post is queued again",
      act: async () => {
        await page.goto(`${origin}/app/uploads/${failedId}`);
        await press("Retry");
      },
    },
    {
      name: "a sandbox account is made",
      shows: "The account is connected.",
      act: async () => {
        await page.goto(`${origin}/app/accounts`);
        await page.getByLabel("Platform").selectOption("pinterest");
        await page.getByLabel("Name").fill("Made in a browser");
        await press("Create a sandbox account");
      },
    },
    {
      name: "it is given tags",
      shows: "The tags are saved.",
      act: async () => {
        await page.getByRole("link", { name: "Made in a browser" }).click();
        await page.getByRole("textbox", { name: "Tags" }).fill("news, fun");
        await press("Save the tags");
      },
    },
    {
      name: "it is disconnected",
      shows: "The account has been disconnected.",
      act: async () => {
        await page.getByRole("link", { name: "Disconnect…" }).click();
        await press("Disconnect the account");
      },
    },
  ];
  const problems: string[] = [];
  for (const { name, shows, act } of steps) {
    try {
      await act(page);
      const text = await page.locator("main").innerText();
      if (!text.includes(shows)) problems.push(`${name}: it does not show "${shows}" but: ${text}`);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  await context.close();
  return problems;
}

type Cookies = Awaited<ReturnType<Browser["newContext"]>>["addCookies"];
