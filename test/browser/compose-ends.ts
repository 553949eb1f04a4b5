import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { accountOn, saved, stored } from "./compose-page.ts";
import type { SignedIn } from "./looks.ts";
import type { Step } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  folder: string;
}

const send = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Publish or schedule" }).click();

async function write(page: Page, { akimbo }: Visit, text: string): Promise<void> {
  await page.goto(`${akimbo.origin}/app/compose`);
  await page.waitForLoadState("networkidle");
  await accountOn(page, "Bluesky").check();
  await page.locator("#description").fill(text);
  await saved(page);
}

async function countPosts({ akimbo }: Visit, text: string): Promise<number> {
  const query = new URLSearchParams({ search: text });
  const { body } = await akimbo.call<{ data: object[] }>("GET", `/upload?${query}`);
  return body.data.length;
}

const requireText = async (page: Page, text: string): Promise<void> => {
  const found = await page.locator("#description").inputValue();
  if (found !== text) throw new Error(`The text is ${found}.`);
};

export function sessionSteps(visit: Visit, context: BrowserContext): Step[] {
  let draft = "";
  return [
    {
      name: "an ended session is told, and nothing is sent",
      shows: "Your session has ended.",
      act: async (page) => {
        await write(page, visit, "Before the session ended");
        draft = page.url();
        await context.clearCookies();
        await page.locator("#description").fill("After the session ended");
        await send(page);
        await page.getByText("Your session has ended.").waitFor();
        if (page.url() !== draft) throw new Error(`It went to ${page.url()}.`);
      },
    },
    {
      name: "the sign-in leads back to the draft",
      shows: "Sign in",
      act: async (page) => {
        await page.getByRole("link", { name: "Sign in" }).click();
        await page.waitForURL(/\/sign-in\?/);
        const next = new URL(page.url()).searchParams.get("next");
        if (next === null || !draft.endsWith(next)) throw new Error(`It leads to ${next}.`);
      },
    },
    {
      name: "what was written last is there again",
      shows: "Accounts",
      act: async (page) => {
        await context.addCookies(visit.owner.cookies);
        await page.goto(draft);
        await page.getByText("What you wrote last is brought back").waitFor({ state: "hidden" });
        await page.waitForLoadState("networkidle");
        await requireText(page, "After the session ended");
        if ((await countPosts(visit, "session ended")) > 0) throw new Error("It was sent.");
      },
    },
  ];
}

async function leaveUploads(context: BrowserContext, visit: Visit): Promise<string> {
  const page = await context.newPage();
  await write(page, visit, "Left while a file goes up");
  const names = ["kept.png", "lost.png"] as const;
  const paths = names.map((name) => join(visit.folder, name));
  for (const path of paths) await copyFile(join(visit.folder, "picture-1.png"), path);
  await page.locator("#photo").setInputFiles(paths[0] ?? "");
  await stored(page, 1);
  await saved(page);
  await page.route("**/*", (route) =>
    route.request().method() === "PUT" && !route.request().url().includes("/drafts/")
      ? undefined
      : route.continue(),
  );
  const putting = page.waitForRequest((request) => request.method() === "PUT");
  await page.locator("#photo").setInputFiles(paths[1] ?? "");
  await putting;
  const address = page.url();
  await page.close();
  return address;
}

/** Closes the page once the form is on its way, before or after it arrives. */
async function leaveSending(
  context: BrowserContext,
  visit: Visit,
  { text, arrives }: { text: string; arrives: boolean },
): Promise<string> {
  const page = await context.newPage();
  await write(page, visit, text);
  const address = page.url();
  const left = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === "/app/compose",
    async (route) => {
      const request = route.request();
      if (request.method() !== "POST") return route.continue();
      if (arrives) {
        const headers = await request.allHeaders();
        await route.fetch({
          maxRedirects: 0,
          headers: { ...headers, origin: visit.akimbo.origin },
        });
      }
      left.resolve();
    },
  );
  await send(page);
  await left.promise;
  await page.close();
  return address;
}

export function closedSteps(visit: Visit, context: BrowserContext): Step[] {
  const once = async (text: string) => {
    const count = await countPosts(visit, text);
    if (count !== 1) throw new Error(`There are ${count} posts.`);
  };
  return [
    {
      name: "a page that is closed while files go up keeps those that are stored",
      shows: "Not uploaded when this page was left: lost.png.",
      act: async (page) => {
        await page.goto(await leaveUploads(context, visit));
        await stored(page, 1);
      },
    },
    {
      name: "a form that never arrived is sent again",
      shows: "1 account has the post",
      act: async (page) => {
        const text = "Closed before it arrived";
        await page.goto(await leaveSending(context, visit, { text, arrives: false }));
        await page.waitForLoadState("networkidle");
        await requireText(page, text);
        await send(page);
        await page.waitForURL(/\/sent/);
        await once(text);
      },
    },
    {
      name: "a form that arrived is not sent twice",
      shows: "This draft was sent or removed.",
      act: async (page) => {
        const text = "Closed before its answer";
        await page.goto(await leaveSending(context, visit, { text, arrives: true }));
        await page.waitForLoadState("networkidle");
        await once(text);
      },
    },
  ];
}
