import type { Browser } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const PHONE = { width: 360, height: 800 };
const NAME = "Flows of the office";
const LONG = `https://flows.example.com/${"rest/oauth2-credential/".repeat(6)}callback`;

/** Registers an app, replaces its secret and deletes it, on a phone. Each step that failed, in words. */
export async function checkApps(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  const context = await openContext(browser, { storageState: owner, viewport: PHONE });
  const policy = watchPolicy(context);
  const page = await context.newPage();
  const problems = await walk(page, [
    {
      name: "a wrong line of an app is named",
      shows: "Line 2 must be https",
      act: async () => {
        await page.goto(`${akimbo.origin}/app/settings`);
        await page.getByRole("link", { name: /offer “Connect Akimbo”/ }).click();
        await page.getByLabel("Name").fill(NAME);
        await page.getByLabel("Redirect addresses").fill(`${LONG}\nhttp://flows.example.com/`);
        await press(page, "Register the app");
        await page.getByRole("alert").first().waitFor();
        await requireSound(page, folder, "app-refused");
      },
    },
    {
      name: "an app is registered",
      shows: "it is shown this once",
      act: async () => {
        await page.getByLabel("Redirect addresses").fill(LONG);
        await press(page, "Register the app");
        await page.getByRole("heading", { name: "The app is registered" }).waitFor();
        await requireSound(page, folder, "app-made");
      },
    },
    {
      name: "its secret is replaced",
      shows: "The new secret",
      act: async () => {
        await page.getByRole("link", { name: "New secret…" }).click();
        await page.getByRole("button", { name: "Make a new secret" }).waitFor();
        await requireSound(page, folder, "app-secret");
        await press(page, "Make a new secret");
      },
    },
    {
      name: "it stands in the list",
      shows: "Allowed by 0 people",
      act: async () => {
        await page.getByRole("link", { name: "All apps" }).click();
        await page.getByRole("heading", { name: "1 app" }).waitFor();
        await page.getByText("All scopes").click();
        await requireSound(page, folder, "apps");
      },
    },
    {
      name: "it is deleted",
      shows: "0 apps",
      act: async () => {
        await page.getByRole("link", { name: NAME }).click();
        await page.getByRole("link", { name: "Delete…" }).click();
        await page.getByRole("button", { name: "Delete the app" }).waitFor();
        await requireSound(page, folder, "app-delete");
        await press(page, "Delete the app");
      },
    },
  ]);
  await context.close();
  return [...problems, ...policy];
}
