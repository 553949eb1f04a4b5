import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Browser, Page } from "playwright-core";
import { ZoneClock } from "../../src/core/zone.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { takePicture } from "./guide-pictures.ts";
import { isFocused, keyTo, tabTo } from "./keyboard.ts";
import { requireSound, type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";
import { pictures } from "./pictures.ts";
import { centreOf } from "./planning.ts";
import { press, type Step, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const DESK = { width: 1_280, height: 1_000 };
const PHONE = { width: 360, height: 800 };
const LIST = "/app/pools";

const titles = (page: Page): Promise<string[]> =>
  page
    .locator("li.item h3")
    .evaluateAll((all) =>
      all.map((one) => (one.textContent ?? "").replace(/^\s*\d+\.\s*/, "").trim()),
    );

/** @throws Error unless the page, and the API, have the items in this order */
async function requireOrder(
  page: Page,
  { akimbo }: Visit,
  pool: string,
  expected: readonly string[],
): Promise<void> {
  const shown = await titles(page);
  const { body } = await akimbo.call<{ items: { title: string; position: number }[] }>(
    "GET",
    `/pools/${pool}/videos?status=queued`,
  );
  const stored = body.items.toSorted((a, b) => a.position - b.position).map(({ title }) => title);
  for (const [where, order] of [["page", shown] as const, ["queue", stored] as const]) {
    if (order.join() !== expected.join()) throw new Error(`The ${where} has ${order.join(", ")}.`);
  }
}

const itemOf = (page: Page, title: string) =>
  page.locator("li.item").filter({ has: page.getByRole("heading", { name: title }) });

const moved = (page: Page, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/move")), act()]);

async function drag(page: Page, title: string, onto: string): Promise<void> {
  await itemOf(page, onto).scrollIntoViewIfNeeded();
  const from = await centreOf(itemOf(page, title).locator(".thumb"));
  const to = await centreOf(itemOf(page, onto).locator(".thumb"));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
}

async function dropFiles(page: Page, paths: readonly string[]): Promise<void> {
  const files = await Promise.all(
    paths.map(async (path) => ({
      name: basename(path),
      data: (await readFile(path)).toString("base64"),
    })),
  );
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, data } of ${JSON.stringify(files)}) {
      const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: "image/png" }));
    }
    return transfer;
  })()`);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

/** Steps of a person who has no script. */
function plainSteps(visit: Visit, state: { pool: string }, files: string[]): Step[] {
  const { akimbo } = visit;
  return [
    {
      name: "a pool is made without script",
      shows: "The pool is made.",
      act: async (page) => {
        await page.goto(akimbo.origin + LIST);
        await page.getByLabel("Name").fill("Tips of the week");
        await page.getByLabel("Time zone").fill("Europe/Berlin");
        await press(page, "Make the pool");
        state.pool = /pools\/(\d+)/.exec(page.url())?.[1] ?? "";
      },
    },
    {
      name: "a slot without a day comes back",
      shows: "Choose one day at least.",
      act: async (page) => {
        for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]) {
          await page.getByLabel(day).uncheck();
        }
        await page
          .getByLabel(/on Bluesky/)
          .first()
          .check();
        await press(page, "Add the slot");
      },
    },
    {
      name: "a slot is added",
      shows: "The slot is saved.",
      act: async (page) => {
        for (const day of ["Monday", "Wednesday", "Thursday", "Friday"]) {
          await page.getByLabel(day).check();
        }
        await press(page, "Add the slot");
      },
    },
    {
      name: "an item is added with two photos",
      shows: "2 photos · repeats every 31 days, went out 0 of 4 times",
      act: async (page) => {
        await page.getByText("Add one item").click();
        await page.getByText("Publish it again and again").click();
        await page.getByLabel("Title", { exact: true }).fill("Alpha");
        await page.getByLabel("Days between two times").fill("31");
        await page.getByLabel("How often in total").fill("4");
        await page.getByLabel("Photos").setInputFiles(files.slice(0, 2));
        await press(page, "Add the item");
      },
    },
    {
      name: "a table with a mistake keeps its rows",
      shows: "Row 3, videoUrl: is required",
      act: async (page) => {
        await page.getByText("Add many videos from a table").click();
        const rows = "title,videoUrl\nBeta,https://example.com/b.mp4\nGamma,";
        await page.getByLabel("Or the rows themselves").fill(rows);
        await press(page, "Add the rows");
      },
    },
    {
      name: "a table is added",
      shows: "Queue: 3 items",
      act: async (page) => {
        const field = page.getByLabel("Or the rows themselves");
        await field.fill(`${await field.inputValue()}https://example.com/c.mp4`);
        await press(page, "Add the rows");
      },
    },
    {
      name: "buttons move items without script",
      shows: "The item is moved.",
      act: async (page) => {
        await press(page, "To the top: Gamma");
        await page.getByText("The item is moved.").waitFor();
        await press(page, "Down: Alpha");
        await page.locator("li.item").nth(1).getByRole("heading", { name: "Beta" }).waitFor();
        await requireOrder(page, visit, state.pool, ["Gamma", "Beta", "Alpha"]);
      },
    },
  ];
}

