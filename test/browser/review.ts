import type { Browser, Page } from "playwright-core";
import { createGradientPng } from "../../src/cli/png.ts";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { requireSound, type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";
import { press, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

const PHONE = { width: 360, height: 800 };
const DAY_MS = 86_400_000;
const VIDEO_BYTES = 60_000;
/** A shift that nobody sees. Source: web.dev, "Cumulative Layout Shift": 0.1 is good; ours is none. */
const MAX_SHIFT = 0.001;
const LINK_SECONDS = 14 * 86_400;

const LONG =
  "We spent the summer on the coast, from the first ferry at dawn to the last light on the harbour. #harbour with @ada.sea\n\nMore on https://harbour.example/story. ".repeat(
    3,
  );
const HOSTILE = `<script>document.title="run"</script><img src=x onerror=alert(1)>\u202E${"unbroken".repeat(12)}`;

function picture(width: number, height: number): File {
  const png = createGradientPng({ width, height, from: [58, 70, 214], to: [240, 200, 120] });
  return new File([png], "picture.png", { type: "image/png" });
}

/** Posts of every layout that await approval; their ids in the order of the page. */
async function fill(akimbo: Akimbo): Promise<number[]> {
  const { body } = await akimbo.call<{ data: { id: string; platform: string }[] }>(
    "GET",
    "/accounts",
  );
  const film = new File([createSampleVideo("review", VIDEO_BYTES)], "film.mp4", {
    type: "video/mp4",
  });
  const at = new Date(Date.now() + 3 * DAY_MS).toISOString();
  const posts: [string, Record<string, string | File[]>][] = [
    ["bluesky", { description: HOSTILE, photo: [picture(1_600, 900), picture(600, 800)] }],
    ["facebook", { description: LONG, photo: [picture(800, 1_200)], schedule_date: at }],
    ["youtube", { title: "The coast", description: LONG, video: [film], schedule_date: at }],
    ["tiktok", { title: "The first ferry", video: [film], schedule_date: at }],
    ["linkedin", { description: LONG, title: "October", photo: [picture(1_200, 628)] }],
    ["x", { title: "Which harbour?", x_poll_options: '["Bergen","Genoa"]' }],
    ["pinterest", { title: "Lights", photo: [picture(400, 900)], pinterest_board_id: "1001" }],
  ];
  const ids: number[] = [];
  for (const [platform, fields] of posts) {
    const accountId = body.data.find((one) => one.platform === platform)?.id ?? "";
    const { body: made } = await akimbo.post({ accountId, status: "pending_approval", ...fields });
    if (!made.data) throw new Error(`${platform}: ${made.error}`);
    ids.push(made.data.uploadId);
  }
  return ids;
}

const SHIFTS = `globalThis.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Reads the page to its end, so that all that loads late is loaded. */
async function readToEnd(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      scrollTo(0, y);
      await new Promise((done) => setTimeout(done, 50));
    }
  })()`);
  await page.waitForLoadState("networkidle");
}

/** @throws Error where something moved, a script ran that is not ours, or a file did not load */
async function requireStill(page: Page): Promise<void> {
  const shift = await page.evaluate<number>("globalThis.shift");
  if (shift > MAX_SHIFT) throw new Error(`What was shown moved by ${shift}.`);
  const broken = await page.evaluate<number>(
    "[...document.images].filter((image) => image.naturalWidth === 0).length",
  );
  if (broken > 0) throw new Error(`${broken} pictures are not shown.`);
  if ((await page.title()).startsWith("run")) throw new Error("A script of a caption has run.");
}

