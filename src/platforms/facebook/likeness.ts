import { emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { Post } from "../connector.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { MADE_WITH_AI, oneOf, settingWords, silent } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { altTexts, messageOf, shapeOf } from "./check.ts";
import type { FacebookSettings } from "./settings.ts";

const LINK_UNPUBLISHED = "Link, left out beside files";

export function likeness(post: Post<FacebookSettings>): Likeness {
  const { title, description, settings } = post;
  const shape = shapeOf(post);
  const isText = shape === "text";
  const shared = {
    layout: shape === "reel" ? "vertical" : "feed",
    shownLines: 5,
    hasGrid: true,
    preview: isText ? settings.link : null,
    altTexts: altTexts.textsOf(post),
  } as const;
  const others = [
    ...(isText ? [] : leftOut(LINK_UNPUBLISHED, settings.link)),
    ...altTexts.unsent(post),
  ];
  if (shape === "video" || shape === "reel") {
    const text = emptyIfBlank(description);
    return likenessOf({ ...shared, heading: nullIfBlank(title), text, unpublished: others });
  }
  const text = messageOf(post);
  const unpublished = [...leftOut(TITLE_UNPUBLISHED, title, text), ...others];
  return likenessOf({ ...shared, text, unpublished });
}

/** Meta marks only photos, albums and reels as made with AI. */
const leftOutOf = (post: Post<FacebookSettings>): readonly (keyof FacebookSettings)[] =>
  ["text", "video"].includes(shapeOf(post)) ? ["is_aigc"] : [];

export const describeSettings = settingWords<FacebookSettings>(
  {
    link: ["Link", silent],
    media_type: ["Kind", oneOf({ REELS: "Reel", VIDEO: "Video" })],
    is_aigc: MADE_WITH_AI,
  },
  leftOutOf,
);