function scriptSteps(visit: Visit, state: { pool: string }, files: string[]): Step[] {
  const { akimbo, folder } = visit;
  return [
    {
      name: "files that are dropped become items",
      shows: "Queue: 5 items",
      act: async (page) => {
        await page.goto(`${akimbo.origin}${LIST}/${state.pool}`);
        await page.locator("#drop-files").waitFor();
        await dropFiles(page, files.slice(0, 2));
        await page.getByText("2 items are added to the queue.").waitFor({ state: "attached" });
        const order = ["Gamma", "Beta", "Alpha", "picture-1-3", "picture-2-3"];
        await requireOrder(page, visit, state.pool, order);
      },
    },
    {
      name: "a file that no platform takes is refused beside it",
      shows: "notes.txt",
      act: async (page) => {
        const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Notes") };
        await page.locator("#drop-files").setInputFiles(file);
        await page.locator(".going").getByText("Choose a JPEG").waitFor();
        await requireSound(page, folder, "pool");
        await takePicture(page, "pool");
        await press(page, "Put away notes.txt");
        await page.locator("#drop-files").setInputFiles(file);
      },
    },
    {
      name: "a drag and the buttons give the same order",
      shows: "Gamma",
      act: async (page) => {
        await moved(page, () => drag(page, "picture-2-3", "Gamma"));
        const first = ["picture-2-3", "Gamma", "Beta", "Alpha", "picture-1-3"];
        await requireOrder(page, visit, state.pool, first);
        await moved(page, () => drag(page, "Gamma", "Alpha"));
        await requireOrder(page, visit, state.pool, [
          ...["picture-2-3", "Beta", "Alpha", "Gamma", "picture-1-3"],
        ]);
        for (const name of ["Up: Gamma", "Up: Gamma", "To the top: Gamma"]) {
          await moved(page, () => press(page, name));
        }
        await moved(page, () => press(page, "Down: Gamma"));
        await requireOrder(page, visit, state.pool, first);
        await page.reload();
        await requireOrder(page, visit, state.pool, first);
      },
    },
    {
      name: "keys alone move an item, and focus stays with it",
      shows: "Alpha",
      act: async (page) => {
        await page.reload();
        const up = page.getByRole("button", { name: "Up: Alpha" });
        await tabTo(page, up);
        await moved(page, () => page.keyboard.press("Enter"));
        if (!(await isFocused(page, up))) throw new Error("Focus left the button.");
        await page.getByText("Alpha is now number 3.").waitFor({ state: "attached" });
        const top = page.getByRole("button", { name: "To the top: Alpha" });
        await keyTo(page, top, "Tab", 5);
        await moved(page, () => page.keyboard.press("Space"));
        await requireOrder(page, visit, state.pool, [
          ...["Alpha", "picture-2-3", "Gamma", "Beta", "picture-1-3"],
        ]);
      },
    },
    {
      name: "an item is changed",
      shows: "The item is saved.",
      act: async (page) => {
        await itemOf(page, "Beta").getByText("Change").click();
        const form = itemOf(page, "Beta");
        await form.getByLabel("Description").fill("Words that were missing");
        await requireSound(page, folder, "pool-item");
        await press(page, "Save the item");
      },
    },
    {
      name: "a slot is changed, and the pool is switched off",
      shows: "The pool is off.",
      act: async (page) => {
        await page.getByRole("link", { name: /^Change the slot/ }).click();
        await page.getByLabel("Sunday").first().check();
        await requireSound(page, folder, "pool-slot");
        await press(page, "Save the slot");
        await page.getByText("Wed–Fri, Sun").waitFor();
        await press(page, "Switch off");
      },
    },
    {
      name: "the list says how each pool stands",
      shows: "Switched off: nothing goes out.",
      act: async (page) => {
        await page.goto(akimbo.origin + LIST);
        await requireSound(page, folder, "pools");
      },
    },
    {
      name: "the queue is cleared and the pool deleted",
      shows: "The pool is deleted.",
      act: async (page) => {
        await page.goto(`${akimbo.origin}${LIST}/${state.pool}`);
        await page.getByText("Clear the queue").click();
        await press(page, "Remove all waiting items");
        await page.getByText("The queue is empty.").waitFor();
        await page.getByText("Delete this pool").click();
        await press(page, "Delete the pool");
      },
    },
  ];
}

