import { join } from "node:path";
import type { Akimbo } from "../peers/akimbo.ts";
import { accountOn, stored, thereAre } from "./compose-page.ts";
import type { Step } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  folder: string;
}

const LAST_PICTURE = `[...document.querySelectorAll("li.preview .shots img")].at(-1)`;

export function questionSteps({ akimbo, folder }: Visit, pictures: readonly string[]): Step[] {
  const asked = [
    ["TikTok", "Who can see this post"],
    ["YouTube", "Yes, it is made for kids"],
    ["Pinterest", "Board of"],
  ] as const;
  const hints: Step = {
    name: "what a platform cuts off a picture is told beside it, and the preview shows it",
    shows: "Instagram cuts this to 4:5.",
    act: async (page) => {
      await page.goto(`${akimbo.origin}/app/compose`);
      await page.waitForLoadState("networkidle");
      for (const platform of ["Instagram", "Bluesky"]) await accountOn(page, platform).check();
      await page.locator("#photo").setInputFiles(pictures[1] ?? "");
      await stored(page, 1);
      await thereAre(page, 2, "li.preview .shots img");
      const shown = page.locator("li.preview .shots img").last();
      await shown.scrollIntoViewIfNeeded();
      await page.evaluate(`${LAST_PICTURE}.decode()`);
      await page.locator("#description").fill("Another text");
      await page.locator("li.preview", { hasText: "Another text" }).first().waitFor();
      const isThere = await page.evaluate(
        `${LAST_PICTURE}.complete && ${LAST_PICTURE}.naturalWidth > 0`,
      );
      if (!isThere) throw new Error("The picture is loaded again.");
      await page.screenshot({ path: join(folder, "compose-preview.png"), fullPage: true });
    },
  };
  const questions = asked.map(
    ([platform, question]): Step => ({
      name: `${platform} asks what it needs as soon as its account is ticked`,
      shows: question,
      act: async (page) => {
        await page.goto(`${akimbo.origin}/app/compose`);
        await page.waitForLoadState("networkidle");
        if (await page.getByText(question).first().isVisible()) throw new Error("It asks before.");
        await accountOn(page, platform).check();
        await page.getByText(question).first().waitFor();
        if (platform === "TikTok") await page.locator("[data-creator] img").first().waitFor();
      },
    }),
  );
  return [hints, ...questions];
}

export function poolSteps({ akimbo }: Visit): Step[] {
  return [
    {
      name: "what a pool does not keep is not asked",
      shows: "A pool keeps the text",
      act: async (page) => {
        await akimbo.call("POST", "/pools", { name: "Evergreen", timezone: "UTC" });
        await page.goto(`${akimbo.origin}/app/compose`);
        await page.waitForLoadState("networkidle");
        if (await page.locator("#poolId").isVisible()) throw new Error("The pool is asked.");
        await page.locator("input[name=when][value=pool]").check();
        await page.locator("#poolId").waitFor();
        for (const id of ["date", "time", "thumbnail"]) {
          if (await page.locator(`#${id}`).isVisible()) throw new Error(`${id} is asked.`);
        }
      },
    },
  ];
}

export function menuSteps({ akimbo }: Visit): Step[] {
  return [
    {
      name: "the keys are listed",
      shows: "Compose",
      act: async (page) => {
        await page.goto(`${akimbo.origin}/app/compose`);
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keys" }).getByText("Go to a page").waitFor();
        await page.keyboard.press("Escape");
      },
    },
    {
      name: "a page is opened by its name",
      shows: "Calendar",
      act: async (page) => {
        await page.keyboard.press("Control+k");
        await page.keyboard.type("nothing");
        await page.getByText("No page has such a name.").waitFor();
        await page.locator("#menu-words").fill("cal");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/app\/calendar$/);
      },
    },
  ];
}
