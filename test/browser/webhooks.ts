import type { Browser } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const PHONE = { width: 360, height: 800 };

/** Makes a webhook, looks at what is sent to it, and ends it. Each step that failed, in words. */
export async function checkWebhooks(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  const context = await openContext(browser, { storageState: owner, viewport: PHONE });
  const policy = watchPolicy(context);
  const page = await context.newPage();
  const problems = await walk(page, [
    {
      name: "a webhook is made",
      shows: "The webhook is made",
      isLookedAt: true,
      act: async () => {
        await page.goto(`${akimbo.origin}/app/webhooks`);
        await page.getByLabel("Address").fill(`${akimbo.origin}/sandbox/webhook`);
        await page.getByRole("checkbox", { name: /^suggestion\.created/ }).check();
        await press(page, "Make the webhook");
      },
    },
    {
      name: "a test arrives",
      shows: "Arrived",
      act: async () => {
        await page.goto(`${akimbo.origin}/app/webhooks`);
        await page
          .getByRole("link", { name: /sandbox\/webhook$/ })
          .last()
          .click();
        await press(page, "Send a test");
        await page.getByText("A test is on its way.").waitFor();
        while (!(await page.getByText("Arrived").first().isVisible())) {
          await page.waitForTimeout(500);
          await page.reload();
        }
        await requireSound(page, folder, "webhook");
        await takePicture(page, "webhook");
      },
    },
    {
      name: "its attempt shows request and answer",
      shows: "Status 200",
      act: async () => {
        await page.getByRole("link", { name: "webhook.ping" }).first().click();
        await page.getByRole("heading", { name: "What was answered" }).waitFor();
        await requireSound(page, folder, "webhook-attempt");
      },
    },
    {
      name: "nothing that failed is sent again",
      shows: "No event has failed for good since then.",
      act: async () => {
        await page.getByRole("link", { name: /^Webhook \d+$/ }).click();
        await page.getByLabel("Since").selectOption("720");
        await page
          .getByRole("region", { name: "Send again what failed" })
          .getByRole("button")
          .click();
      },
    },
    {
      name: "signatures are checked in six languages",
      shows: "HexFormat",
      act: async () => {
        await page.goto(`${akimbo.origin}/app/webhooks/signature`);
        await requireSound(page, folder, "webhook-signature");
      },
    },
    {
      name: "the webhook is deleted",
      shows: "The webhook is deleted.",
      act: async () => {
        await page.goto(`${akimbo.origin}/app/webhooks`);
        await page
          .getByRole("link", { name: /sandbox\/webhook$/ })
          .last()
          .click();
        await page.getByRole("link", { name: "Delete…" }).click();
        await press(page, "Delete the webhook");
      },
    },
  ]);
  await context.close();
  return [...problems, ...policy];
}
