import type { Page } from "playwright-core";
import { keyboardOf } from "./hands.ts";
import { tabTo } from "./keyboard.ts";
import { pictures } from "./pictures.ts";
import type { Step } from "./steps.ts";

interface Walk {
  origin: string;
  /** For files. */
  folder: string;
}

/** Walks of a keyboard alone: analytics, pools, webhooks, short links, domains, connection pages, tokens. */
export function keyboardWalks(page: Page, { origin, folder }: Walk): Step[][] {
  const hands = keyboardOf(page);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole("link", { name });
  const field = (name: string) => page.getByLabel(new RegExp(`^${name}\\b`)).first();
  const summary = (name: string) => page.locator("summary").filter({ hasText: name });
  const open = (path: string) => page.goto(origin + path);
  const step = (name: string, shows: string, act: () => Promise<unknown>): Step => ({
    name: `by keyboard, ${name}`,
    shows,
    act,
  });
  return [
    [
      step(
        "a period is chosen, and a chart's table read",
        "These 7 days and the 7 before",
        async () => {
          await open("/app/analytics");
          await tabTo(page, field("Period"));
          await page.keyboard.press("Home");
          await hands.press(button("Show"));
          await page.waitForURL(/period=7/);
          await hands.press(summary("Table: Views by day").first());
          await page.getByRole("table", { name: "Views by day" }).first().waitFor();
          await hands.press(summary("Table: These 7 days").first());
        },
      ),
      step("a day is read from a chart", "Analytics", async () => {
        await tabTo(page, page.getByRole("slider").first());
        await page.keyboard.press("Home");
        await page.keyboard.press("ArrowRight");
        const read = await page.locator("[data-readout]").first().innerText();
        if (!/^\d{4}-\d\d-\d\d: Views/.test(read)) throw new Error(`It reads "${read}".`);
      }),
      step("a report is sent as a link", "The link is made.", async () => {
        await hands.write(field("Title"), "Made by keys");
        await hands.press(button("Make the link"));
      }),
      step("a report is revoked", "The link is revoked.", () =>
        hands.press(button("Revoke the link Made by keys")),
      ),
    ],
    [
      step("a pool is made", "The pool is made.", async () => {
        await open("/app/pools");
        await hands.write(field("Name"), "Made by keys");
        await hands.press(button("Make the pool"));
      }),
      step("a slot is added", "The slot is saved.", async () => {
        await hands.tick(page.getByLabel(/on Bluesky/).first());
        await hands.press(button("Add the slot"));
      }),
      step("items are added", "Queue: 2 items", async () => {
        for (const [i, title] of ["First", "Second"].entries()) {
          await hands.press(summary("Add one item"));
          await hands.write(field("Title"), title);
          await hands.attach(field("Photos"), (await pictures(folder, 9)).slice(i, i + 1));
          await hands.press(button("Add the item"));
          await page.getByText(`Queue: ${i + 1} item`).waitFor();
        }
      }),
      step("an item is moved", "1. Second", () => hands.press(button("Up: Second"))),
      step("the pool is deleted", "The pool is deleted.", async () => {
        await hands.press(summary("Delete this pool"));
        await hands.press(button("Delete the pool"));
      }),
    ],
    [
      step("a webhook is made", "The webhook is made", async () => {
        await open("/app/webhooks");
        await hands.write(field("Address"), `${origin}/sandbox/webhook`);
        await hands.tick(page.getByRole("checkbox", { name: /^suggestion\.created/ }));
        await hands.press(button("Make the webhook"));
      }),
      step("a test is sent", "A test is on its way.", async () => {
        await hands.press(link(/sandbox\/webhook$/).first());
        await hands.press(button("Send a test"));
      }),
      step("an attempt is read", "What was answered", async () => {
        while ((await link("webhook.ping").count()) === 0) await page.reload();
        await hands.press(link("webhook.ping").first());
      }),
      step("an attempt is sent again", "on its way", () => hands.press(button("Send again"))),
      step("the secret is rotated", "The new secret", async () => {
        await page.goBack();
        await hands.press(link(/^Webhook \d+$/));
        await hands.press(summary("Make a new secret…"));
        await hands.press(button("Make a new secret"));
      }),
      step("a webhook is deleted", "The webhook is deleted.", async () => {
        await hands.press(link("Delete…"));
        await hands.press(button("Delete the webhook"));
      }),
    ],
    [
      step("a link is made", "The link is made, and works at once.", async () => {
        await open("/app/short-links");
        await hands.write(field("Where it leads"), "https://example.com/keys");
        await hands.press(button("Make the link"));
      }),
      step("a rule is added", "The rules are saved.", async () => {
        await hands.press(button("Country"));
        await hands.write(page.locator('[name="rules.0.countryCodes"]'), "FR");
        await hands.write(page.locator('[name="rules.0.destination"]'), "https://example.com/fr");
        await hands.press(button("Save the rules").last());
      }),
      step("a visitor is tried", "Because of rule 1: the country is France.", async () => {
        await tabTo(page, field("Country"));
        await page.keyboard.type("France");
        await hands.press(button("Try"));
      }),
      step("a link is deleted", "The link is deleted.", async () => {
        await hands.press(summary("Delete the link…"));
        await hands.press(button("Delete the link"));
      }),
    ],
    [
      step("a domain is added", "The domain is added.", async () => {
        await open("/app/short-links/domains");
        await hands.write(page.locator("#domain"), "keys.harbour-news.example");
        await hands.press(button("Add the domain"));
      }),
      step("a domain is removed", "The domain is removed", async () => {
        await hands.press(summary("Remove keys.harbour-news.example"));
        await hands.press(button("Remove the domain keys.harbour-news.example"));
      }),
    ],
    [
      step("a connection page is made", "The page is made.", async () => {
        await open("/app/connection-pages");
        await hands.write(field("Title"), "Made by keys");
        await hands.press(button("Make the page"));
      }),
      step("a connection page is deleted", "The page is deleted.", () =>
        hands.press(page.getByRole("button", { name: /^Delete the/ }).first()),
      ),
    ],
    [
      step("a token is made", "Copy it now: it is shown this once.", async () => {
        await open("/app/tokens");
        await hands.write(page.locator("input[name=name]"), "Made by keys");
        await hands.tick(page.locator("input[name=scopes]").first());
        await hands.press(button("Create the token"));
      }),
      step("a token is revoked", "Calls with it are refused from now on.", async () => {
        await hands.press(link("Revoke Made by keys"));
        await hands.press(button("Revoke the token"));
      }),
    ],
  ];
}
