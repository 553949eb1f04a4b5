import type { Akimbo } from "../../peers/akimbo.ts";
import type { Step } from "../steps.ts";
import { altOf, textsOf } from "./composed.ts";

interface Reading {
  akimbo: Akimbo;
  title: string;
  accounts: readonly string[];
}

/** On Facebook a thread is its first post alone. */
const THREADS = 3;

/** What the platforms have, as the sandbox's page shows it. */
export const inSandbox = ({ akimbo, title, accounts }: Reading): Step[] => {
  const [first, second] = textsOf(title);
  return [
    {
      name: "the sandbox has the thread on four platforms, in order",
      shows: second,
      act: async (page) => {
        await page.goto(`${akimbo.origin}/sandbox`);
        const threads = page.locator(".feed > li").filter({ hasText: first });
        if ((await threads.count()) !== accounts.length)
          throw new Error(`There are ${await threads.count()} posts.`);
        let replies = 0;
        for (const thread of await threads.all()) {
          const post = thread.locator("> article");
          const images = await post.locator(".media img").all();
          const alts = await Promise.all(images.map((image) => image.getAttribute("alt")));
          const expected = [0, 1, 2].map(altOf);
          if (alts.join() !== expected.join()) throw new Error(`The pictures are ${alts.join()}.`);
          const texts = await thread.locator(".thread .text").allInnerTexts();
          if (texts.length > 0 && texts.join() !== second)
            throw new Error(`Then: ${texts.join()}.`);
          replies += texts.length;
        }
        if (replies !== THREADS) throw new Error(`${replies} of ${THREADS} threads go on.`);
      },
    },
  ];
};