/** Plays the first video, muted. @throws Error where it does not play */
async function requirePlays(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const video = document.querySelector("video");
    video.muted = true;
    video.scrollIntoView();
    await video.play();
    await new Promise((done) => video.addEventListener("timeupdate", done, { once: true }));
    video.pause();
  })()`);
}

/**
 * Has a client review posts by a link of the owner's: with script, and by phone without. Each step that failed,
 * in words.
 */
export async function checkReview(
  browser: Browser,
  { akimbo, owner, folder }: Visit,
): Promise<string[]> {
  const contexts = [
    await openContext(browser, { storageState: owner }),
    await openContext(browser, { timezoneId: "America/New_York" }),
    await openContext(browser, { viewport: PHONE, javaScriptEnabled: false }),
  ] as const;
  const refused = contexts.map(watchPolicy);
  const foreign = contexts.map((context) => watchOrigins(context, akimbo.origin));
  const [team, seen, plain] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!team || !seen || !plain) throw new Error("No page could be opened.");
  await seen.addInitScript(SHIFTS);
  const ids = await fill(akimbo);
  let link = "";
  const at = (page: Page, id: number | undefined) => page.locator(`#post-${id}`);
  const problems = await walk(team, [
    {
      name: "the owner makes a link",
      shows: "Copy it and send it to your client.",
      act: async () => {
        await team.goto(`${akimbo.origin}/app/reviews`);
        await requireSound(team, folder, "reviews");
        for (const box of await team.getByRole("checkbox").all()) await box.uncheck();
        for (const id of ids) await team.locator(`input[value="${id}"]`).check();
        await press(team, "Make the link");
        await team.getByText("The link is made.").waitFor();
        link = await team.locator(".address").first().innerText();
      },
    },
    {
      name: "the link stands on the post's page",
      shows: "Review by a client",
      act: async () => {
        await team.goto(`${akimbo.origin}/app/uploads/${ids[0]}`);
        await team.getByText(link).waitFor();
      },
    },
  ]);
  problems.push(
    ...(await walk(seen, [
      {
        name: "a client reads the page",
        shows: "7 posts wait for your decision.",
        act: async () => {
          await seen.goto(link);
          await readToEnd(seen);
          await requireStill(seen);
          await seen.getByText("where you are").first().waitFor();
          await requirePlays(seen);
          await requireSound(seen, folder, "review");
        },
      },
      {
        name: "a client reads a caption whole",
        shows: "Show less",
        act: () => at(seen, ids[1]).getByText("Show the whole text").click(),
      },
      {
        name: "a client approves a post",
        shows: "Thank you: this post is approved.",
        act: () => at(seen, ids[1]).getByRole("button", { name: "Approve" }).click(),
      },
    ])),
    ...(await walk(plain, [
      {
        name: "without script, a client asks for changes",
        shows: "Thank you: the team has your note.",
        act: async () => {
          await plain.goto(link);
          const post = at(plain, ids[0]);
          await post.getByText("Ask for changes").click();
          await post.getByRole("textbox").fill("Less blue, please.\n<b>\u202EThanks");
          await post.getByRole("button", { name: "Send the note" }).click();
        },
      },
      {
        name: "an edited post is shown anew",
        shows: "This post was changed after you opened the page.",
        act: async () => {
          await akimbo.call("PATCH", `/upload/${ids[5]}`, { title: "Which harbour now?" });
          await at(plain, ids[5]).getByRole("button", { name: "Approve" }).click();
        },
      },
      {
        name: "a removed post says so",
        shows: "The team has removed this post",
        act: async () => {
          await akimbo.call("DELETE", `/upload/${ids[6]}`);
          await at(plain, ids[6]).getByRole("button", { name: "Approve" }).click();
        },
      },
      {
        name: "a client approves the rest",
        shows: "Every post is decided. Thank you.",
        act: async () => {
          await plain.getByRole("button", { name: /^Approve all/ }).click();
        },
      },
    ])),
    ...(await walk(seen, [
      {
        name: "a decision that comes late is refused",
        shows: "This was decided already",
        act: async () => {
          await at(seen, ids[2]).getByRole("button", { name: "Approve" }).click();
          await seen.getByText("This was decided already").first().waitFor();
          await requireSound(seen, folder, "review decided");
        },
      },
      {
        name: "a forged link",
        shows: "This link leads nowhere",
        act: async () => {
          await seen.goto(`${akimbo.origin}/review/1-${"0".repeat(64)}`);
          await requireSound(seen, folder, "review forged");
        },
      },
      {
        name: "an expired link",
        shows: "This link has expired",
        act: async () => {
          await akimbo.advanceClock(LINK_SECONDS);
          try {
            await seen.goto(link);
          } finally {
            await akimbo.advanceClock(-LINK_SECONDS);
          }
        },
      },
    ])),
  );
  for (const context of contexts) await context.close();
  const asked = foreign.flatMap((addresses) => [...addresses]);
  return [
    ...problems,
    ...refused.flat(),
    ...asked.map((address) => `The review asked elsewhere: ${address}`),
  ];
}
