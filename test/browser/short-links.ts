import type { Browser, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { requireSound, type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const LIST = "/app/short-links";
const CODES = ["DE", "AT", "CH", "FR"];
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Mobile/15E148";

async function makeLink(akimbo: Akimbo, slug: string): Promise<number> {
  const rules = CODES.map((countryCodes, i) => ({
    type: "geo",
    countryCodes,
    destination: `https://example.com/${countryCodes.toLowerCase()}`,
    priority: CODES.length - 1 - i,
  }));
  const json = { url: "https://example.com/shop", slug, rules };
  const { status, body } = await akimbo.call<{ id: number }>("POST", "/short-links", json);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

const orderOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[name$=".countryCodes"]')].map((one) => one.value)`,
  );

async function requireOrder(page: Page, expected: string): Promise<void> {
  const order = (await orderOn(page)).join(" ");
  if (order !== expected) throw new Error(`The order is ${order}, not ${expected}.`);
}

async function storedOrder({ call }: Akimbo, id: number): Promise<string> {
  const { body } = await call<{ rules: { countryCodes: string }[] }>("GET", `/short-links/${id}`);
  return body.rules.map(({ countryCodes }) => countryCodes).join(" ");
}

/** Drags the handle of a rule onto another rule. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const rules = page.locator("[data-rule]");
  await rules.nth(Math.min(from, to)).scrollIntoViewIfNeeded();
  await page.evaluate(
    `document.querySelectorAll("[data-rule]")[${Math.min(from, to)}].scrollIntoView()`,
  );
  const handle = await rules.nth(from).locator(".handle").boundingBox();
  const target = await rules.nth(to).boundingBox();
  if (!handle || !target) throw new Error("There is nothing to drag.");
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(handle.x + handle.width / 2, handle.y - 20);
  await page.mouse.move(target.x + 40, target.y + target.height / 2, { steps: 8 });
  await page.mouse.up();
}

/** Without script, each button sends the form. */
async function pressAndLoad(page: Page, name: string): Promise<void> {
  const loaded = page.waitForEvent("load");
  await press(page, name);
  await loaded;
}

/** Goes by the Tab key to the element. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`))
      return;
  }
  throw new Error(`The Tab key does not lead to ${selector}.`);
}

/**
 * Makes links, orders their rules by buttons, by dragging, by keyboard and without script, tries a visitor, and adds a
 * domain. Each step that failed, in words.
 */
export async function checkShortLinks(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  const contexts = [
    await openContext(browser, { storageState: owner, viewport: { width: 1_280, height: 1_600 } }),
    await openContext(browser, { storageState: owner, javaScriptEnabled: false }),
  ];
  const refused = contexts.map(watchPolicy);
  const foreign = contexts.map((context) => watchOrigins(context, akimbo.origin));
  const [page, plain] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!page || !plain) throw new Error("No page could be opened.");
  const ids = await Promise.all(
    ["by-buttons", "by-dragging", "by-keyboard", "without-script"].map((slug) =>
      makeLink(akimbo, slug),
    ),
  );
  const [buttons = 0, dragged = 0, keyed = 0, scriptless = 0] = ids;
  const open = (one: Page, id: number) => one.goto(`${akimbo.origin}${LIST}/${id}#rules`);
  const save = async (one: Page, id: number, expected: string) => {
    await press(one, "Save the rules");
    await one.getByText("The rules are saved.").waitFor();
    const stored = await storedOrder(akimbo, id);
    if (stored !== expected) throw new Error(`The order is ${stored}, not ${expected}.`);
  };
  const moved = "AT FR DE CH";
  const problems = [
    ...(await walk(page, [
      {
        name: "a link is made",
        shows: "The link is made, and works at once.",
        act: async () => {
          await page.goto(akimbo.origin + LIST);
          await page.getByLabel("Where it leads").fill("https://example.com/autumn");
          await page.locator("#slug").fill("autumn-sale");
          await press(page, "Make the link");
          await page.getByText("The link is made").waitFor();
          await requireSound(page, folder, "short link new");
        },
      },
      {
        name: "rules are ordered by buttons",
        shows: "The rules are saved.",
        act: async () => {
          await open(page, buttons);
          await press(page, "Down rule 1");
          await press(page, "Up rule 4");
          await press(page, "Up rule 3");
          await requireOrder(page, moved);
          await save(page, buttons, moved);
          await requireSound(page, folder, "short link rules");
          await takePicture(page, "short-link");
        },
      },
      {
        name: "rules are ordered by dragging",
        shows: "The rules are saved.",
        act: async () => {
          await open(page, dragged);
          await drag(page, 1, 0);
          await requireOrder(page, "AT DE CH FR");
          await drag(page, 3, 1);
          await requireOrder(page, moved);
          await save(page, dragged, moved);
        },
      },
      {
        name: "rules are ordered by keyboard alone",
        shows: "The rules are saved.",
        act: async () => {
          await open(page, keyed);
          await tabTo(page, '[value="down:0"]');
          await page.keyboard.press("Enter");
          await page.evaluate("document.activeElement.blur()");
          await tabTo(page, '[value="up:3"]');
          await page.keyboard.press("Enter");
          await page.keyboard.press("Enter");
          await requireOrder(page, moved);
          await tabTo(page, 'p [name="do"][value="save"]');
          await page.keyboard.press("Enter");
          await page.getByText("The rules are saved.").waitFor();
          const stored = await storedOrder(akimbo, keyed);
          if (stored !== moved) throw new Error(`The order is ${stored}.`);
        },
      },
      {
        name: "a visitor is tried, and a real one goes there too",
        shows: "Because of rule 2: the country is France.",
        act: async () => {
          await page.getByLabel("Country", { exact: true }).selectOption("FR");
          await page.getByLabel("Device and system").selectOption("mobile-ios");
          await press(page, "Try");
          const to = await page.locator("[data-to]").innerText();
          const answer = await fetch(`${akimbo.origin}/s/by-keyboard`, {
            redirect: "manual",
            headers: { "user-agent": IPHONE, "cf-ipcountry": "FR" },
          });
          const real = answer.headers.get("location");
          if (to !== real) throw new Error(`The page says ${to}, and the visitor goes to ${real}.`);
          await requireSound(page, folder, "short link tried");
        },
      },
      {
        name: "a light colour of the code is warned of",
        shows: "too light to be scanned",
        act: async () => {
          await page.goto(`${akimbo.origin}${LIST}/${keyed}?colour=ffd400#code`);
          const width = await page.evaluate<number>(
            "document.querySelector('.code img').naturalWidth",
          );
          if (width === 0) throw new Error("The code is not shown.");
          await requireSound(page, folder, "short link code");
        },
      },
      {
        name: "a domain is added",
        shows: "Waits for its records",
        act: async () => {
          await page.goto(`${akimbo.origin}${LIST}/domains`);
          await page.locator("#domain").fill("go.harbour-news.example");
          await press(page, "Add the domain");
          await page.getByText("The domain is added.").waitFor();
          await requireSound(page, folder, "domains");
        },
      },
    ])),
    ...(await walk(plain, [
      {
        name: "rules are ordered and added without script",
        shows: "The rules are saved.",
        act: async () => {
          await open(plain, scriptless);
          for (const name of ["Down rule 1", "Up rule 4", "Up rule 3", "Language"]) {
            await pressAndLoad(plain, name);
          }
          await plain.getByLabel("Languages (codes").fill("pt");
          await plain.getByLabel("Then to").last().fill("https://example.com/pt");
          await pressAndLoad(plain, "Remove rule 4");
          await press(plain, "Save the rules");
          await plain.getByText("The rules are saved.").waitFor();
          const stored = await storedOrder(akimbo, scriptless);
          if (stored.trim() !== "AT FR DE") throw new Error(`The order is ${stored}.`);
        },
      },
    ])),
  ];
  for (const context of contexts) await context.close();
  const elsewhere = foreign.flatMap((one) => [...one]).map((one) => `asked elsewhere: ${one}`);
  return [...problems, ...refused.flat(), ...elsewhere];
}
