import type { Locator, Page } from "playwright-core";
import type { Hands } from "../hands.ts";
import type { Step } from "../steps.ts";

/** What the pages tell on the way. */
export interface Found {
  ids: number[];
  reviewLink: string;
}

export const textsOf = (title: string): [string, string] => [
  `Three from the coast, ${title}`,
  `And one more word, ${title}.`,
];

export const altOf = (i: number): string => `Picture ${i + 1} of the coast`;

interface Composition {
  hands: Hands;
  hasScript: boolean;
  post: {
    title: string;
    /** Names. */
    accounts: readonly string[];
    files: readonly string[];
    day: string;
    time: string;
  };
  found: Found;
}

/** Opens the composer as the person would. */
async function openComposer(page: Page, hands: Hands, isByKeys: boolean): Promise<void> {
  if (!isByKeys) {
    await hands.press(page.getByRole("navigation", { name: "Pages" }).getByText("Compose"));
    return;
  }
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("Control+K");
  await page.getByLabel("Go to").getByRole("textbox").waitFor();
  await page.keyboard.type("comp");
  await page.keyboard.press("Enter");
}

const accountNamed = (page: Page, name: string): Locator =>
  page.locator(`input[data-account-name="${name}"]`);

const stored = async (page: Page, count: number): Promise<void> => {
  await page
    .locator("[name=mediaId]")
    .nth(count - 1)
    .waitFor({ state: "attached" });
};

/** @throws Error with what the composer answers instead */
async function requireSent(page: Page): Promise<void> {
  const refusal = page.locator("#summary");
  await page.getByText("have the post").or(refusal).first().waitFor();
  if (await refusal.isVisible()) throw new Error(await refusal.innerText());
}

/** From the navigation to four posts that wait for a client. */
export function composed({ hands, post, hasScript, found }: Composition): Step[] {
  const [first, second] = textsOf(post.title);
  return [
    {
      name: "the accounts are chosen",
      shows: "Accounts",
      act: async (page) => {
        await openComposer(page, hands, post.title === "by keyboard");
        await page.waitForURL("**/app/compose");
        await page.waitForLoadState("networkidle");
        for (const name of post.accounts) await hands.tick(accountNamed(page, name));
      },
    },
    {
      name: "the text is written",
      shows: hasScript ? "Bluesky" : "Text",
      act: (page) => hands.write(page.getByRole("textbox", { name: "Text", exact: true }), first),
    },
    {
      name: "three pictures are added",
      shows: "What file 3 shows",
      act: async (page) => {
        await hands.attach(page.locator("#photo"), post.files);
        if (!hasScript) await hands.press(page.getByRole("button", { name: "Show the preview" }));
        await stored(page, 3);
      },
    },
    {
      name: "they are described",
      shows: "What file 3 shows",
      act: async (page) => {
        for (const i of post.files.keys()) {
          await hands.write(
            page.getByRole("textbox", { name: `What file ${i + 1} shows` }),
            altOf(i),
          );
        }
      },
    },
    {
      name: "a second post follows",
      shows: "Remove post 2",
      act: async (page) => {
        await hands.press(page.getByRole("button", { name: "Add a post" }));
        await hands.write(page.getByRole("textbox", { name: "Post 2", exact: true }), second);
      },
    },
    {
      name: "it is held for a client, with a date",
      shows: "Hold for approval, with a review link for a client",
      act: async (page) => {
        await hands.tick(page.getByLabel("Hold for approval, with a review link for a client"));
        await hands.setDay(page.getByLabel("Date", { exact: true }), post.day);
        await hands.setTime(page.getByLabel("Time", { exact: true }), post.time);
      },
    },
    {
      name: "it is sent",
      shows: "4 accounts have the post",
      act: async (page) => {
        await hands.press(page.getByRole("button", { name: "Publish or schedule" }));
        await requireSent(page);
        const posts = new URL(page.url()).searchParams.get("posts") ?? "";
        found.ids = posts.split(",").map(Number);
        found.reviewLink = await page.locator("pre", { hasText: "/review/" }).innerText();
      },
    },
  ];
}