/** A slot in the hour that the next change of clocks skips. */
async function checkClocks(page: Page, { akimbo, folder }: Visit): Promise<string[]> {
  const clock = new ZoneClock("America/New_York");
  const { body } = await akimbo.call<{ data: { id: string; platform: string }[] }>(
    "GET",
    "/accounts",
  );
  const accountId = body.data.find(({ platform }) => platform === "bluesky")?.id ?? "";
  const json = {
    name: "Early birds",
    timezone: clock.zone,
    slots: [{ time: "07:00", days: [1, 2, 3], accountIds: [accountId] }],
  };
  const { body: made } = await akimbo.call<{ pool: { id: string } }>("POST", "/pools", json);
  return walk(page, [
    {
      name: "a pool of another zone says its local times",
      shows: "America/New_York (UTC",
      act: async () => {
        await page.goto(`${akimbo.origin}${LIST}/${made.pool.id}`);
        await requireSound(page, folder, "pool-empty");
        await akimbo.call("DELETE", `/pools/${made.pool.id}`);
      },
    },
  ]);
}

/**
 * Makes pools, slots and items without script, then by drops, drags, buttons and keys. Each step that failed, in words.
 */
export async function checkPools(browser: Browser, visit: Visit): Promise<string[]> {
  const contexts = [
    await openContext(browser, {
      storageState: visit.owner,
      viewport: PHONE,
      javaScriptEnabled: false,
    }),
    await openContext(browser, { storageState: visit.owner, viewport: DESK }),
  ] as const;
  const policies = contexts.map(watchPolicy);
  const foreign = watchOrigins(contexts[0], visit.akimbo.origin);
  const [bare, desk] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!bare || !desk) throw new Error("No page could be opened.");
  const files = await pictures(visit.folder, 3);

  const state = { pool: "" };
  const problems = [
    ...(await walk(bare, plainSteps(visit, state, files))),
    ...(await walk(desk, scriptSteps(visit, state, files))),
    ...(await checkClocks(desk, visit)),
  ];
  for (const context of contexts) await context.close();
  return [...problems, ...policies.flat(), ...[...foreign].map((one) => `asked elsewhere: ${one}`)];
}
