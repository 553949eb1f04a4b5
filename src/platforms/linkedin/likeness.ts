import { plainMentions } from "../../core/mentions.ts";
import type { Post } from "../connector.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { EVERYONE, oneOf, settingWords, silent } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts, bodyOf } from "./check.ts";
import { documentTitleOf } from "./post.ts";
import type { LinkedInSettings } from "./settings.ts";
import { styleText } from "./styling.ts";

export function likeness(post: Post<LinkedInSettings>): Likeness {
  const heading = documentTitleOf(post);
  const text = plainMentions(styleText(bodyOf(post)));
  const title = heading === null ? leftOut(TITLE_UNPUBLISHED, post.title, bodyOf(post)) : [];
  return likenessOf({
    heading,
    text,
    unpublished: [...title, ...altTexts.unsent(post)],
    shownLines: 3,
    hasGrid: true,
    altTexts: altTexts.textsOf(post),
  });
}

export const describeSettings = settingWords<LinkedInSettings>({
  visibility: [
    "Who can see it",
    oneOf({ PUBLIC: EVERYONE, CONNECTIONS: "Connections of the account" }),
  ],
  media_type: ["Kind", silent],
});
