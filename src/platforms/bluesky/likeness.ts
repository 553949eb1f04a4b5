import type { Post } from "../connector.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { postText } from "../kit/post-text.ts";
import { ALT_TEXT, languages, listOf, settingWords } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts } from "./check.ts";
import type { BlueskySettings } from "./settings.ts";

export function likeness(post: Post<BlueskySettings>): Likeness {
  const text = postText(post);
  return likenessOf({
    text,
    unpublished: [...leftOut(TITLE_UNPUBLISHED, post.title, text), ...altTexts.unsent(post)],
    hasGrid: true,
    altTexts: altTexts.textsOf(post),
  });
}

export const describeSettings = settingWords<BlueskySettings>({
  bluesky_langs: ["Language", languages],
  bluesky_labels: [
    "Content warning",
    listOf((label) =>
      label === "!no-unauthenticated" ? "Only for people who are signed in" : label,
    ),
  ],
  bluesky_alt_text: ALT_TEXT,
});
